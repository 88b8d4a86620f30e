"""PDF content streams to operators and operands (ISO 32000-2, 7.2 and 7.8.2).

Only what text needs is decoded; numbers stay bytes until somebody asks, since
most of them belong to drawings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    rb"""[\x00\t\n\f\r\ ]+                                  # white space
    |%[^\r\n]*                                              # comment
    |([^\x00\t\n\f\r\ ()<>\[\]{}/%]+)                       # 1: number or operator
    |/([^\x00\t\n\f\r\ ()<>\[\]{}/%]*)                      # 2: name
    |\(((?:[^()\\]|\\.)*)\)                                 # 3: string without inner brackets
    |<([0-9A-Fa-f\x00\t\n\f\r\ ]*)>                         # 4: hexadecimal string
    |(\[|\]|<<|>>|\(|.)                                     # 5: anything else
    """,
    re.DOTALL | re.VERBOSE,
)
_NUMBER_STARTS = frozenset(b"0123456789+-.")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|\r\n|.)|\r\n?", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_NAME_HEX = re.compile(rb"#([0-9A-Fa-f]{2})")
_IMAGE_END = re.compile(rb"[\x00\t\n\f\r ]EI(?=[\x00\t\n\f\r ]|\Z)")
_TEXT_LIKE = re.compile(rb"[\x00\t\n\f\r -~]*")
_WORD, _PUNCTUATION = 1, 5
_CONSTANTS = frozenset([b"true", b"false", b"null"])
_DEEPEST = 50
_LONGEST_NUMBER = 40


class Text(bytes):
    """The bytes of a string operand."""


Operand = object
"""bytes (a number, unread), Text, str (a name, with its slash), list or dict."""


class TooLongError(Exception):
    """The stream has more tokens than are read."""


class Budget:
    """How many tokens a page and its forms may have together."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens


def operations(data: bytes, budget: Budget) -> Iterator[tuple[bytes, list[Operand]]]:
    """Yield each operator with its operands; an inline image comes as `BI`.

    Raises:
        TooLongError: the budget is used up.
    """
    operands: list[Operand] = []
    stack: list[list[Operand]] = []
    position, size = 0, len(data)
    match = _TOKEN.match
    while position < size:
        token = match(data, position)
        if token is None:
            return
        position = token.end()
        group = token.lastindex
        if group is None:
            continue
        budget.left -= 1
        if budget.left < 0:
            raise TooLongError
        body = token[group]
        if group == _PUNCTUATION:
            if body == b"(":
                text, position = _nested(data, position)
                operands.append(Text(_unescaped(text)))
            else:
                operands = _bracket(body, operands, stack)
        elif group != _WORD:
            operands.append(_OPERANDS[group](body))
        elif body[0] in _NUMBER_STARTS or stack or body in _CONSTANTS:
            operands.append(body)
        elif body == b"ID":
            position = _after_image(data, position)
            yield b"BI", operands
            operands = []
        else:
            yield body, operands
            operands = []


def _bracket(body: bytes, operands: list[Operand], stack: list[list[Operand]]) -> list[Operand]:
    """Open or close an array or dictionary; return the operands to go on with."""
    if body in (b"[", b"<<"):
        if len(stack) < _DEEPEST:
            stack.append(operands)
            return []
    elif body == b"]" and stack:
        outer = stack.pop()
        outer.append(operands)
        return outer
    elif body == b">>" and stack:
        outer = stack.pop()
        outer.append(dict(zip(map(str, operands[::2]), operands[1::2], strict=False)))
        return outer
    return operands


def number(operand: Operand) -> float:
    """Return a number operand; what is none counts as 0, as viewers have it."""
    if not isinstance(operand, bytes) or isinstance(operand, Text):
        return 0.0
    try:
        return float(operand) if len(operand) < _LONGEST_NUMBER else 0.0
    except ValueError:
        return _damaged_number(operand)


def _damaged_number(operand: bytes) -> float:
    """Read `--5` as -5 and `1.2-3` as 1.2, as viewers do."""
    found = re.match(rb"[+-]*(-?\d*\.?\d*)", operand)
    try:
        value = float(found[1]) if found else 0.0
    except ValueError:
        return 0.0
    return -value if operand.startswith(b"--") else value


def _name(body: bytes) -> str:
    if b"#" in body:
        body = _NAME_HEX.sub(lambda found: bytes([int(found[1], 16)]), body)
    try:
        return "/" + body.decode()
    except UnicodeDecodeError:
        return "/" + body.decode("latin-1")


def _from_hex(body: bytes) -> bytes:
    digits = body.translate(None, b"\x00\t\n\f\r ")
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))


def _unescaped(body: bytes) -> bytes:
    if b"\\" not in body and b"\r" not in body:
        return body
    return _ESCAPE.sub(_escape, body)


def _escape(found: re.Match[bytes]) -> bytes:
    what = found[1]
    if what is None:
        return b"\n"
    if what[0] in b"01234567":
        return bytes([int(what, 8) & 0xFF])
    if what[0] in b"\r\n":
        return b""
    return _ESCAPES.get(what, what)


def _nested(data: bytes, position: int) -> tuple[bytes, int]:
    """Return a string with inner brackets and the position after it."""
    depth, start = 1, position
    for found in re.compile(rb"\\.|[()]", re.DOTALL).finditer(data, position):
        mark = found[0]
        if mark == b"(":
            depth += 1
        elif mark == b")":
            depth -= 1
            if not depth:
                return data[start : found.start()], found.end()
    return data[start:], len(data)


def _after_image(data: bytes, position: int) -> int:
    """Return where the inline image that begins at `position` ends.

    `EI` may occur in the samples. The real one is followed by what looks like
    content, which samples rarely do.
    """
    for found in _IMAGE_END.finditer(data, position):
        after = data[found.end() : found.end() + 30]
        if _TEXT_LIKE.fullmatch(after):
            return found.end()
    return len(data)


_OPERANDS: dict[int, Callable[[bytes], Operand]] = {
    2: _name,
    3: lambda body: Text(_unescaped(body)),
    4: lambda body: Text(_from_hex(body)),
}
