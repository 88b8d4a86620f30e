from __future__ import annotations

import pytest

from watcher.extract.assembly import Lines, Run, logical
from watcher.extract.content import Budget, Text, TooLongError, number, operations


def run(text: str, x: float, y: float = 700.0, width: float = 0.0, size: float = 10.0) -> Run:
    return Run(text, x, y, width or 5.0 * len(text), 0.0, size, 2.5)


def page(*runs: Run) -> str:
    lines = Lines()
    for one in runs:
        lines.add(one)
    return lines.text()


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (run("cd", 60.0), "abcd"),
        (run("cd", 61.0), "abcd"),
        (run("cd", 61.5), "ab cd"),
        (run(" cd", 70.0), "ab cd"),
        (run("\u00a0cd", 70.0), "ab\u00a0cd"),
        (run("cd", 60.0, 704.0, size=6.0), "abcd"),
        (run("cd", 60.0, 688.0), "ab\ncd"),
        (run("cd", 20.0), "ab\ncd"),
        (run("\u0301", 56.0, width=4.0), "ab\u0301"),
        (run("ab", 50.4), "ab"),
        (run("ab", 80.0), "ab ab"),
    ],
)
def test_what_stands_between_two_runs(second: Run, text: str) -> None:
    assert page(run("ab", 50.0), second) == text


def test_a_blank_that_is_painted_over_is_not_there() -> None:
    assert page(run("i", 50.0), run(" ", 55.0), run("nfo", 55.0)) == "info"


def test_turned_text_is_one_line_and_a_turn_ends_it() -> None:
    up = Run("up", 50.0, 100.0, 0.0, 10.0, 10.0, 2.5)
    more = Run("ward", 50.0, 110.0, 0.0, 20.0, 10.0, 2.5)
    assert page(up, more, run("flat", 50.0, 130.0)) == "upward\nflat"


@pytest.mark.parametrize(
    ("visual", "mostly", "reading"),
    [
        ("םולש", False, "שלום"),
        ("12.5 םולש", False, "שלום 12.5"),
        ("ימויה 30 םולש", False, "שלום 30 היומי"),
        ("OWASP ZAP םולש", True, "שלום OWASP ZAP"),
        ("see םולש page 3", False, "see שלום page 3"),
        ("plain", False, "plain"),
    ],
)
def test_right_to_left_lines_are_put_in_reading_order(
    visual: str, mostly: bool, reading: str
) -> None:
    assert logical(visual, right_to_left=mostly) == reading


def test_right_to_left_runs_are_ordered_by_their_places() -> None:
    drawn_from_the_right = page(run("םולש", 100.0), run("םלוע", 70.0))
    assert drawn_from_the_right == "שלום עולם"


def read(data: bytes, tokens: int = 1000) -> list[tuple[bytes, list[object]]]:
    return list(operations(data, Budget(tokens)))


def test_operands_of_every_kind() -> None:
    (operator, operands), *_ = read(b"/N#61me (a\\)\\n) <41 4> [1 (x) [2]] << /K (v) >> true Op")
    assert operator == b"Op"
    assert operands == [
        "/Name",
        Text(b"a)\n"),
        Text(b"A@"),
        [b"1", Text(b"x"), [b"2"]],
        {"/K": Text(b"v")},
        b"true",
    ]


@pytest.mark.parametrize(
    ("token", "value"),
    [(b"1", 1.0), (b"-.5", -0.5), (b"+3.", 3.0), (b"--5", -5.0), (b"1.2-3", 1.2), (b"-", 0.0)],
)
def test_numbers_as_viewers_read_them(token: bytes, value: float) -> None:
    assert number(token) == value


@pytest.mark.parametrize("data", [b"", b"(((", b"]]>>", b"[" * 500, b"<zz>", b"(a\\", b"BI ID x"])
def test_damage_ends_without_an_error(data: bytes) -> None:
    read(data)


def test_tokens_are_counted() -> None:
    with pytest.raises(TooLongError):
        read(b"q Q " * 10, tokens=10)
