from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.keys import Key, KeyKind, fold, make_key

TEXT = st.text(max_size=30) | st.text(
    st.sampled_from("aB é\u0301\u00ad\n\tﬁ½…\u2011“”’\u200b漢\u1100\u1161ßİ\u0645\u064eﷺ-"),
    max_size=20,
)
kinds = pytest.mark.parametrize("kind", list(KeyKind))


def ink(text: str) -> str:
    return make_key(text.encode(), KeyKind.INK).text


def word(text: str) -> str:
    return make_key(text.encode(), KeyKind.WORD).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "30\ndays"),
        ("de\u00adfine", "define"),
        ("deﬁne", "define"),
        ("caf\u00e9", "cafe\u0301"),
        ("\uac00", "\u1100\u1161"),
        ("non\u2011stop", "non-stop"),
        ("a\u200bb\u202ec", "abc"),
        ("①", "1"),
    ],
)
def test_the_same_ink_compares_equal(one: str, other: str) -> None:
    assert ink(one) == ink(other)


def test_ink_keeps_what_differs_on_paper() -> None:
    assert ink("10") != ink("1O")
    assert ink("a") != ink("A")
    assert ink("not") != ink("now")


def test_word_folds_case_quotes_and_white_space_but_keeps_words_apart() -> None:
    assert word("“The  Data”\n subject’s") == '"the data" subject\'s'
    assert word("a b") != word("ab")
    assert word("  a") == "a"


@kinds
@settings(max_examples=300, deadline=None)
@given(text=TEXT)
def test_the_map_back_is_exact(text: str, kind: KeyKind) -> None:
    data = text.encode()
    key = make_key(data, kind)
    assert len(key.text) == len(key.starts) == len(key.ends)
    assert list(key.starts) == sorted(key.starts)
    for index, (start, end) in enumerate(zip(key.starts, key.ends, strict=True)):
        assert 0 <= start < end <= len(data)
        source = data[start:end].decode()
        folded = make_key(source.encode(), kind).text
        assert key.text[index] in folded or (key.text[index] == " " and not ink(source))


@kinds
@settings(max_examples=300, deadline=None)
@given(text=TEXT)
def test_folding_alone_gives_the_key_text(text: str, kind: KeyKind) -> None:
    assert fold(text, kind) == make_key(text.encode(), kind).text


@kinds
@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(categories=["L", "Nd", "Zs", "Po"]), max_size=20))
def test_composition_does_not_matter(text: str, kind: KeyKind) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert fold(composed, kind) == fold(decomposed, kind)


def test_ranges_go_there_and_back() -> None:
    text = "Die Auf\u00adbe\u00adwah\u00adrung: 30 Tage"
    key: Key = make_key(text.encode(), KeyKind.INK)
    start = key.text.index("Aufbewahrung")
    source = key.to_source(start, start + 12)
    assert text.encode()[source.start : source.end].decode() == "Auf\u00adbe\u00adwah\u00adrung"
    assert key.from_source(source.start, source.end) == (start, start + 12)
