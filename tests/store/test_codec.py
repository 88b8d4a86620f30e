"""What is packed comes out as it went in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.align.model import TextMap
from watcher.domain.ranges import Range
from watcher.domain.statements import How, Statement, Status, TextEdit
from watcher.store.codec import (
    map_of,
    map_values,
    pack_ranges,
    statement_of,
    statement_values,
    unpack_ranges,
)

OFFSETS = st.integers(0, 2**40)
RANGES = st.builds(Range, OFFSETS, OFFSETS)
TUPLES = st.lists(RANGES, max_size=5).map(tuple)
SHARES = st.floats(0, 1)
STATEMENTS = st.builds(
    Statement,
    status=st.sampled_from(Status),
    ranges=TUPLES,
    candidates=TUPLES,
    how=st.none() | st.sampled_from(How),
    material=st.none() | st.booleans(),
    context_changed=st.booleans(),
    similarity=SHARES,
    coverage=SHARES,
    margin=SHARES,
    runner_up=st.none() | RANGES,
    method=st.text(max_size=5),
    edits=st.lists(st.builds(TextEdit, RANGES, RANGES), max_size=3).map(tuple),
    absent_between=st.booleans(),
    algorithm=st.just("reanchor/1"),
)
MAPS = st.builds(
    TextMap.of,
    OFFSETS,
    OFFSETS,
    st.lists(st.tuples(OFFSETS, OFFSETS, OFFSETS, OFFSETS, st.integers(0, 3)), max_size=20),
    st.just("align/1"),
    complete=st.booleans(),
)


@settings(deadline=None)
@given(ranges=TUPLES)
def test_ranges(ranges: tuple[Range, ...]) -> None:
    assert unpack_ranges(pack_ranges(ranges)) == ranges


@settings(deadline=None)
@given(statement=STATEMENTS)
def test_statements(statement: Statement) -> None:
    assert statement_of(statement_values(statement)) == statement  # type: ignore[arg-type]


@settings(deadline=None)
@given(text_map=MAPS)
def test_maps(text_map: TextMap) -> None:
    assert map_of(map_values(text_map)) == text_map  # type: ignore[arg-type]


def test_a_statement_of_one_range_is_a_few_bytes() -> None:
    assert len(pack_ranges([Range(120_000, 120_080)])) <= 5
    assert pack_ranges([]) == b""
