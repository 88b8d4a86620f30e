"""Patterns that owners write are matched in bounded time, or refused by name."""

from __future__ import annotations

import pytest

from watcher.domain.patterns import own_pattern
from watcher.errors import ConfigError


@pytest.mark.parametrize(
    "bomb", [r"(a+)+$", r"(a|aa)+$", r"(.*a){20}$", r"^(([a-z])+.)+[A-Z]([a-z])+$"]
)
def test_a_pattern_that_would_backtrack_for_ever_answers(bomb: str) -> None:
    assert own_pattern(bomb, "bomb").search("a" * 50_000 + "!") is None or "{20}" in bomb


@pytest.mark.parametrize(
    "wrong", ["(", r"(?=a)b", r"(a)\1", "a{1001}", "(a{1000}){1000}", "x" * 501, "\ud800"]
)
def test_what_cannot_be_bounded_is_refused_with_its_name_and_the_fix(wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        own_pattern(wrong, "visits")
    assert "'visits'" in caught.value.message
    assert caught.value.hint


def test_places_are_characters_also_beyond_ascii() -> None:
    text = "Gebühr für Größe 5 € – Größe 7"
    found = list(own_pattern(r"Größe \d", "size").spans(text))
    assert [text[start:end] for start, end in found] == ["Größe 5", "Größe 7"]


def test_groups_are_what_they_caught() -> None:
    pattern = own_pattern(r"dpa-(\d+)(-final)?", "edition")
    assert pattern.groups == 2
    assert pattern.search("see dpa-12.pdf") == ("dpa-12", ("12", None))
