"""The map of two texts: what every map must hold, and the traps that maps fall into."""

from __future__ import annotations

import importlib
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.align import RunKind, TextMap, align
from watcher.align.codec import MapDamagedError

WORDS = [
    "data",
    "we",
    "keep",
    "the",
    "of",
    "30",
    "7",
    "days",
    "not",
    "Müller",
    "您的",
    "。",
    "שלום",
    "é",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda w: " ".join(w) + "."
)
LINES = st.lists(SENTENCES | st.just(""), max_size=14)
TEXTS = LINES.map("\n".join) | st.text(max_size=80) | LINES.map("\f".join)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A text and another that was made of it: lines dropped, moved, doubled, changed."""
    lines = draw(LINES)
    order = draw(st.permutations(range(len(lines)))) if draw(st.booleans()) else range(len(lines))
    changed = []
    for index in order:
        what = draw(st.sampled_from(["keep", "keep", "keep", "drop", "double", "edit"]))
        if what == "keep":
            changed.append(lines[index])
        elif what == "double":
            changed += [lines[index]] * 2
        elif what == "edit":
            changed.append(lines[index].replace("the", "a") + draw(SENTENCES))
    return "\n".join(lines).encode(), "\n".join(changed).encode()


def check(old: bytes, new: bytes, made: TextMap) -> None:
    runs = made.runs
    assert all(r.old.length > 0 and r.new.length > 0 for r in runs)
    assert all(a.old.end <= b.old.start for a, b in pairwise(runs))
    by_new = sorted(runs, key=lambda r: r.new)
    assert all(a.new.end <= b.new.start for a, b in pairwise(by_new))
    in_order = [r for r in runs if r.kind in {RunKind.KEPT, RunKind.EDITED}]
    assert all(a.new.end <= b.new.start for a, b in pairwise(in_order))
    for run in runs:
        same = old[run.old.start : run.old.end] == new[run.new.start : run.new.end]
        assert same == (run.kind in {RunKind.KEPT, RunKind.MOVED})
    assert sum(r.old.length for r in runs) + sum(r.length for r in made.removed()) == len(old)
    assert sum(r.new.length for r in runs) + sum(r.length for r in made.inserted()) == len(new)


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_every_map_is_sound(pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    made = align(old, new)
    check(old, new, made)
    assert align(old, new) == made
    assert TextMap.from_bytes(made.to_bytes()) == made


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS)
def test_unrelated_texts(old: str, new: str) -> None:
    check(old.encode(), new.encode(), align(old.encode(), new.encode()))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_bytes_that_are_no_text(old: bytes, new: bytes) -> None:
    check(old, new, align(old, new))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_no_run_cuts_a_character(old: str, new: str) -> None:
    for run in align(old.encode(), new.encode()).runs:
        old.encode()[: run.old.start].decode()
        old.encode()[: run.old.end].decode()
        new.encode()[: run.new.start].decode()
        new.encode()[: run.new.end].decode()


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_a_text_and_itself_are_one_run(text: str) -> None:
    data = text.encode()
    runs = align(data, data).runs
    assert [(r.kind, r.old, r.new) for r in runs] == (
        [(RunKind.KEPT, (0, len(data)), (0, len(data)))] if data else []
    )


def test_the_stored_form_is_small_and_damage_is_told() -> None:
    lines = [f"{i}. Clause number {i} says that party {i % 7} pays." for i in range(2000)]
    old = "\n".join(lines).encode()
    new = "\n".join(
        line.replace("pays", "owes") if i % 10 == 0 else line for i, line in enumerate(lines)
    )
    stored = align(old, new.encode()).to_bytes()
    assert len(stored) < 4000
    for broken in (b"", b"no map", stored[:-1], stored[:20]):
        with pytest.raises(MapDamagedError):
            TextMap.from_bytes(broken)


def place(old: str, new: str, quote: str) -> list[str]:
    """Return what stands now where `quote` stood, for each run that it touches."""
    start = old.encode().index(quote.encode())
    end = start + len(quote.encode())
    data = new.encode()
    return [
        data[r.new.start : r.new.end].decode()
        for r in align(old.encode(), data).runs
        if r.old.start < end and start < r.old.end
    ]


def test_renumbered_parts_do_not_slide_into_each_other() -> None:
    clauses = ["The seller delivers.", "The buyer pays.", "Notices are in writing."]
    old = [f"{p}.{i} {c}" for p in (1, 2) for i, c in enumerate(clauses, 1)]
    new = [
        "1.1 Definitions are below.",
        *(f"{p}.{i} {c}" for p in (2, 3) for i, c in enumerate(clauses, 1)),
    ]
    made = align("\n".join(old).encode(), "\n".join(new).encode())
    first = "\n".join(new).encode().index(b"2.1 The seller")
    kept = [r for r in made.runs if r.kind is RunKind.KEPT and r.old.start < 25]
    assert all(r.new.start - r.old.start == first for r in kept)


def test_the_near_duplicate_stays_whole_when_the_clause_before_it_goes() -> None:
    clause = "We keep records of every request for thirty days after it was answered."
    near = clause.replace("thirty", "ninety")
    old = f"Records.\n\n{clause} {near} Other text follows here.\n"
    new = f"Records.\n\n{near} Other text follows here.\n"
    made = align(old.encode(), new.encode())
    start = old.index(near)
    assert all(r.old.end <= len("Records.\n\n") or r.old.start >= start for r in made.runs)


def test_rows_sorted_anew_keep_their_bytes() -> None:
    rows = [f"| 2.4.{i} | [DELETED, MERGED TO {i}.6.2] | |" for i in range(1, 9)]
    shuffled = [rows[i] for i in (3, 0, 7, 1, 5, 2, 6, 4)]
    for row in rows:
        assert row in "".join(place("\n".join(rows), "\n".join(shuffled), row))


def test_a_sentence_that_moved_and_was_edited_is_found() -> None:
    moved = "The provider notifies every affected customer within seventy two hours of the breach."
    edited = moved.replace("seventy two", "forty eight")
    filler = [f"Paragraph {i} speaks about matter {i * 7} at length." for i in range(12)]
    old = "\n\n".join([moved, *filler])
    new = "\n\n".join([*filler, edited])
    kinds = {r.kind for r in align(old.encode(), new.encode()).runs if r.old.end <= len(moved)}
    assert kinds <= {RunKind.MOVED, RunKind.MOVED_EDITED}
    assert RunKind.MOVED in kinds


def test_beyond_the_bound_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("watcher.align.align")
    monkeypatch.setattr(module, "_WORK", 0)
    monkeypatch.setattr(module, "_WORK_PER_BYTE", 0)
    old, new = "one two three four five six seven", "seven one six two five three zero"
    assert not align(old.encode(), new.encode()).complete
