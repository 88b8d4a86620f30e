from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.extract.canon import clean, decoded, join_pages, regular_page

ANY_TEXT = st.text(st.characters(codec=None), max_size=60) | st.text(
    st.sampled_from(" \t\n\r\f\x0b\x00\x85\u2028\u2029ab\ufeff\ufffe\ud800\x07|"), max_size=40
)


def test_controls_and_line_ends_follow_the_contract() -> None:
    given_text = "a\x00b\r\nc\rd\x85e\u2028f\u2029g\x0bh\x07i\x7fj\x9fk\ufffel\ud800m\tn"
    assert clean(given_text) == "ab\nc\nd\ne\nf\ng\nh\ufffdi\ufffdj\ufffdk\ufffdl\ufffdm\tn"


def test_form_feed_is_white_space_of_the_kind_asked_for() -> None:
    assert clean("a\fb", " ") == "a b"
    assert clean("a\fb", "\n") == "a\nb"


def test_nothing_else_is_normalised() -> None:
    kept = "ﬁ e\u0301 \u00a0 \u00ad \u200b 10² \u202e ① \ufeff!"
    assert clean(kept) == kept


def test_markdown_keeps_blanks_and_empty_lines_and_loses_its_mark() -> None:
    assert decoded("\ufeff# T  \n\n\n\n  x\t\r\n", form_feed=" ") == b"# T  \n\n\n\n  x\t\n"


def test_a_page_has_regular_white_space() -> None:
    assert regular_page("\n \n a \t b  \n\n\n\n\tc \n ") == " a b\n\n c"


def test_empty_pages_stay_and_the_text_ends_with_one_line_end() -> None:
    assert join_pages(["a", "", "b"]) == b"a\f\fb\n"
    assert join_pages(["", ""]) == b""


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_cleaning_is_idempotent_and_leaves_only_what_a_text_may_hold(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef]", once
    )
    once.encode()


@settings(max_examples=300, deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_joined_pages_keep_every_rule(pages: list[str]) -> None:
    regular = [regular_page(page) for page in pages]
    text = join_pages(regular).decode()
    if not "".join(regular).strip("\ufeff\n"):
        assert text.strip("\f\n\ufeff") == ""
        return
    assert text.count("\f") == len(pages) - 1
    assert text.endswith("\n")
    for page in text[:-1].split("\f"):
        assert not re.search(r"[ \t]\n|[ \t]\Z|\n\n\n|  |\t", page)
        assert page == page.strip("\n")
