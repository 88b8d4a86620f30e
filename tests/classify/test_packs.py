"""The packs are complete, clean, and none of their words can change in silence."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import pytest

from benchmarks.classify.mutations import SENTENCES
from watcher.classify import classify_passage
from watcher.classify.packs import LANGUAGES, Pack, detect, pack, pack_name
from watcher.classify.tokens import make_view
from watcher.classify.typed import type_tokens
from watcher.domain.changes import Tier

GUARDED = ("obligation", "recommendation", "permission", "prohibition", "negation")
"""Categories whose every entry is mutated: duties and negations."""


def _pack(code: str) -> Pack:
    found = pack(code)
    assert found is not None
    return found


def _places(words: str) -> Iterator[str]:
    """Yield the places in which a word of a policy may stand."""
    after = "quux" if words.endswith("'") else " quux"
    yield f"zorb {words}{after}"
    yield f"## Zorb {words}{after}"
    yield f"| zorb | {words}{after} |"


def _expect(before: str, after: str, code: str, told: list[str]) -> None:
    """Note in `told` a change that reaches nobody."""
    judged = classify_passage(before, after, code)
    if judged.tier.rank < Tier.TICKET.rank:
        told.append(f"{before!r} -> {after!r}: {judged.explanation}")


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_duty_and_no_negation_comes_goes_or_changes_in_silence(code: str) -> None:
    words = _pack(code)
    told: list[str] = []
    for group in GUARDED:
        other = "permission" if group != "permission" else "obligation"
        swap = words.file.operators[other][0]
        for entry in words.file.operators[group]:
            for with_it, without in zip(_places(entry), _places(""), strict=True):
                _expect(with_it, without, code, told)
            plain, swapped = next(_places(entry)), next(_places(swap))
            _expect(next(_places("")), plain, code, told)
            _expect(plain, swapped, code, told)
    assert not told


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_number_word_unit_or_month_changes_in_silence(code: str) -> None:
    words = _pack(code)
    file = words.file
    day = file.units["day"][-1]
    pairs: list[tuple[str, str]] = []
    for word, value in file.numbers.items():
        other = next(w for w, v in file.numbers.items() if v not in {value, 1})
        pairs.append((f"zorb {word} {day} quux", f"zorb {other} {day} quux"))
        pairs.append((f"zorb {word} {day} quux", f"zorb {day} quux"))
    for unit, entries in file.units.items():
        other_unit = file.units["hour" if unit != "hour" else "day"][-1]
        pairs += [(f"zorb 5 {entry} quux", f"zorb 5 {other_unit} quux") for entry in entries]
    names = file.months.names
    for number, entries in enumerate(names):
        other_month = names[(number + 1) % 12][0].title()
        pairs += [
            (f"zorb 5 {entry.title()} 2025 quux", f"zorb 5 {other_month} 2025 quux")
            for entry in entries
        ]
    for currency, entries in file.currencies.items():
        wrong = file.currencies["EUR" if currency != "EUR" else "GBP"][0]
        pairs += [(f"zorb 5 {entry} quux", f"zorb 5 {wrong} quux") for entry in entries]
    told = [pair for pair in pairs if classify_passage(*pair, code).tier.rank < Tier.TICKET.rank]
    assert not told


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_number_keeps_its_value_in_words_and_in_digits(code: str) -> None:
    file = _pack(code).file
    day = file.units["day"][-1]
    for word, value in file.numbers.items():
        if value > 1 and word not in file.number_rules.ambiguous:
            judged = classify_passage(f"zorb {word} {day} quux", f"zorb {value} {day} quux", code)
            assert judged.tier is Tier.DIGEST, (word, judged.explanation)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_short_path_reads_what_the_long_path_reads(code: str) -> None:
    words = _pack(code)
    slow = dataclasses.replace(words, singles={}, follow={})
    entries = [e for group in words.file.operators.values() for e in group]
    entries += [e for group in words.file.equivalent for e in group.words]
    text = " quux ".join([*entries, *words.file.numbers, *SENTENCES[code]])
    for part in (text, text.title(), text.replace(" quux ", " ")):
        tokens = make_view(part.encode(), 0).tokens
        assert type_tokens(tokens, words) == type_tokens(tokens, slow)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_pack_is_complete_and_names_its_sources(code: str) -> None:
    file = _pack(code).file
    assert file.code == code
    assert all(file.operators[group] for group in GUARDED)
    for group in ("quantifier", "condition", "exception", "time", "comparison", "inclusion"):
        assert len(file.operators[group]) >= 10, group
    assert {1, 2, 3, 10, 30, 100} <= set(file.numbers.values()) | {1}
    for unit in ("minute", "hour", "day", "week", "month", "year", "percent"):
        assert file.units[unit]
    assert file.stamps.phrases
    assert file.stamps.effective
    assert len(file.function_words) >= 30
    assert file.sources
    assert re.fullmatch(rf"{code}/[0-9a-f]{{16}}", pack_name(code))


@pytest.mark.parametrize("code", LANGUAGES)
def test_spelling_entries_change_one_word_into_one_other(code: str) -> None:
    spelling = _pack(code).file.spelling
    for old, new in (*spelling.pairs, *spelling.typos):
        assert old != new
        assert re.fullmatch(r"[\w'-]+", old), old
    olds = [old for old, _ in (*spelling.pairs, *spelling.typos)]
    assert not set(olds) & {new for _, new in spelling.pairs}, "a normal form has another one"
    assert len(set(olds)) == len(olds)


@pytest.mark.parametrize("code", LANGUAGES)
def test_equivalents_stay_within_one_strength(code: str) -> None:
    words = _pack(code)
    for group in words.file.equivalent:
        if group.rule == "deontic-synonym":
            strengths = {_strength(words, phrase) for phrase in group.words}
            assert len(strengths) == 1, (group.words, strengths)


def _strength(words: Pack, phrase: str) -> str:
    """Return what a phrase is by the operators in it: a ban, a duty, a permission."""
    bases = list(words.speller.phrase(phrase))
    hits = [words.operators.longest(bases, at) for at in range(len(bases))]
    found = {hit[1] for hit in hits if hit}
    if found & {"negation", "prohibition"}:
        return "ban"
    return next(
        (g for g in ("obligation", "permission", "recommendation") if g in found), "nothing"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The tenant shall return the keys to the office and pay for the repair of it.", "en"),
        ("Der Mieter gibt die Schlüssel in dem Büro ab und zahlt für die Reparatur.", "de"),
        ("Le locataire rend les clés dans le bureau et paie pour la réparation de la porte.", "fr"),
        (
            "El inquilino devuelve las llaves en la oficina y paga por la reparación de la puerta.",
            "es",
        ),
        ("Najemca zwraca klucze w biurze i nie płaci za naprawę, jeśli się na to zgodzi.", "pl"),
        ("Nájemce vrátí klíče v kanceláři a zaplatí opravu dveří.", ""),
        ("賃借人は鍵を返却します。", ""),
        ("", ""),
    ],
)
def test_detection_is_right_or_says_nothing(text: str, code: str) -> None:
    assert detect(text) == code


def test_unknown_languages_have_no_pack() -> None:
    assert pack("cs") is None
    assert pack("") is None
    assert pack_name("cs") == "none"
    assert pack("de-AT") is pack("DE")
