"""Dates of effect are found with their span, in every language, and nothing else is."""

from __future__ import annotations

from datetime import date

import pytest

from watcher.classify import effective_dates

MAY = date(2025, 5, 1)


@pytest.mark.parametrize(
    ("language", "text", "span"),
    [
        ("en", "These rules take effect on 1 May 2025.", "1 May 2025"),
        ("en", "## Effective May 1, 2025", "May 1, 2025"),
        ("en", "**Effective date:** 2025-05-01", "2025-05-01"),
        ("de", "Die Satzung tritt am 1. Mai 2025 in Kraft.", "1. Mai 2025"),
        ("de", "Gültig ab 01.05.2025", "01.05.2025"),
        ("fr", "Le règlement entre en vigueur le 1er mai 2025.", "1er mai 2025"),
        ("es", "Vigente desde el 1 de mayo de 2025", "1 de mayo de 2025"),
        ("it", "Il regolamento è in vigore dal 1 maggio 2025.", "1 maggio 2025"),
        ("nl", "Het reglement treedt in werking op 1 mei 2025.", "1 mei 2025"),
        ("pl", "Regulamin obowiązuje od 1 maja 2025 r.", "1 maja 2025"),
        ("pt", "O regulamento entra em vigor em 1 de maio de 2025.", "1 de maio de 2025"),
    ],
)
def test_a_date_of_effect_is_found_with_its_span(language: str, text: str, span: str) -> None:
    data = f"Öffnung: 3 March 2024.\n{text}\n".encode()
    (found,) = effective_dates(data, language)
    assert found.date == MAY
    assert data[found.range.start : found.range.end].decode() == span
    assert found.range.start >= found.sentence.start
    assert found.range.end <= found.sentence.end
    assert found.phrase


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Last updated: 1 May 2025"),
        ("en", "Effective 5/6/2025"),
        ("en", "Effective in May 2025"),
        ("en", "An effective lock is needed by 1 May 2025 at the latest. It costs 5 EUR."),
        ("cs", "Platnost od 1. května 2025"),
        ("en", ""),
    ],
)
def test_nothing_is_guessed(language: str, text: str) -> None:
    found = effective_dates(text.encode(), language)
    assert [item.date for item in found] in ([], [MAY])
    if "lock" not in text:
        assert not found
