from __future__ import annotations

import io
import json
from pathlib import Path

from tests.extract.made_pdfs import drawn, lines, picture
from watcher.domain.ids import version_of
from watcher.extract import tool

KEYS = ["file", "version", "media_type", "rendition", "verdict", "pages", "text", "problems"]


def run(files: list[Path], media_type: str | None = None, *, as_json: bool = True) -> str:
    out = io.StringIO()
    tool.run([str(file) for file in files], media_type, out, as_json=as_json)
    return out.getvalue()


def written(folder: Path, **files: bytes) -> list[Path]:
    paths = []
    for name, data in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(data)
        paths.append(path)
    return paths


def test_every_file_gives_one_line_in_the_order_given(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        b_pdf=drawn(lines("one"), lines(), lines("three")),
        locked_pdf=drawn(lines("x"), encrypt="secret"),
        scan_pdf=drawn(picture),
        broken_pdf=b"%PDF-1.4 nothing",
        empty_pdf=b"",
        old_rtf=b"{\\rtf1}",
        a_html="<p>für</p>".encode(),
        c_md=b"# T  \n",
    )
    files.insert(3, tmp_path / "missing.pdf")
    files.insert(4, tmp_path)
    records = [json.loads(line) for line in run(files).splitlines()]
    assert [record["file"] for record in records] == [str(file) for file in files]
    assert all(list(record) == KEYS for record in records)
    assert [record["verdict"] for record in records] == [
        "ok",
        "encrypted",
        "needs_ocr",
        "failed",
        "failed",
        "failed",
        "failed",
        "unsupported",
        "ok",
        "ok",
    ]
    for record in records:
        if record["version"] is None:
            assert record["text"] == ""
            assert record["pages"] == []
            assert record["problems"]
        else:
            assert record["version"] == version_of(record["text"].encode())
            assert record["rendition"].startswith("r1-")
    assert records[0]["text"] == "one\f\fthree\n"
    assert records[0]["pages"] == [
        {"page": 1, "label": "1", "start": 0, "end": 3},
        {"page": 2, "label": "2", "start": 4, "end": 4},
        {"page": 3, "label": "3", "start": 5, "end": 11},
    ]
    assert records[-1]["text"] == "# T  \n"
    assert records[-1]["media_type"] == "text/markdown"


def test_a_declared_media_type_counts_where_the_bytes_do_not_tell(tmp_path: Path) -> None:
    (file,) = written(tmp_path, page_txt=b"<p>a</p>")
    assert json.loads(run([file]))["text"] == "<p>a</p>"
    assert json.loads(run([file], "text/html"))["text"] == "a\n"


def test_the_human_output_names_what_a_person_checks(tmp_path: Path) -> None:
    files = written(tmp_path, a_pdf=drawn(lines("We keep data for 30 days."), picture))
    shown = run(files, as_json=False)
    for expected in (
        "verdict     partial",
        "text        27 bytes on 2 page(s)",
        "labels      1 2",
        "agreement   100.00% of the ink in both engines",
        "hidden      0 characters",
        "problem     needs_ocr: page 2: the page is an image without text",
        "    We keep data for 30 days.",
    ):
        assert expected in shown
