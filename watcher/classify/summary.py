"""Sum up judged blocks: each into its hunk and its words, all into one judgement."""

from __future__ import annotations

from dataclasses import dataclass

from watcher.align import BlockPair
from watcher.classify import rules
from watcher.classify.context import Context, UserRules
from watcher.classify.evidence import Evidence, observe
from watcher.classify.explain import count_proven, headline, shorten, unproven
from watcher.classify.judge import Block, Finding
from watcher.classify.proofs import Pair
from watcher.classify.score import score_of, tier_of
from watcher.classify.tokens import View
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    ScoreComponent,
    Tier,
)
from watcher.domain.ranges import Range

EDITORIAL_SCORE = 0.05
"""Score of a change that is proven editorial, so that a digest can be sorted."""
MAX_LINES = 40
"""Lines of explanation at most; the rest is counted."""


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """What stays of a judged block when its tokens are let go.

    `lines` explain the unproven differences; `proven` names the rules of the
    others. `headline` is of its strongest finding, with that one's weight.
    """

    hunk: Hunk
    evidence: tuple[Evidence, ...] = ()
    lines: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    headline: str = ""
    weight: float = -1.0
    always_page: bool = False


def summarise(
    place: BlockPair, block: Block, findings: tuple[Finding, ...], heading: str, user: UserRules
) -> BlockSummary:
    """Return the summary of one block."""
    pair = block.pair
    atoms: list[Atom] = []
    evidence: list[Evidence] = []
    lines: list[str] = []
    best: tuple[float, Finding, tuple[Evidence, ...]] | None = None
    for finding in findings:
        found: tuple[Evidence, ...] = ()
        if finding.rule == rules.UNPROVEN:
            found = observe(pair, finding)
            lines.append(unproven(pair, finding, found))
            evidence += found
            if best is None or found[0].weight > best[0]:
                best = (found[0].weight, finding, found)
        said = lines[-1] if found else rules.DESCRIPTION.get(finding.rule, finding.note)
        atoms.append(_atom(place, pair, finding, found, said))
    worst = max((a.change_class for a in atoms), key=lambda c: c.rank, default=ChangeClass.COSMETIC)
    return BlockSummary(
        Hunk(place.kind, place.old, place.new, worst, tuple(atoms)),
        tuple(evidence),
        tuple(lines),
        tuple(f.rule for f in findings if f.rule != rules.UNPROVEN),
        headline(pair, best[1], best[2], heading) if best else "",
        best[0] if best else -1.0,
        best is not None and _holds_term(pair, user),
    )


def unread(place: BlockPair, reason: str) -> BlockSummary:
    """Return the summary of a block that was not looked at: it fails closed."""
    atom = Atom(place.old, place.new, ChangeClass.POLICY_BEARING, rules.UNPROVEN, (), 0.5, reason)
    hunk = Hunk(place.kind, place.old, place.new, ChangeClass.POLICY_BEARING, (atom,))
    said = f"a block changes that is not read: {reason}"
    return BlockSummary(hunk, (Evidence("unread", 0.5, ()),), (said,), (), shorten(said, 140), 0.5)


def _holds_term(pair: Pair, user: UserRules) -> bool:
    """Tell whether the block holds one of the owner's always-page terms."""
    terms = [term.lower() for term in user.always_page]
    texts = [view.folded.text.lower() for view in (pair.old, pair.new)] if terms else []
    return any(term in text for text in texts for term in terms)


def _atom(
    place: BlockPair, pair: Pair, finding: Finding, evidence: tuple[Evidence, ...], why: str
) -> Atom:
    piece = finding.piece
    old = _bytes(pair.old, piece.a, piece.b, place.old)
    new = _bytes(pair.new, piece.c, piece.d, place.new)
    if finding.rule == "same-tokens" and piece == (
        0, len(pair.old.tokens), 0, len(pair.new.tokens),
    ):  # fmt: skip
        # It speaks of the spaces and marks of the block, which are no tokens.
        old, new = place.old, place.new
    return Atom(
        old,
        new,
        rules.CLASS_OF.get(finding.rule, ChangeClass.COSMETIC),
        finding.rule,
        tuple(sorted({facet for item in evidence for facet in item.facets})),
        evidence[0].weight if evidence else 0.0,
        why,
    )


def _bytes(view: View, start: int, end: int, block: Range) -> Range:
    """Return the byte range of tokens; an empty one stands where the next token begins."""
    if not view.tokens:
        return block
    if start < end:
        return Range(*view.span(view.tokens[start].start, view.tokens[end - 1].end))
    if start < len(view.tokens):
        place, _ = view.span(view.tokens[start].start, view.tokens[start].start)
    else:
        _, place = view.span(view.tokens[-1].start, view.tokens[-1].end)
    return Range(place, place)


def conclude(blocks: list[BlockSummary], context: Context, pack_name: str) -> Classification:
    """Make one judgement of all blocks: the heaviest class, one score, one headline."""
    change_class = max(
        (block.hunk.change_class for block in blocks),
        key=lambda c: c.rank,
        default=ChangeClass.COSMETIC,
    )
    evidence = [item for block in blocks for item in block.evidence]
    components = _components(evidence, change_class)
    score = score_of(components)
    tier = tier_of(change_class, score, context.thresholds.page)
    if any(block.always_page for block in blocks):
        tier = Tier.PAGE
    return Classification(
        change_class,
        tier,
        score,
        components,
        tuple(sorted({facet for item in evidence for facet in item.facets})),
        _headline(blocks, change_class),
        _explanation(blocks),
        tuple(block.hunk for block in blocks),
        pack_name,
    )


def _components(evidence: list[Evidence], change_class: ChangeClass) -> tuple[ScoreComponent, ...]:
    """Return one component for each kind of evidence, the largest first."""
    largest: dict[str, float] = {}
    for item in evidence:
        largest[item.name] = max(item.weight, largest.get(item.name, 0.0))
    if not largest and change_class is ChangeClass.EDITORIAL:
        largest["editorial"] = EDITORIAL_SCORE
    return tuple(
        ScoreComponent(name, value)
        for name, value in sorted(largest.items(), key=lambda item: (-item[1], item[0]))
    )


def _headline(blocks: list[BlockSummary], change_class: ChangeClass) -> str:
    """Return the headline of the strongest block, the first of equals."""
    best = max(blocks, key=lambda block: block.weight, default=None)
    if best is not None and best.headline:
        return best.headline
    names = {rule for block in blocks for rule in block.proven}
    said = [rules.DESCRIPTION[name] for name in rules.CLASS_OF if name in names]
    if not said:
        return "Nothing that is read changes"
    label = "Wording" if change_class is ChangeClass.EDITORIAL else "Form"
    return shorten(f"{label} changes: {said[-1]}", 140)


def _explanation(blocks: list[BlockSummary]) -> tuple[str, ...]:
    """Return one line for every unproven difference, then the proven ones by rule."""
    lines = [line for block in blocks for line in block.lines]
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"{len(lines) - MAX_LINES} more unproven differences"]
    return (*lines, *count_proven(rule for block in blocks for rule in block.proven))
