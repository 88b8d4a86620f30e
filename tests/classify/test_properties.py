"""What holds for any text: no exception, spans inside, noise silent, words never."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.align import align
from watcher.classify import Context, classify, classify_passage, score_of
from watcher.classify.fold import fold
from watcher.classify.tokens import make_view
from watcher.domain.changes import Tier

TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab 1.,\n|*_[]()#-§%€'")),
    max_size=120,
)
WORDS = st.lists(st.sampled_from(["we", "keep", "the", "data", "for", "clients", "not", "only", "14", "days", "(4)", "and", "pay", "5", "EUR", ".", ",", ":"]), min_size=3, max_size=30)  # fmt: skip
LANGUAGES = st.sampled_from(["en", "de", "fr", "pl", "", "ja"])


@settings(deadline=None, max_examples=150)
@given(TEXTS, TEXTS, LANGUAGES)
def test_any_two_texts_are_judged_with_spans_inside_them(old: str, new: str, lang: str) -> None:
    judged = classify_passage(old, new, lang)
    assert not judged.explanation or "the classifier failed" not in judged.explanation[0]
    assert score_of(judged.components) == judged.score
    assert len(judged.headline) <= 140
    for atom in judged.atoms:
        for part, text in ((atom.old, old.encode()), (atom.new, new.encode())):
            assert 0 <= part.start <= part.end <= len(text)
            text[part.start : part.end].decode()


@settings(deadline=None, max_examples=100)
@given(TEXTS, LANGUAGES)
def test_an_equal_text_is_silent(text: str, lang: str) -> None:
    assert classify_passage(text, text, lang).tier is Tier.SILENT


@settings(deadline=None, max_examples=100)
@given(WORDS, st.data())
def test_other_spaces_are_silent(words: list[str], data: st.DataObject) -> None:
    spaces = data.draw(st.lists(st.sampled_from([" ", "  ", "\u00a0", " \u200b"]), min_size=len(words), max_size=len(words)))  # fmt: skip
    old = " ".join(words)
    new = "".join(f"{word}{space}" for word, space in zip(words, spaces, strict=True))
    assert classify_passage(old, new, "en").tier is Tier.SILENT


@settings(deadline=None, max_examples=100)
@given(WORDS, st.integers(0, 29), st.sampled_from(["not", "must", "9", "zorb", "except"]))
def test_an_added_word_is_told(words: list[str], at: int, added: str) -> None:
    place = at % (len(words) + 1)
    new = [*words[:place], added, *words[place:]]
    for lang in ("en", "fi"):
        judged = classify_passage(" ".join(words), " ".join(new), lang)
        assert judged.tier.rank >= Tier.TICKET.rank, judged.explanation


@settings(deadline=None, max_examples=60)
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_documents_are_judged_like_passages(old: list[str], new: list[str]) -> None:
    before, after = "\n\n".join(old).encode(), "\n\n".join(new).encode()
    judged = classify(before, after, align(before, after), Context(language="en"))
    assert not judged.explanation or "the classifier failed" not in judged.explanation[0]
    assert score_of(judged.components) == judged.score


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_folding_maps_back_in_order_and_tokens_hold_their_text(text: str) -> None:
    folded = fold(text)
    places = [folded.to_source(k) for k in range(len(folded.text) + 1)]
    assert places == sorted(places)
    assert places[-1] <= len(text)
    view = make_view(text.encode(), 0)
    for token in view.tokens:
        start, end = view.span(token.start, token.end)
        assert re.search(r"\S", text.encode()[start:end].decode())
