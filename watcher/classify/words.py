"""Prepare words for look-up: split contractions, spell, tell days from list numbers."""

from __future__ import annotations

import re
from decimal import Decimal

from watcher.classify.numbers import measure
from watcher.classify.packs import Pack
from watcher.classify.tokens import Kind, Token


def prepared(tokens: list[Token], pack: Pack) -> list[Token]:
    """Return `tokens` as the pack looks them up; what was written stays in `exact`."""
    return _spelled(_expanded(_dated(_measured(tokens, pack), pack), pack), pack)


_MEASURED = re.compile(r"(\d+)([^\W\d_]{2,12})")


def _measured(tokens: list[Token], pack: Pack) -> list[Token]:
    """Split "5kg" and "30days" into number and unit."""
    out: list[Token] = []
    for token in tokens:
        match = None
        if token.kind is Kind.WORD and token.exact[0].isdigit():
            match = _MEASURED.fullmatch(token.exact)
        if match is None or not _is_unit(match[2], pack):
            out.append(token)
            continue
        number, unit = match[1], match[2]
        cut = token.start + len(number)
        out.append(
            token._replace(
                kind=Kind.NUMBER, end=cut, exact=number, base=number,
                sense=f"number:{number}", rule="",
            )
        )  # fmt: skip
        low = unit.lower()
        rest = token._replace(start=cut, exact=unit, base=low, sense=f"word:{low}")
        out.append(rest._replace(first=False, glued=True))
    return out


def _is_unit(word: str, pack: Pack) -> bool:
    low = word.lower()
    return low in pack.units or low in pack.currencies or measure(Decimal(1), word) is not None


def _dated(tokens: list[Token], pack: Pack) -> list[Token]:
    """Tell days from list numbers and references: "1." before a month, "section 2.1."."""
    out: list[Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1].base if index + 1 < len(tokens) else ""
        if token.kind is Kind.MARKER and token.exact[:-1].isdigit() and following in pack.months:
            bare = token.exact[:-1]
            out.append(token._replace(kind=Kind.NUMBER, exact=bare, base=bare, drop=""))
        elif (
            token.kind is Kind.DATE
            and token.exact.endswith(".")
            and (pack.file.date_order != "dmy" or refers(tokens, index, pack))
        ):
            bare, cut = token.exact[:-1], token.end - 1
            out.append(token._replace(kind=Kind.NUMBER, end=cut, exact=bare, base=bare))
            stop = token._replace(kind=Kind.SIGN, start=cut, exact=".", base=".", sense="sign:.")
            out.append(stop._replace(first=False, glued=True))
        else:
            out.append(token)
    return out


def refers(tokens: list[Token], at: int, pack: Pack | None) -> bool:
    """Tell whether a reference word ("section", "§", "Art.") leads to token `at`."""
    before = tokens[at - 1].base if at else ""
    if before == "." and at > 1:
        before = tokens[at - 2].base
    if before in {"§", "§§"}:
        return True
    return pack is not None and pack.has("cross_reference", before)


def _spelled(tokens: list[Token], pack: Pack) -> list[Token]:
    """Give words their normal spelling for look-ups; their letters stay in `exact`."""
    out: list[Token] = []
    spell = pack.speller
    for token in tokens:
        if token.kind is Kind.WORD:
            base, rule = spell(token.base)
            out.append(
                token._replace(base=base, rule=rule, sense=f"word:{base}") if rule else token
            )
        else:
            out.append(token)
    return out


def _expanded(tokens: list[Token], pack: Pack) -> list[Token]:
    """Split what the pack writes as one word but reads as two ("don't", "n'est")."""
    table = pack.file.contractions
    if not table:
        return tokens
    out: list[Token] = []
    for token in tokens:
        parts = _parts(token, table) if token.kind is Kind.WORD else None
        if parts is None:
            out.append(token)
            continue
        cut, first, second = parts
        middle = token.start + cut
        rule = "case" if first.endswith("'") else "contraction"
        text = token.exact
        left = token._replace(end=middle, exact=text[:cut], base=first, sense=f"word:{first}")
        right = token._replace(start=middle, exact=text[cut:], base=second, sense=f"word:{second}")
        out.append(left._replace(rule=rule))
        out.append(right._replace(rule=rule, first=False, glued=True))
    return out


def _parts(token: Token, table: dict[str, str]) -> tuple[int, str, str] | None:
    """Return where to cut a word, and the two words it stands for."""
    base = token.base
    if base in table:
        first, _, second = table[base].partition(" ")
        cut = base.find("'") if "'" in base else len(first)
        cut -= base[cut - 1 : cut + 2] == "n't"
        return cut, first, second
    if "'" not in base:
        return None
    head, _, tail = base.partition("'")
    if f"{head}'" in table and tail:
        return len(head) + 1, f"{head}'", tail
    if base.endswith("n't") and "n't" in table:
        return len(base) - 3, base[:-3], table["n't"]
    if f"'{tail}" in table:
        return len(head), head, table[f"'{tail}"]
    return None


_VOWELS = frozenset("aeiou")


def gerund(verb: str) -> str:
    """Return the -ing form of an English verb ("share" and "sharing" are one word here)."""
    if verb.endswith("ing") and len(verb) > 5:
        return verb
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    if (
        3 <= len(verb) <= 4
        and verb[-1] not in _VOWELS | frozenset("wxy")
        and verb[-2] in _VOWELS
        and verb[-3] not in _VOWELS
    ):
        return verb + verb[-1] + "ing"
    return verb + "ing"
