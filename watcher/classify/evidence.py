"""Say what an unproven difference touches: facets of the guide, each with a weight.

Weights are shares of certainty that a reader who relied on the old passage is
wrong now. A quantity, a negation or a duty that changed alone is nearly
certain; the same words inside a rewritten sentence are less so.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from watcher.classify.judge import Finding
from watcher.classify.lines import LineKind
from watcher.classify.proofs import Pair, facet_of, sides
from watcher.classify.sentences import segments
from watcher.classify.tokens import QUANTITIES, Kind, Token


class Evidence(NamedTuple):
    """One observation: the name of the score's component, its weight, the facets."""

    name: str
    weight: float
    facets: tuple[str, ...]


_QUANTITY_FACETS: dict[Kind, tuple[str, ...]] = {
    Kind.NUMBER: ("number",),
    Kind.DURATION: ("duration",),
    Kind.MONEY: ("amount",),
    Kind.PERCENT: ("number",),
    Kind.MEASURE: ("number",),
    Kind.DATE: ("date",),
    Kind.TIME: ("date",),
}
_GROUP: dict[str, tuple[float, tuple[str, ...]]] = {
    "negation": (0.95, ("negation",)),
    "exception": (0.9, ("exception",)),
    "condition": (0.75, ("scope",)),
    "conjunction": (0.85, ("scope",)),
    "disjunction": (0.85, ("scope",)),
    "quantifier": (0.85, ("scope",)),
    "comparison": (0.85, ("scope", "number")),
    "time": (0.8, ("scope",)),
    "inclusion": (0.75, ("scope",)),
    "hedge": (0.75, ("scope",)),
    "answer": (0.75, ("right",)),
    "prospect": (0.7, ()),
}
"""Operator categories whose coming or going is told by itself."""
_BOUND = frozenset(["negation", "quantifier", "exception"])
"""Operators that mean something else in another place of the same sentence."""
_DEONTIC_RANK = {
    "permission": 1,
    "prospect": 2,
    "recommendation": 2,
    "obligation": 3,
    "prohibition": 3,
}
_SUBJECT_WEIGHT = 0.35
"""What it weighs that plain words of a facet came or went: who, where, which data."""
_BASE_WEIGHT = 0.2
"""What an unproven change of plain words weighs."""
_REWRITTEN = 0.4
"""Factor for words found inside a rewritten stretch: they may only be rephrased."""
_SMALL = 3
"""Words on a side up to which a replacement is one exchange, not a rewriting."""


def observe(pair: Pair, finding: Finding) -> tuple[Evidence, ...]:
    """Return the evidence in one unproven finding, strongest first."""
    removed, added = sides(pair, finding.piece)
    found: list[Evidence] = []
    if finding.note:
        found.append(_of_note(finding))
    else:
        found += _quantities(pair, finding, removed, added)
        if not _inflected(removed, added):
            found += _deontics(removed, added)
            found += _operators(removed, added, _BOUND if finding.shuffled else frozenset(_GROUP))
        found += _addresses(removed, added)
        found += _words(pair, removed, added)
        found += _form(pair, removed, added, shuffled=finding.shuffled)
        found.append(Evidence("wording", _BASE_WEIGHT, ()))
    factor = _factor(removed, added)
    strongest: dict[str, Evidence] = {}
    for item in found:
        weight = item.weight
        if factor < 1 and item.name != "wording" and not item.name.startswith("form:"):
            weight = round(weight * factor, 4)
        known = strongest.get(item.name)
        if known is None or known.weight < weight:
            facets = item.facets if known is None else (*known.facets, *item.facets)
            strongest[item.name] = Evidence(item.name, weight, facets)
    return tuple(sorted(strongest.values(), key=lambda e: (-e.weight, e.name)))


def _factor(removed: list[Token], added: list[Token]) -> float:
    """Return how much the words of a piece tell: less where a sentence was rewritten."""
    counts = [sum(t.kind in {Kind.WORD, Kind.OPERATOR} for t in side) for side in (removed, added)]
    if min(counts) == 0 or max(counts) <= _SMALL:
        return 1.0
    return _REWRITTEN


def _of_note(finding: Finding) -> Evidence:
    if "image" in finding.note:
        return Evidence("image", 0.5, ())
    contact = any("contact" in tried.why for tried in finding.tried)
    return Evidence("link", 0.8, ("contact_notice",) if contact else ("cross_reference",))


def _quantities(
    pair: Pair, finding: Finding, removed: list[Token], added: list[Token]
) -> list[Evidence]:
    gone = Counter(t.sense for t in removed if t.kind in QUANTITIES)
    come = Counter(t.sense for t in added if t.kind in QUANTITIES)
    out = []
    for token in (*removed, *added):
        if token.kind not in QUANTITIES or gone[token.sense] == come[token.sense]:
            continue
        facets = _QUANTITY_FACETS[token.kind]
        if token.kind is Kind.DATE and _is_effective(pair, finding):
            facets = ("effective_date",)
        weight = 0.95 if gone and come else 0.8
        out.append(Evidence(f"quantity:{token.kind.value}", weight, facets))
    mixed = [t for t in (*removed, *added) if t.kind is Kind.WORD and _has_digit(t)]
    if mixed and {t.sense for t in removed} != {t.sense for t in added}:
        weight = 0.75 if removed and added else 0.4
        out.append(Evidence("quantity:number", weight, ("number",)))
    return out


def _has_digit(token: Token) -> bool:
    return any(c.isdigit() for c in token.base)


def _is_effective(pair: Pair, finding: Finding) -> bool:
    """Tell whether the sentence around the piece speaks of taking effect."""
    if pair.pack is None:
        return False
    view, at = pair.new, finding.piece.c
    if finding.piece.c == finding.piece.d:
        view, at = pair.old, finding.piece.a
    for start, end in segments(view.tokens, view.lines):
        if start <= at < end:
            words = " ".join(t.base for t in view.tokens[start:end]).split()
            return any(pair.pack.effective.longest(words, k) for k in range(len(words)))
    return False


def _deontics(removed: list[Token], added: list[Token]) -> list[Evidence]:
    gone = Counter(t.group for t in removed if t.group in _DEONTIC_RANK)
    come = Counter(t.group for t in added if t.group in _DEONTIC_RANK)
    lost, won = gone - come, come - gone
    words = {t.sense for t in removed if t.group in _DEONTIC_RANK} ^ {
        t.sense for t in added if t.group in _DEONTIC_RANK
    }
    if not lost and not won:
        if not words:
            return []
        capitals = {t.base for t in removed} == {t.base for t in added}
        weight = 0.75 if capitals else 0.45
        return [Evidence("deontic:wording", weight, ("obligation_strengthened",))]
    if lost and won:
        rank = max(_DEONTIC_RANK[g] for g in won) - max(_DEONTIC_RANK[g] for g in lost)
        facet = "obligation_strengthened" if rank >= 0 else "obligation_weakened"
        return [Evidence("deontic:changed", 0.95, (facet,))]
    side, sign = (won, "added") if won else (lost, "removed")
    out = []
    for group in sorted(side):
        if group == "permission":
            out.append(Evidence(f"deontic:{sign}", 0.8, (f"permission_{sign}",)))
        elif group != "prospect":
            out.append(Evidence(f"deontic:{sign}", 0.85, (f"obligation_{sign}",)))
    return out


def _inflected(removed: list[Token], added: list[Token]) -> bool:
    """Tell whether one word became another form of itself, as far as letters show."""
    if len(removed) != 1 or len(added) != 1:
        return False
    old, new = removed[0].base, added[0].base
    same = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    same = min(len(old), len(new)) if same is None else same
    return old != new and same >= 5 and same * 10 >= max(len(old), len(new)) * 7


def _operators(removed: list[Token], added: list[Token], groups: frozenset[str]) -> list[Evidence]:
    gone = Counter((t.group, t.sense) for t in removed if t.group in groups)
    come = Counter((t.group, t.sense) for t in added if t.group in groups)
    out = []
    short = max(len(removed), len(added)) <= _SMALL
    for group, _ in sorted((gone - come) + (come - gone)):
        if group == "answer" and not short:
            continue
        weight, facets = _GROUP[group]
        out.append(Evidence(f"operator:{group}", weight, facets))
    return out


def _addresses(removed: list[Token], added: list[Token]) -> list[Evidence]:
    out = []
    for kind, name, weight, facet in (
        (Kind.EMAIL, "contact:email", 0.9, "contact_notice"),
        (Kind.URL, "contact:url", 0.4, "cross_reference"),
        (Kind.REFERENCE, "reference", 0.9, "cross_reference"),
        (Kind.STRIKE, "struck", 0.8, ()),
    ):
        sides_ = [[t.sense for t in side if t.kind is kind] for side in (removed, added)]
        if sorted(sides_[0]) != sorted(sides_[1]):
            out.append(Evidence(name, weight, (facet,) if facet else ()))
    return out


def _words(pair: Pair, removed: list[Token], added: list[Token]) -> list[Evidence]:
    """Tell what the plain words that came or went are about."""
    if pair.pack is None:
        return []
    gone = Counter(t.sense for t in removed if t.kind is Kind.WORD)
    come = Counter(t.sense for t in added if t.kind is Kind.WORD)
    changed = set(gone - come) | set(come - gone)
    out = []
    for token in (*removed, *added):
        if token.kind is Kind.WORD and token.sense in changed:
            facet = facet_of(token, pair.pack)
            if facet:
                out.append(Evidence(f"subject:{facet}", _SUBJECT_WEIGHT, (facet,)))
    return out


def _form(
    pair: Pair, removed: list[Token], added: list[Token], *, shuffled: bool
) -> list[Evidence]:
    """Tell what the piece is by its place: a table cell, a list item, a whole sentence."""
    out = []
    rows = [
        view.lines[t.line].kind is LineKind.ROW
        for view, side in ((pair.old, removed), (pair.new, added))
        for t in side
    ]
    if rows and all(rows):
        out.append(Evidence("form:table-cell", 0.6, ()))
    one_sided = not removed or not added
    words = sum(t.kind in {Kind.WORD, Kind.OPERATOR} for t in (*removed, *added))
    if one_sided and words >= 6 and not shuffled:
        out.append(Evidence("form:passage", 0.6, ()))
    if all(t.kind is Kind.SIGN for t in (*removed, *added)):
        out.append(Evidence("form:punctuation", 0.4, ("scope",)))
    marked = [t for t in (*removed, *added) if t.kind is Kind.MARKER]
    if one_sided and marked and words:
        out.append(Evidence("form:list-item", 0.7, ("scope",)))
    return out
