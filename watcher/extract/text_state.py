"""The text state of a content stream (ISO 32000-2, 9.3), its matrices and its marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from watcher.extract.assembly import Run
from watcher.extract.content import Operand, number
from watcher.extract.pypdf_font import FontReader

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class State:
    """The graphics state, as far as text depends on it.

    `white`: fills are white; `clear`: fills are transparent altogether;
    `tinted`: the fill's colour space has inks of its own, so no number says white.
    """

    ctm: Matrix = IDENTITY
    font: FontReader | None = None
    size: float = 1.0
    char_spacing: float = 0.0
    word_spacing: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0
    white: bool = False
    clear: bool = False
    tinted: bool = False


class Mark:
    """A marked-content sequence: hidden by a layer, or replaced by its ActualText."""

    __slots__ = ("hidden", "replacement", "run")

    def __init__(self) -> None:
        self.hidden = False
        self.replacement: str | None = None
        self.run: Run | None = None

    def cover(self, run: Run) -> None:
        """Take the place of `run` as well."""
        if self.run is None:
            self.run = replace(run)
        else:
            self.run.ax = run.x + run.ax - self.run.x
            self.run.ay = run.y + run.ay - self.run.y


def _set_mode(state: State, value: float) -> None:
    state.mode = int(value)


def _set_stretch(state: State, value: float) -> None:
    state.stretch = value / 100


def _set_char_spacing(state: State, value: float) -> None:
    state.char_spacing = value


def _set_word_spacing(state: State, value: float) -> None:
    state.word_spacing = value


def _set_leading(state: State, value: float) -> None:
    state.leading = value


def _set_rise(state: State, value: float) -> None:
    state.rise = value


SETTERS: dict[bytes, Callable[[State, float], None]] = {
    b"Tr": _set_mode,
    b"Tz": _set_stretch,
    b"Tc": _set_char_spacing,
    b"Tw": _set_word_spacing,
    b"TL": _set_leading,
    b"Ts": _set_rise,
}
"""The operators that set one number."""


def operand(operands: list[Operand], index: int) -> float:
    """Return the number at `index`, 0 where there is none."""
    return number(operands[index]) if index < len(operands) else 0.0


def matrix(operands: list[Operand]) -> Matrix:
    """Return the matrix that six operands give."""
    a, b, c, d, e, f = (number(operand) for operand in operands[:6])
    return a, b, c, d, e, f


def matrix_of(values: object) -> Matrix:
    """Return the matrix of an array, the identity where it is none."""
    try:
        a, b, c, d, e, f = (float(value) for value in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return IDENTITY
    return a, b, c, d, e, f


def product(m: Matrix, n: Matrix) -> Matrix:
    """Return `m` applied before `n`."""
    a, b, c, d, e, f = m
    p, q, r, s, t, u = n
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )


def text_string(data: bytes) -> str:
    """Decode a text string (ISO 32000-2, 7.9.2.2)."""
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    return data.decode("latin-1")
