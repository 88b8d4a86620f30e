"""What two paragraphs share at both ends is left unread only where that is sure to change nothing."""

from __future__ import annotations

import pytest

from watcher.classify import classify_passage, trim
from watcher.classify.trim import shared_ends
from watcher.domain.changes import Tier

HEAD = "The tenant returns every key to the office at the end of the lease. "
TAIL = (
    " The office keeps a record of each key that it was given and of each key that it got back."
    " Visitors ask the warden at the gate before they enter any part of the building."
)
OLD, NEW = f"{HEAD}Keys may be kept for a week.{TAIL}", f"{HEAD}Keys must be kept for a week.{TAIL}"


def test_equal_sentences_at_both_ends_are_left_out() -> None:
    head, tail = shared_ends(OLD.encode(), NEW.encode())
    assert OLD.encode()[head:].startswith(b"Keys may")
    # One word of the sentence that follows stays.
    assert OLD.encode()[: len(OLD) - tail].endswith(b"week. The")
    assert NEW.encode()[: len(NEW) - tail].endswith(b"week. The")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Keys may be kept.", "Keys must be kept."),
        (f"# {OLD}", f"# {NEW}"),
        (f"- {OLD}", f"- {NEW}"),
        (f"{OLD}\nNote", f"{NEW}\nNote"),
        (f"{OLD} See [the list](/list).", f"{NEW} See [the list](/list)."),
        (f"{OLD} *Keep it.*", f"{NEW} *Keep it.*"),
        (f"{OLD}\u2028Note", f"{NEW}\u2028Note"),
    ],
)
def test_short_text_markup_and_lines_are_read_whole(old: str, new: str) -> None:
    assert shared_ends(old.encode(), new.encode()) == (0, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        (NEW, OLD),
        (OLD, OLD.replace(" Visitors ask the warden", " Visitors pay the warden")),
        (OLD, OLD.removeprefix(HEAD)),
        (OLD, OLD + " Visitors pay a fee."),
        (OLD, HEAD + OLD),
        (OLD.replace("week", "Woche für Gäste"), NEW.replace("week", "Woche für Gäste")),
        (OLD.replace("week", "year (Art. 5)"), OLD.replace("week", "year (Art. 6)")),
    ],
)
def test_the_judgement_is_that_of_the_whole_text(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = classify_passage(old, new, "en")
    assert cut.tier.rank >= Tier.TICKET.rank
    monkeypatch.setattr(trim, "MIN_WORDS", 10**9)
    assert cut == classify_passage(old, new, "en")
