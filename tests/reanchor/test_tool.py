"""The pure tool: one answer line for each input line, whatever it is."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from benchmarks.reanchor.score import Score, read_cases, score
from watcher.reanchor.tool import run


def answers(root: Path, *lines: object) -> list[dict[str, object]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    out = io.StringIO()
    run(io.StringIO(text), root, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    base = tmp_path / "root"
    base.mkdir()
    (base / "old.txt").write_bytes(b"One clause stays here.\nThe other clause goes.\n")
    (base / "new.txt").write_bytes("Über.\nOne clause stays here.\n".encode())
    (base / "bytes.txt").write_bytes(b"\xff\xfe not text \x00 at all\n")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return base


def case(**changes: object) -> dict[str, object]:
    return {
        "case_id": "c", "old_text_ref": "old.txt", "new_text_ref": "new.txt", "start": 0, "end": 22,
        **changes,
    }  # fmt: skip


def test_statuses_and_offsets(root: Path) -> None:
    kept, gone = answers(root, case(), case(case_id=2, start=23, end=45))
    assert kept == {
        "case_id": "c", "status": "moved", "start": 7, "end": 29, "ranges": [[7, 29]],
        "similarity": 1.0, "candidates": [],
    }  # fmt: skip
    assert (gone["case_id"], gone["status"], gone["start"], gone["ranges"]) == (2, "gone", None, [])


@pytest.mark.parametrize(
    "line",
    [
        "no json", "[]", "null", "{}", '{"case_id": "c"}', "[" * 5000,
        case(end=0), case(start=-1), case(start=1.5), case(end=10**9), case(start=True),
        case(old_text_ref="../secret.txt"), case(old_text_ref="/etc/passwd"), case(old_text_ref=""),
        case(new_text_ref="missing.txt"), case(new_text_ref="."), case(old_text_ref="a\0b"),
        case(old_text_ref=7),
    ],
)  # fmt: skip
def test_a_bad_line_is_answered_and_harms_no_other(root: Path, line: object) -> None:
    bad, good = answers(root, line, case())
    assert bad["status"] == "invalid"
    assert bad["problem"]
    assert (bad["start"], bad["ranges"]) == (None, [])
    assert good["status"] == "moved"


def test_a_link_out_of_the_root_is_refused(root: Path) -> None:
    (root / "link.txt").symlink_to(root.parent / "secret.txt")
    assert answers(root, case(new_text_ref="link.txt"))[0]["status"] == "invalid"


def test_bytes_that_are_no_text_are_taken_as_given(root: Path) -> None:
    (answer,) = answers(root, case(old_text_ref="bytes.txt", new_text_ref="bytes.txt", end=9))
    assert (answer["status"], answer["start"], answer["end"]) == ("unchanged", 0, 9)


def test_order_of_lines_changes_no_answer(root: Path) -> None:
    lines = [case(case_id=i, start=i, end=22 + i) for i in range(12)]
    forward = answers(root, *lines)
    assert [a["case_id"] for a in forward] == list(range(12))
    assert sorted(answers(root, *lines[::-1]), key=lambda a: str(a["case_id"])) == sorted(
        forward, key=lambda a: str(a["case_id"])
    )


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cases.jsonl", "renumber.jsonl"])
def test_the_figures_hold_on_a_part_of_the_given_cases(shared_data: Path, name: str) -> None:
    root = shared_data / "reanchor"
    small = [c for c in read_cases(root / name) if c.new_bytes < 60_000][::4]
    found: Score = score(small, root)
    assert found.correct >= 0.99
    assert found.wrong <= 0.002
    assert found.false_anchors <= 0.01
    assert found.unchanged_on_other_bytes == 0
