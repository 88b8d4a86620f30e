"""The page of a change: everything said, nothing that runs, nothing that hides."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.test_commands import Cli
from watcher.cli.diff_page import diff_page
from watcher.domain.changes import Atom, ChangeClass, Classification, Hunk, HunkKind, Tier
from watcher.domain.ids import DocumentId
from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText
from watcher.pipeline.judged import Judged
from watcher.pipeline.redline import redline

HEAD = "<html lang=en><head><title>T</title></head><body><main><h1>Retention policy</h1>"
OLD = (
    f"{HEAD}<h2>Logs</h2><p>Access logs are kept for 30 days and then deleted for good.</p>"
    "<h2>Partners</h2><p>We share data with those who need it.</p></main></body></html>"
)
HOSTILE = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;/p&gt;&lt;img src=x onerror=y&gt; &#x202E;lia"
NEW = (
    f"{HEAD}<h2>Logs</h2><p>Access logs are kept for {HOSTILE} 90 days and then deleted for good."
    "</p><h2>Partners</h2><p>We share data with those who need it.</p></main></body></html>"
)


class Page(HTMLParser):
    """What a browser would see: elements, attributes, and the text in each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.said: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "br"}:
            self.open.append(dict(attrs).get("class") or tag)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        here = self.open[-1] if self.open else ""
        self.said[here] = self.said.get(here, "") + data


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("page")
    run = Cli(folder)
    run("init")
    for content in (OLD, NEW):
        (folder / "policy.html").write_text(content, encoding="utf-8")
        run("ingest", "policy.html", "--document", "retention", "--title", "<b>Retention</b>")
    told = run("diff", "retention", "--html", "page.html")
    assert "wrote page.html" in told
    assert "cannot be written" in run("diff", "retention", "--html", "no/such/page.html", code=2)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_nothing_runs_loads_or_hides(text: str) -> None:
    page = Page(text)
    assert not {"script", "img", "iframe", "link", "object", "form", "b"} & set(page.elements)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = [v for name, v in page.attributes if name in {"href", "src"} and v]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "\u202e" not in text
    assert "<U+202E>" in "".join(page.said.values())
    assert "default-src 'none'" in text


def test_a_difference_is_marked(text: str) -> None:
    page = Page(text)
    assert "90 days" in page.said["ins"]
    assert "30 days" in page.said["del"]
    assert "<script>alert(1)</script></p><img src=x onerror=y>" in page.said["ins"]


MOVED = b"Partners sign a contract for 2 years."


def page_of(old: bytes, new: bytes, hunk: Hunk) -> Page:
    judged = Classification(
        hunk.change_class, Tier.PAGE, 0.5, (), (), "h", (), (hunk,), "en", "f" * 64
    )
    sides = CanonicalText(old), CanonicalText(new)
    shown = list(redline(*sides, (hunk,), None))
    return Page(diff_page(Judged(DocumentId("d"), *sides, judged, None, None), shown, ""))


def test_a_move_is_a_move() -> None:
    old, new = MOVED + b"\x0cRest.\n", b"Rest.\x0c" + MOVED + b"\n"
    here, there = Range(0, len(MOVED)), Range(6, 6 + len(MOVED))
    bears = ChangeClass.POLICY_BEARING
    whole = Atom(here, there, bears, "unproven", why="it stands elsewhere")
    page = page_of(old, new, Hunk(HunkKind.MOVED, here, there, bears, (whole,)))
    assert page.said["moved"].endswith(MOVED.decode())
    assert MOVED.decode() not in page.said["del"] + page.said["ins"]
    assert (
        page.said["place dim"] == f"from page 1, bytes 0:{len(MOVED)}to page 2, bytes 6:{there.end}"
    )
    assert "it stands elsewhere" in page.said["li"]


def test_a_difference_inside_of_a_move_is_marked_alone() -> None:
    old, new = MOVED + b"\nRest.\n", b"Rest.\n" + MOVED.replace(b"2", b"9") + b"\n"
    here, there = Range(0, len(MOVED)), Range(6, 6 + len(MOVED))
    place = MOVED.index(b"2")
    bears = ChangeClass.POLICY_BEARING
    atoms = (
        Atom(here, there, ChangeClass.EDITORIAL, "moved"),
        Atom(Range(place, place + 1), Range(6 + place, 7 + place), bears, "unproven"),
    )
    page = page_of(old, new, Hunk(HunkKind.MOVED, here, there, bears, atoms))
    assert (page.said["del"], page.said["ins"]) == ("removed2", "added9")
    assert page.said["moved"].endswith("Partners sign a contract for  years.")


def test_it_says_where_what_and_why(text: str) -> None:
    page = Page(text)
    assert "policy-bearing" in page.said["class"]
    assert page.said["h1"] == "<b>Retention</b>"
    assert "“30 days” becomes" in "".join(page.said.values())
    assert "prefers-color-scheme: dark" in text
