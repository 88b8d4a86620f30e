"""Changes made by a seeded generator in eight languages: the class is known."""

from __future__ import annotations

import pytest

from benchmarks.classify.mutations import SENTENCES, mutants
from watcher.classify import classify_passage, trim, window
from watcher.domain.changes import Tier


@pytest.mark.parametrize("seed", [11, 12])
def test_made_changes_are_told_and_made_noise_is_not(seed: int) -> None:
    missed, false = [], []
    languages = set()
    for mutant in mutants(seed, rounds=1):
        languages.add(mutant.lang)
        judged = classify_passage(mutant.before, mutant.after, mutant.lang)
        if mutant.policy_bearing and judged.tier.rank < Tier.TICKET.rank:
            missed.append((mutant, judged.explanation))
        if not mutant.policy_bearing and judged.tier is not Tier.SILENT:
            false.append((mutant, judged.explanation))
    assert languages == set(SENTENCES)
    assert not missed
    assert not false


def test_reading_only_the_differing_sentences_judges_like_reading_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every mutant, put in the middle of a long paragraph, read both ways."""
    pairs = []
    for mutant in mutants(17, rounds=1):
        around = SENTENCES[mutant.lang]
        head, tail = " ".join(around[:2]), " ".join(around[2:])
        pairs.append(
            (f"{head} {mutant.before} {tail}", f"{head} {mutant.after} {tail}", mutant.lang)
        )
    pairs = pairs[::3]
    short = [classify_passage(*pair) for pair in pairs]
    monkeypatch.setattr(window, "MIN_TOKENS", 10**9)
    monkeypatch.setattr(trim, "MIN_WORDS", 10**9)
    for pair, cut in zip(pairs, short, strict=True):
        whole = classify_passage(*pair)
        assert (cut.change_class, cut.tier, cut.score) == (
            whole.change_class,
            whole.tier,
            whole.score,
        ), pair
        assert cut.atoms == whole.atoms


def test_in_an_unknown_language_no_wording_is_proven() -> None:
    for mutant in mutants(13, rounds=1):
        if mutant.policy_bearing and mutant.lang != "en":
            judged = classify_passage(mutant.before, mutant.after, "fi")
            assert judged.tier.rank >= Tier.TICKET.rank, mutant
