"""Statements: what each status says, what it carries, and what it never does."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.reanchor.generate import cases
from watcher.align import align
from watcher.domain.changes import Atom, ChangeClass
from watcher.domain.ranges import Range
from watcher.domain.statements import How, Statement, Status
from watcher.reanchor import compare_hops, reanchor, reanchor_by_ink

TOPICS = [
    "Retention",
    "Deletion",
    "Transfers",
    "Security",
    "Requests",
    "Cookies",
    "Children",
    "Notices",
]


def policy(seed: int = 1) -> str:
    """A policy of our own: headings, lists and sentences that differ."""
    rng = random.Random(seed)
    verbs = [
        "keeps",
        "deletes",
        "transfers",
        "encrypts",
        "reviews",
        "discloses",
        "archives",
        "logs",
    ]
    things = ["account records", "support messages", "payment details", "device identifiers",
              "backup copies", "audit trails", "usage statistics", "marketing consents"]  # fmt: skip
    parts = []
    for number, topic in enumerate(TOPICS, 1):
        lines = [f"## {number}. {topic}"]
        lines += [
            f"The company {rng.choice(verbs)} {rng.choice(things)} of each customer for "
            f"{rng.randint(2, 90)} days. It then {rng.choice(verbs)} {rng.choice(things)} "
            f"unless section {rng.randint(1, 9)} requires {rng.choice(things)} to stay."
            for _ in range(4)
        ]
        lines.append(
            f"- {rng.choice(things)}, {rng.choice(things)}; see part {rng.randint(2, 99)}."
        )
        parts.append("\n\n".join(lines))
    return "\n\n".join(parts) + "\n"


def state(old: str, new: str, quote: str, atoms: list[Atom] | None = None) -> Statement:
    a, b = old.encode(), new.encode()
    start = a.index(quote.encode())
    passage = Range(start, start + len(quote.encode()))
    (statement,) = reanchor(a, b, align(a, b), [passage], atoms)
    return statement


def shown(new: str, statement: Statement) -> list[str]:
    data = new.encode()
    return [data[r.start : r.end].decode() for r in statement.ranges]


OLD = policy()
QUOTE = next(line for line in OLD.split("\n") if line.startswith("The company"))


def test_unchanged_and_shifted() -> None:
    same = state(OLD, OLD + "More.\n", QUOTE)
    assert (same.status, same.how, same.context_changed) == (Status.UNCHANGED, None, False)
    assert same.carries
    new = "A line before everything else.\n\n" + OLD
    shifted = state(OLD, new, QUOTE)
    assert (shifted.status, shifted.how) == (Status.MOVED, How.SHIFTED)
    assert shown(new, shifted) == [QUOTE]
    assert shifted.carries


def test_relocated() -> None:
    new = OLD.replace(QUOTE + "\n\n", "") + "\n" + QUOTE + "\n"
    moved = state(OLD, new, QUOTE)
    assert (moved.status, moved.how) == (Status.MOVED, How.RELOCATED)
    assert shown(new, moved) == [QUOTE]
    assert moved.context_changed
    assert not moved.carries


def test_edited_is_material_unless_the_atoms_prove_it_harmless() -> None:
    changed = QUOTE.replace("company", "Company")
    new = OLD.replace(QUOTE, changed)
    edited = state(OLD, new, QUOTE)
    assert (edited.status, edited.material) == (Status.EDITED, True)
    assert shown(new, edited) == [changed]
    assert edited.edits
    old_at, new_at = (
        OLD.encode().index(QUOTE.encode()) + 4,
        new.encode().index(changed.encode()) + 4,
    )
    atom = Atom(Range(old_at, old_at + 7), Range(new_at, new_at + 7), ChangeClass.COSMETIC, "case")
    assert state(OLD, new, QUOTE, [atom]).material is False
    assert state(OLD, new, QUOTE, []).material is True
    half = Atom(Range(old_at, old_at + 2), Range(new_at, new_at + 2), ChangeClass.COSMETIC, "case")
    assert state(OLD, new, QUOTE, [half]).material is True
    bears = Atom(
        Range(old_at, old_at + 7), Range(new_at, new_at + 7), ChangeClass.POLICY_BEARING, "unproven"
    )
    assert state(OLD, new, QUOTE, [atom, bears]).material is True


def test_an_exception_that_arrives_after_a_quote_is_told() -> None:
    first = QUOTE.split(". ")[0] + "."
    new = OLD.replace(first, first + " Paying customers are excepted.")
    statement = state(OLD, new, first)
    assert statement.context_changed
    glued = OLD.replace(first, first[:-1] + " unless the customer objects.")
    edited = state(OLD, glued, first)
    assert (edited.status, edited.material) == (Status.EDITED, True)


def test_gone_stays_gone_beside_a_near_duplicate() -> None:
    near = QUOTE.replace("customer", "supplier")
    old = OLD.replace(QUOTE, QUOTE + "\n\n" + near)
    gone = state(old, old.replace(QUOTE + "\n\n", ""), QUOTE)
    assert gone.status is Status.GONE
    assert gone.ranges == ()
    stays = state(old, old.replace(QUOTE + "\n\n", ""), near)
    assert stays.status is Status.MOVED


def test_beside_a_copy_within_a_sentence_no_place_is_picked() -> None:
    old = "The fee is set by the chamber of the court and paid at once.\n"
    new = "The fee is set by the chamber of the court or chamber of the court and paid at once.\n"
    statement = state(old, new, "chamber of the")
    assert (statement.status, statement.ranges) == (Status.AMBIGUOUS, ())
    places = [new[r.start : r.end] for r in statement.candidates]
    assert places == ["chamber of the"] * 2


def test_another_text_holds_nothing() -> None:
    other = "\n\n".join(f"Recipe {i}: boil {i} eggs, then wait {i * 3} minutes." for i in range(40))
    assert state(OLD, other, QUOTE).status is Status.GONE
    assert state(OLD, "", QUOTE).status is Status.GONE


def test_pages_cut_a_place_into_ranges_without_a_page_break() -> None:
    words = QUOTE.split(" ")
    new = OLD.replace(QUOTE, " ".join(words[:8]) + "\n\f" + " ".join(words[8:]))
    statement = state(OLD, new, QUOTE)
    assert shown(new, statement) == [" ".join(words[:8]), " ".join(words[8:])]


def test_headings_are_context() -> None:
    new = "Added above.\n\n" + OLD
    a, b = OLD.encode(), new.encode()
    start = a.index(QUOTE.encode())
    passage = [Range(start, start + len(QUOTE))]
    same = reanchor(a, b, align(a, b), passage, headings=(lambda _: ("A",), lambda _: ("A",)))
    other = reanchor(a, b, align(a, b), passage, headings=(lambda _: ("A",), lambda _: ("B",)))
    assert (same[0].context_changed, other[0].context_changed) == (False, True)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_truth_by_construction(seed: int, rng: random.Random) -> None:
    for case in cases(policy(seed % 7), seed):
        made = align(case.old, case.new)
        passage = Range(case.start, case.end)
        others = [Range(s, s + 20) for s in sorted(rng.sample(range(len(case.old) - 20), 3))]
        statement = reanchor(case.old, case.new, made, [passage])[0]
        mixed = reanchor(case.old, case.new, made, [*others, passage])
        assert mixed[-1] == statement
        before = case.old[case.start : case.end]
        for place in statement.ranges:
            case.new[place.start : place.end].decode()
            if statement.status in {Status.UNCHANGED, Status.MOVED}:
                assert case.new[place.start : place.end] == before
        if statement.status in {Status.GONE, Status.AMBIGUOUS, Status.NOT_COMPUTED}:
            assert statement.ranges == ()
        if case.kind in {"untouched", "dup-shift", "parts", "renumber"} and case.expected:
            low, high = statement.ranges[0].start, statement.ranges[-1].end
            assert low < case.expected[1], case.kind
            assert case.expected[0] < high, case.kind
        # How rarely a replaced passage is anchored all the same is a rate, which
        # `make bench-reanchor` holds. That none such carries holds by construction.
        if case.kind == "replaced":
            assert not statement.carries
            alike = max(statement.similarity, statement.coverage)
            assert alike >= 0.5 or statement.ranges == () or statement.status is Status.SPLIT


def test_the_ink_crosses_renditions_exactly() -> None:
    old = "The ofﬁce keeps  records\nfor thirty days.\n\fPage two is here.\n".encode()
    new = b"The office keeps records for thirty days. Page two is here."
    quote = "ofﬁce keeps  records\nfor".encode()
    start = old.index(quote)
    (statement,) = reanchor_by_ink(old, new, [Range(start, start + len(quote))])
    (place,) = statement.ranges
    assert new[place.start : place.end] == b"office keeps records for"
    assert (statement.status, statement.material, statement.method) == (Status.EDITED, False, "ink")
    (other,) = reanchor_by_ink(old, new.replace(b"thirty", b"ninety"), [Range(0, 45)])
    assert other.material is True


@pytest.mark.parametrize("absent", [True, False])
def test_hops(absent: bool) -> None:
    direct = Statement(Status.MOVED, (Range(10, 20),))
    if absent:
        assert compare_hops(direct, None).absent_between
    else:
        apart = compare_hops(direct, Statement(Status.MOVED, (Range(30, 40),)))
        assert apart.status is Status.AMBIGUOUS
        assert (apart.ranges, apart.candidates) == ((), (Range(10, 20), Range(30, 40)))
