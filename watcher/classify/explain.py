"""Say in words what changed: a headline, and one line for every judged difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from watcher.classify import rules
from watcher.classify.evidence import Evidence
from watcher.classify.judge import Finding
from watcher.classify.lines import LineKind
from watcher.classify.proofs import Pair, sides
from watcher.classify.tokens import Kind, Token, View

HEADLINE = 140
"""Characters of a headline at most."""
_QUOTE = 60
_NOUN = {
    Kind.NUMBER: "number",
    Kind.DURATION: "period",
    Kind.MONEY: "amount",
    Kind.PERCENT: "rate",
    Kind.MEASURE: "measure",
    Kind.DATE: "date",
    Kind.TIME: "time",
}
"""What a quantity is called; a heading may be of either grammatical number."""


def shorten(text: str, limit: int) -> str:
    """Return `text` cut at a word to `limit` characters, the cut shown by "…"."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:") + "…"


def _said(view: View, start: int, end: int, limit: int = _QUOTE) -> str:
    if start == end:
        return ""
    tokens = view.tokens
    return shorten(view.read(tokens[start].start, tokens[end - 1].end), limit)


def _subject(pair: Pair, finding: Finding, heading: str) -> str:
    """Return what the change is about: the row's label, the heading, the sentence's start."""
    view, at = (pair.new, finding.piece.c) if finding.piece.c < finding.piece.d else (
        pair.old, finding.piece.a)  # fmt: skip
    if at < len(view.tokens):
        token = view.tokens[at]
        line = view.lines[token.line]
        if line.kind is LineKind.ROW:
            label = view.folded.text[line.start : line.end].strip(" |").split("|")[0].strip()
            if label and view.read(token.start, token.end) not in label:
                return f"{heading}, {label}" if heading else label
    if heading:
        return heading
    start = at
    while start and at - start < 8 and view.tokens[start - 1].exact not in {".", "!", "?", "|"}:
        start -= 1
    lead = _said(view, start, at, 48)
    return f"“{lead} …”" if lead else "The passage"


def headline(pair: Pair, finding: Finding, evidence: tuple[Evidence, ...], heading: str) -> str:
    """Return what happens in at most 140 characters, in the present tense."""
    if finding.note:
        return shorten(f"{heading + ': ' if heading else ''}{finding.note}", HEADLINE)
    piece = finding.piece
    old, new = _said(pair.old, piece.a, piece.b), _said(pair.new, piece.c, piece.d)
    subject = shorten(_subject(pair, finding, heading), 60)
    removed, added = sides(pair, piece)
    if not old:
        return shorten(f"{subject} now says “{new}”", HEADLINE)
    if not new:
        return shorten(f"{subject} no longer says “{old}”", HEADLINE)
    strong = evidence[0].name if evidence else ""
    if strong.startswith("quantity:") and len(removed) == len(added) == 1:
        return shorten(_quantity(subject, removed[0], added[0], old, new), HEADLINE)
    return shorten(f"{subject}: “{old}” becomes “{new}”", HEADLINE)


def _quantity(subject: str, old: Token, new: Token, old_text: str, new_text: str) -> str:
    first, second = _amount(old), _amount(new)
    verb = "changes"
    if first is not None and second is not None and first[1] == second[1]:
        verb = "rises" if second[0] > first[0] else "falls"
    head, _, unit = old_text.partition(" ")
    _, _, other = new_text.partition(" ")
    if unit and unit == other:
        old_text = head
    noun = _NOUN.get(old.kind, "value")
    return f"{subject}: the {noun} {verb} from {old_text} to {new_text}"


def _amount(token: Token) -> tuple[Decimal, str] | None:
    """Return (value, unit) of a quantity's sense, if it is one number."""
    said = token.sense.partition(":")[2]
    digits = said
    while digits and not digits[-1].isdigit():
        digits = digits[:-1]
    try:
        return Decimal(digits), said[len(digits) :]
    except InvalidOperation:
        return None


def count_proven(names: Iterable[str]) -> list[str]:
    """Return one line for each rule that proved something, with how often it did."""
    counted = Counter(names)
    return [
        f"{rule} ({counted[rule]}): "
        f"{rules.DESCRIPTION.get(rule, 'matched by a pattern of the owner')}"
        for rule in sorted(counted)
    ]


def unproven(pair: Pair, finding: Finding, evidence: tuple[Evidence, ...]) -> str:
    """Return what changed, what it touches, and which rules were tried in vain."""
    piece = finding.piece
    old, new = _said(pair.old, piece.a, piece.b, 160), _said(pair.new, piece.c, piece.d, 160)
    if finding.note:
        what = finding.note
    elif old and new:
        what = f"“{old}” becomes “{new}”"
    else:
        what = f"“{new}” is new" if new else f"“{old}” is gone"
    touches = ", ".join(dict.fromkeys(e.name for e in evidence if e.name != "wording"))
    tried = "; ".join(f"{t.rule}: {t.why}" for t in finding.tried) or "no rule applies"
    return f"{what}{' [' + touches + ']' if touches else ''}; tried {tried}"
