"""The judgement of whole documents: moves, headings, bounds, rules of the owner, score."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date

import pytest

from watcher.align import align
from watcher.classify import (
    Context,
    Heading,
    IgnorePattern,
    Thresholds,
    UserRules,
    check_user_rules,
    classify,
    classify_passage,
    score_of,
)
from watcher.domain.changes import ChangeClass, Classification, HunkKind, Tier
from watcher.domain.ranges import Range
from watcher.errors import ConfigError

DOCUMENT = """# House rules

Welcome to the harbor house. We wrote these rules for everybody.

## Keys

The tenant must return the keys within 14 days of the end of the lease.
Lost keys cost 25 EUR each.

## Noise

Music is allowed until 10 pm on working days. The warden may grant exceptions.

## Data

- Names are kept for 30 days.
- Photos are never published.
- Addresses are shared with the insurer.

You may not:

- open the roof hatch
- lend the boat

Last updated: 3 May 2024
"""


def judge(new: str, old: str = DOCUMENT, context: Context | None = None) -> Classification:
    before, after = old.encode(), new.encode()
    return classify(before, after, align(before, after), context or Context(language="en"))


def test_an_equal_text_is_cosmetic_with_no_hunk() -> None:
    judged = judge(DOCUMENT)
    assert judged.change_class is ChangeClass.COSMETIC
    assert judged.tier is Tier.SILENT
    assert judged.score == 0
    assert not judged.hunks


def test_a_number_in_a_document_pages_with_its_values_in_the_headline() -> None:
    judged = judge(DOCUMENT.replace("within 14 days", "within 30 days"))
    assert judged.tier is Tier.PAGE
    assert judged.facets == ("duration",)
    assert judged.headline == "Keys: the period rises from 14 to 30 days"
    (atom,) = judged.atoms
    assert DOCUMENT.encode()[atom.old.start : atom.old.end] == b"14 days"
    assert atom.rule == "unproven"


def test_stamps_wraps_and_spelling_are_silent() -> None:
    new = DOCUMENT.replace("3 May 2024", "9 June 2025").replace("days of the", "days\nof the")
    judged = judge(new)
    assert judged.tier is Tier.SILENT
    assert {atom.rule for atom in judged.atoms} <= {"stamp-date", "same-tokens"}


def test_the_heaviest_hunk_decides_and_each_hunk_keeps_its_own_class() -> None:
    new = DOCUMENT.replace("3 May 2024", "9 June 2025").replace("may grant", "must grant")
    judged = judge(new)
    assert judged.change_class is ChangeClass.POLICY_BEARING
    assert {hunk.change_class for hunk in judged.hunks} == {
        ChangeClass.COSMETIC,
        ChangeClass.POLICY_BEARING,
    }


def test_a_clause_that_moves_under_its_heading_is_editorial() -> None:
    paragraphs = DOCUMENT.replace(
        "Welcome to the harbor house. We wrote these rules for everybody.\n\n",
        "Welcome to the harbor house. We wrote these rules for everybody.\n\n"
        "The office of the warden opens every working day before noon.\n\n"
        "Guests find a map of the whole house beside the front door.\n\n",
    )
    moved = paragraphs.replace(
        "The office of the warden opens every working day before noon.\n\n", ""
    ).replace(
        "beside the front door.\n\n",
        "beside the front door.\n\nThe office of the warden opens every working day before noon.\n\n",
    )
    judged = judge(moved, paragraphs)
    assert judged.tier is Tier.DIGEST, judged.explanation
    assert HunkKind.MOVED in {hunk.kind for hunk in judged.hunks}
    assert {atom.rule for atom in judged.atoms} == {"moved"}


def test_a_clause_that_moves_under_another_heading_says_so() -> None:
    line = "Music is allowed until 10 pm on working days. The warden may grant exceptions.\n"
    new = DOCUMENT.replace(line, "").replace("## Data\n\n", f"## Data\n\n{line}")
    judged = judge(new)
    assert judged.change_class is ChangeClass.POLICY_BEARING
    assert any("heading" in why for why in judged.explanation), judged.explanation


def test_an_item_that_moves_from_a_permission_to_a_ban_is_told() -> None:
    old = "You may:\n\n- open the roof hatch at night\n- lend the boat to friends\n\nYou may not:\n\n- feed the birds in winter\n"
    new = "You may:\n\n- lend the boat to friends\n\nYou may not:\n\n- feed the birds in winter\n- open the roof hatch at night\n"
    assert judge(new, old).tier.rank >= Tier.TICKET.rank


def test_words_that_swap_places_inside_a_line_are_told() -> None:
    old = "The first tenant pays the second tenant for the damage to the boat house.\n"
    new = "The second tenant pays the first tenant for the damage to the boat house.\n"
    assert judge(new, old).tier.rank >= Tier.TICKET.rank


def test_headings_that_the_text_does_not_show_are_taken_from_the_context() -> None:
    old = "Delivery\nWe deliver on foot.\n"
    new = "Shipping\nWe deliver on foot.\n"
    assert judge(new, old).change_class is ChangeClass.POLICY_BEARING
    headings = (Heading(Range(0, 8), 1, "Delivery"),)
    context = Context(language="en", old_headings=headings, new_headings=headings)
    assert judge(new, old, context).tier is Tier.DIGEST


def test_a_line_added_to_the_revision_history_is_editorial_but_not_its_alteration() -> None:
    old = "# Rules\n\nBe kind.\n\n## Revision history\n\n| 1.0 | First rules for guests | 2024 |\n"
    added = old + "| 1.1 | Kitchen must be locked | 2025 |\n"
    assert judge(added, old).tier is Tier.DIGEST
    assert judge(old.replace("First", "Last"), old).tier.rank >= Tier.TICKET.rank
    in_force = old + "| 1.1 | Kitchen rule, effective 1 May 2025 | 2025 |\n"
    assert judge(in_force, old).tier.rank >= Tier.TICKET.rank


def test_an_unknown_language_is_detected_or_gets_the_language_free_rules() -> None:
    assert judge(DOCUMENT.replace("3 May", "4 May"), context=Context()).tier is Tier.SILENT
    czech = "Nájemce vrátí klíče. Poslední změna: 3. května 2024\n"
    judged = judge(czech.replace("3.", "4."), czech, Context())
    assert judged.tier.rank >= Tier.TICKET.rank
    assert judged.pack == "none"


def test_an_incomplete_map_fails_closed() -> None:
    old, new = DOCUMENT.encode(), DOCUMENT.replace("14", "30").encode()
    whole = align(old, new)
    half = type(whole).of(len(old), len(new), [], "align/1", complete=False)
    judged = classify(old, new, half, Context(language="en"))
    assert (judged.tier, judged.atoms[0].rule) == (Tier.TICKET, "unproven")


def test_bytes_that_are_no_text_fail_closed() -> None:
    old, new = b"caf\xff one", b"caf\xfe two"
    judged = classify(old, new, align(old, new), Context(language="en"))
    assert (judged.tier, judged.atoms[0].rule) == (Tier.TICKET, "unproven")


def test_a_huge_line_is_bounded_and_becomes_a_ticket() -> None:
    words = " ".join(f"word{number}" for number in range(60_000))
    judged = classify_passage(words, words.replace("word7 ", "word8 "), "en")
    assert judged.tier is Tier.TICKET
    assert "larger" in judged.explanation[0]


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 9_000,
        "*a " * 9_000,
        "a." * 9_000,
        "<a " * 9_000,
        "<!--" * 5_000,
        "|" + "-" * 60_000 + "x",
        "](" * 9_000,
        "a@" * 9_000,
        "1.1." * 9_000,
        "(a) " * 6_000,
        "&#1;" * 5_000,
        "\u0301" * 9_000,
        "\n" * 20_000,
        "\u202e" * 5_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_hostile_text_ends_in_time_and_is_never_silent(hostile: str) -> None:
    judged = classify_passage(f"You may pay 5. {hostile}", f"You may pay 6. {hostile}", "en")
    assert judged.tier.rank >= Tier.TICKET.rank


def test_the_components_reproduce_the_score_exactly() -> None:
    for old, new in (
        ("within 14 days", "within 30 days"),
        ("may grant", "must not grant"),
        ("Photos are never published.\n- ", ""),
        ("allowed", "permitted"),
        ("3 May", "4 May"),
        ("We wrote", "They wrote"),
    ):
        judged = judge(DOCUMENT.replace(old, new))
        assert score_of(judged.components) == judged.score
        assert score_of(reversed(judged.components)) == judged.score
        assert 0 <= judged.score < 1


def test_headlines_are_short_for_any_length_of_text() -> None:
    long = "very " * 400
    judged = classify_passage(f"Pay {long}5 EUR", f"Pay {long}6 EUR", "en")
    assert 0 < len(judged.headline) <= 140
    judged = classify_passage("", f"You must {long}pay.", "en")
    assert 0 < len(judged.headline) <= 140


def test_every_unproven_atom_says_which_rules_were_tried() -> None:
    judged = judge(DOCUMENT.replace("10 pm", "11 pm").replace("allowed", "banned"))
    unproven = [atom for atom in judged.atoms if atom.rule == "unproven"]
    assert unproven
    assert all("tried" in atom.why for atom in unproven)
    assert judged.pack.startswith("en/")


def test_thresholds_of_the_owner_move_the_page_tier() -> None:
    new = DOCUMENT.replace("the insurer", "the printer")
    assert judge(new).tier is Tier.TICKET
    low = Context(language="en", thresholds=Thresholds(page=0.1))
    assert judge(new, context=low).tier is Tier.PAGE


def test_always_page_terms_raise_and_defined_terms_unprove() -> None:
    new = DOCUMENT.replace("the insurer", "the printer")
    context = Context(language="en", rules=UserRules(always_page=("Addresses",)))
    assert judge(new, context=context).tier is Tier.PAGE
    rephrased = DOCUMENT.replace("We wrote these rules", "We wrote these rules also")
    synonym = rephrased.replace("also", "additionally")
    assert judge(synonym, rephrased).tier is Tier.DIGEST
    defined = Context(language="en", rules=UserRules(defined_terms=("additionally",)))
    assert judge(synonym, rephrased, defined).tier.rank >= Tier.TICKET.rank


def _ignoring(pattern: str, **more: object) -> Context:
    rule = IgnorePattern("noise", pattern, **more)  # type: ignore[arg-type]
    return Context(language="en", rules=UserRules(ignore=(rule,), on=date(2025, 5, 1)))


def test_an_ignore_pattern_counts_what_it_silences_and_expires() -> None:
    new = DOCUMENT.replace("harbor house", "seaside house")
    silenced = judge(new, context=_ignoring(r"(?:harbor|seaside) house"))
    assert silenced.tier is Tier.SILENT
    assert silenced.atoms[0].rule == "ignored:noise"
    expired = _ignoring(r"(?:harbor|seaside) house", expires=date(2025, 4, 30))
    assert judge(new, context=expired).tier.rank >= Tier.TICKET.rank


def test_an_ignore_pattern_lowers_no_quantity_unless_told_to() -> None:
    new = DOCUMENT.replace("25 EUR", "35 EUR")
    assert judge(new, context=_ignoring(r"\d\d EUR")).tier is Tier.PAGE
    allowed = _ignoring(r"\d\d EUR", allow_lowering=True)
    assert judge(new, context=allowed).tier is Tier.SILENT


def test_an_ignore_pattern_must_cover_the_whole_difference() -> None:
    new = DOCUMENT.replace("harbor house", "seaside hut")
    assert judge(new, context=_ignoring("harbor|seaside")).tier.rank >= Tier.TICKET.rank


@pytest.mark.parametrize("pattern", ["(", "x*", "a" * 501])
def test_a_pattern_that_cannot_work_is_refused_with_its_name(pattern: str) -> None:
    with pytest.raises(ConfigError, match="noise"):
        check_user_rules(UserRules(ignore=(IgnorePattern("noise", pattern),)))


_PROGRAM = """
import sys
from watcher.classify import classify_passage
old = "Members may vote by post or in person; 14 days, 5 %, see section 4, Inc. and Ltd."
new = "Members must vote in person and online; 30 days, 6 %, see section 5, Ltd. and Inc."
for lang in ("en", "de", "", "ja"):
    sys.stdout.write(repr(classify_passage(old, new, lang)) + chr(10))
"""


def test_the_same_input_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    outputs = set()
    for seed in ("0", "1", "42"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LANG": "C", "TZ": "Asia/Tokyo"}
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            capture_output=True, check=True, env=environment,
        )  # fmt: skip
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop()
