from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.text import CanonicalText
from watcher.extract import InkMap

OLD = CanonicalText("Reten-\ntion of ﬁles\fpage two\fsame\n".encode())
NEW = CanonicalText(b"Reten- tion of\nfiles\fpage 2\fsame\n")


def test_ranges_cross_where_the_ink_is_the_same() -> None:
    crossing = InkMap(OLD, NEW)
    assert crossing.exact_pages == {1, 3}
    start = OLD.data.index("ﬁles".encode())
    found = crossing.cross(start, start + 6)
    assert found is not None
    assert NEW.data[found.start : found.end] == b"files"


def test_nothing_is_said_where_it_is_not() -> None:
    crossing = InkMap(OLD, NEW)
    at = OLD.data.index(b"page")
    assert crossing.cross(at, at + 4) is None
    assert crossing.cross(0, at + 4) is None
    assert crossing.cross(6, 7) is None


WORDS = st.lists(st.text("abcé漢ﬁ.", min_size=1, max_size=6), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(WORDS, st.data())
def test_every_word_crosses_any_change_of_white_space(
    words: list[str], data: st.DataObject
) -> None:
    blanks = st.sampled_from([" ", "\n", "\n\n"])
    texts = [
        CanonicalText(("".join(word + data.draw(blanks) for word in words)).encode())
        for _ in range(2)
    ]
    crossing = InkMap(*texts)
    at = [0, 0]
    for word in words:
        ranges = []
        for side, text in enumerate(texts):
            start = text.data.index(word.encode(), at[side])
            at[side] = start + len(word.encode())
            ranges.append((start, at[side]))
        assert crossing.cross(*ranges[0]) == ranges[1]
