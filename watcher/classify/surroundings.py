"""Grammars of what stands around a policy: view counts, banners, menus, other pages' titles.

Each knows whole lines only, word by word. A sentence of a cookie banner alone
proves nothing, since a policy may say it too; beside two buttons it is a banner.
A count of views must look counted (1,377), for 1,000 may be what a plan allows.
"""

from __future__ import annotations

from watcher.classify.lines import Line, LineKind
from watcher.classify.packs import Pack
from watcher.classify.stamps import words_of
from watcher.classify.tokens import QUANTITIES, Kind, Token

SEPARATORS = frozenset(["|", ">", "\u203a", "\u00b7", "\u2022", "/", "\u2192", '"'])
"""Signs between the items of a menu or a row of buttons."""
_PAUSES = SEPARATORS | frozenset([".", "!", "?", ":", ","])
_ITEM_WORDS = 3
_TITLE_WORDS = 8
_LEAST_COUNT = 100
_SHORT = 12
"""Tokens of a line that may be a count of views."""
_BANNER = 60
"""Tokens of a line that may be a banner."""
_OWN_FACETS = frozenset(["remedy", "right", "party", "jurisdiction", "definition"])


def is_reading(part: list[Token], pack: Pack) -> bool:
    """Tell whether a line says only how often the page was seen or how long it reads."""
    if len(part) > _SHORT:
        return False
    words = " ".join("#" if word in {"<number>", "<duration>"} else word for word in words_of(part))
    if words in pack.special["reading"] or words in pack.special["helpful"]:
        return True
    return words in pack.special["counted"] and all(
        _looks_counted(token) for token in part if token.kind in QUANTITIES
    )


def _looks_counted(token: Token) -> bool:
    """Tell whether nobody would set such a number as a limit."""
    number = int("".join(c for c in token.exact if c.isdecimal()) or "0")
    return (
        token.kind is Kind.NUMBER
        and number >= _LEAST_COUNT
        and all(number % step for step in (10, 25))
        and (number + 1) % 100 != 0
        and number & (number - 1) != 0
    )


def is_banner(part: list[Token], pack: Pack) -> bool:
    """Tell whether a line is a cookie banner: a listed sentence and two buttons at least."""
    if len(part) > _BANNER or not any(token.exact in SEPARATORS for token in part):
        return False
    items = [" ".join(t.base for t in item) for item in _cut(part, _PAUSES)]
    said = sum(item in pack.special["banner"] for item in items)
    pressed = sum(item in pack.special["buttons"] for item in items)
    return said > 0 and pressed > 1 and said + pressed == len(items)


def _cut(part: list[Token], signs: frozenset[str]) -> list[list[Token]]:
    items: list[list[Token]] = [[]]
    for token in part:
        if token.exact in signs:
            items.append([])
        elif token.kind is not Kind.MARKER:
            items[-1].append(token)
    return [item for item in items if item]


def is_item(tokens: list[Token], pack: Pack, size: int = _ITEM_WORDS) -> bool:
    """Tell whether words can be a menu item or a title: short, without operator or quantity."""
    return 0 < len(tokens) <= size and all(
        token.kind is Kind.WORD
        and not any(c.isdigit() for c in token.base)
        and (size > _ITEM_WORDS or pack.facet(token.base) not in _OWN_FACETS)
        for token in tokens
    )


def other_pages(tokens: list[Token], lines: list[Line], pack: Pack) -> list[int]:
    """Return the tokens of titles below "Related articles" that may come and go."""
    found: list[int] = []
    for start, end in _rows(tokens):
        part = tokens[start:end]
        label = " ".join(t.base for t in part if t.kind is not Kind.SIGN)
        if label in pack.special["related"]:
            found += _titles(tokens, lines, end, pack)
    return found


def _titles(tokens: list[Token], lines: list[Line], start: int, pack: Pack) -> list[int]:
    """Return the tokens of the list that begins at `start`, if every item is a bare title."""
    found: list[int] = []
    for first, end in _rows(tokens[start:]):
        part = tokens[start + first : start + end]
        if lines[part[0].line].kind is not LineKind.ITEM:
            break
        words = [token for token in part if token.kind is not Kind.MARKER]
        if not is_item(words, pack, _TITLE_WORDS):
            return []
        found += range(start + first, start + end)
    return found


def _rows(tokens: list[Token]) -> list[tuple[int, int]]:
    """Return (start, end) of the tokens of each line."""
    out: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if out and tokens[index - 1].line == token.line:
            out[-1] = out[-1][0], index + 1
        else:
            out.append((index, index + 1))
    return out
