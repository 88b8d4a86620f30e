"""Changed blocks: whole lines that hold every difference."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.align import align, hunks
from watcher.domain.changes import HunkKind

LINE = st.sampled_from(
    [
        "Alpha beta gamma.",
        "The term ends.",
        "We keep data for 30 days.",
        "",
        "x",
        "Über uns 您的 数据。",
    ]
)
TEXT = st.lists(LINE, max_size=10).map("\n".join)


def shown(old: str, new: str) -> list[tuple[str, str, str]]:
    a, b = old.encode(), new.encode()
    return [
        (h.kind.value, a[h.old.start : h.old.end].decode(), b[h.new.start : h.new.end].decode())
        for h in hunks(align(a, b), a, b)
    ]


def test_kinds() -> None:
    old = "Intro line here.\nWe keep data for 30 days.\nGone line.\nThe end of it."
    new = "Intro line here.\nWe keep data for 60 days.\nThe end of it.\nA line that is new."
    assert shown(old, new) == [
        ("replaced", "We keep data for 30 days.", "We keep data for 60 days."),
        ("removed", "Gone line.", ""),
        ("inserted", "", "A line that is new."),
    ]


def test_a_moved_paragraph_is_one_move() -> None:
    paragraph = "The provider answers each request within thirty days of its receipt."
    rest = [f"Clause {i} governs topic number {i}." for i in range(6)]
    found = shown("\n\n".join([paragraph, *rest]), "\n\n".join([*rest, paragraph]))
    assert [kind for kind, _, _ in found if kind == HunkKind.MOVED] == ["moved"]
    assert all(paragraph not in old + new for kind, old, new in found if kind != HunkKind.MOVED)


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT)
def test_every_difference_lies_in_a_hunk(old: str, new: str) -> None:
    a, b = old.encode(), new.encode()
    made = align(a, b)
    found = hunks(made, a, b)
    assert list(found) == sorted(found, key=lambda h: (h.old, h.new))
    for part in made.removed():
        for at in range(part.start, part.end):
            if not a[at : at + 1].isspace():
                assert any(h.old.start <= at < h.old.end for h in found)
    for part in made.inserted():
        for at in range(part.start, part.end):
            if not b[at : at + 1].isspace():
                assert any(h.new.start <= at < h.new.end for h in found)


def test_equal_texts_have_none() -> None:
    assert shown("One.\nTwo.", "One.\nTwo.") == []
