"""Classify a change: every block judged, one class, score, tier and explanation.

The rule of the room: a change bears policy unless every one of its atoms is
proven harmless by a named rule. An error proves nothing: it gives
policy-bearing, tier ticket, rule `unproven`.
"""

from __future__ import annotations

from typing import NamedTuple

from watcher.align import BlockPair, TextMap
from watcher.classify import rules
from watcher.classify.blocks import changed_blocks, moved_why
from watcher.classify.context import Context, UserRules, markdown_headings, path_at
from watcher.classify.differences import OversizeError, Piece
from watcher.classify.evidence import Evidence, observe
from watcher.classify.explain import explanation, headline, shorten, why
from watcher.classify.judge import Block, Finding, judge, view_of
from watcher.classify.packs import Pack, detect, pack, pack_name
from watcher.classify.proofs import Pair
from watcher.classify.score import score_of, tier_of
from watcher.classify.tokens import View
from watcher.classify.user import apply_user_rules
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    ScoreComponent,
    Tier,
)
from watcher.domain.ranges import Range

MAX_BLOCK = 300_000
"""Bytes of one side of one block that are looked at; a larger one fails closed."""
MAX_CHANGED = 3_000_000
"""Changed bytes of both sides together; more fails closed."""

EDITORIAL_SCORE = 0.05
"""Score of a change that is proven editorial, so that a digest can be sorted."""

Judged = tuple[tuple[Finding, tuple[Evidence, ...]], ...]


class _Judged(NamedTuple):
    """A block, what its findings show, and the hunk that comes of it."""

    block: Block
    judged: Judged
    hunk: Hunk
    heading: str


def classify(old: bytes, new: bytes, text_map: TextMap, context: Context) -> Classification:
    """Return the judgement on the change from `old` to `new` (canonical texts).

    `text_map` is the alignment of the two. Never raises: whatever goes wrong
    gives policy-bearing, tier ticket, rule `unproven`.
    """
    try:
        return _classify(old, new, text_map, context)
    except Exception as error:  # noqa: BLE001 - fails closed, whatever it was
        return failed(len(old), len(new), f"the classifier failed ({type(error).__name__})")


def classify_passage(
    before: str, after: str, language: str = "", context_before: str = ""
) -> Classification:
    """Return the judgement on one passage, taken as one block.

    `context_before` is text that precedes it. Never raises, as `classify`.
    """
    old, new = b"", b""
    try:
        old, new = before.encode(), after.encode()
        context = Context(language=language, before=context_before)
        block = BlockPair(HunkKind.REPLACED, Range(0, len(old)), Range(0, len(new)))
        return _judge_all(old, new, (block,) if old != new else (), context)
    except Exception as error:  # noqa: BLE001 - fails closed, whatever it was
        return failed(len(old), len(new), f"the classifier failed ({type(error).__name__})")


def failed(old_size: int, new_size: int, reason: str) -> Classification:
    """Return the judgement that claims nothing: policy-bearing, ticket, `unproven`."""
    old, new = Range(0, old_size), Range(0, new_size)
    atom = Atom(old, new, ChangeClass.POLICY_BEARING, rules.UNPROVEN, (), 0.5, reason)
    hunk = Hunk(HunkKind.REPLACED, old, new, ChangeClass.POLICY_BEARING, (atom,))
    components = (ScoreComponent("unproven", 0.5),)
    return Classification(
        ChangeClass.POLICY_BEARING,
        Tier.TICKET,
        score_of(components),
        components,
        (),
        shorten(f"A change waits for a person: {reason}", 140),
        (reason,),
        (hunk,),
        "none",
    )


def _classify(old: bytes, new: bytes, text_map: TextMap, context: Context) -> Classification:
    if not text_map.complete:
        return failed(len(old), len(new), "the two texts are too different to be aligned in time")
    blocks = changed_blocks(text_map, old, new)
    changed = sum(block.old.length + block.new.length for block in blocks)
    if changed > MAX_CHANGED:
        return failed(len(old), len(new), f"{changed} changed bytes are more than are looked at")
    return _judge_all(old, new, blocks, context)


def _judge_all(
    old: bytes, new: bytes, blocks: tuple[BlockPair, ...], context: Context
) -> Classification:
    language = context.language
    if not language:
        language = detect(new[:20_000].decode("utf-8", "replace"))
    judge_ = _Judge(old, new, context, pack(language))
    judged = [judge_.block(block) for block in blocks]
    return _conclude(judged, context, pack_name(language))


class _Judge:
    """Judges the blocks of one pair of texts under one context."""

    def __init__(self, old: bytes, new: bytes, context: Context, words: Pack | None) -> None:
        self.old, self.new, self.context, self.words = old, new, context, words
        self.old_headings = context.old_headings or markdown_headings(old)
        self.new_headings = context.new_headings or markdown_headings(new)
        self.old_lines = frozenset(h.range.start for h in context.old_headings)
        self.new_lines = frozenset(h.range.start for h in context.new_headings)

    def block(self, pair: BlockPair) -> _Judged:
        heading = self._heading(pair)
        if max(pair.old.length, pair.new.length) > MAX_BLOCK:
            return self._whole(pair, "the block is larger than what is looked at", heading)
        views = self._views(pair)
        try:
            block = self._moved(pair, views) if pair.kind is HunkKind.MOVED else judge(views)
        except OversizeError:
            return self._whole(pair, "the block has more words than are compared", heading)
        findings = apply_user_rules(block, self.context.rules)
        judged: Judged = tuple(
            (f, observe(block.pair, f) if f.rule == rules.UNPROVEN else ()) for f in findings
        )
        return _Judged(block, judged, _hunk(pair, block.pair, judged), heading)

    def _views(self, pair: BlockPair) -> Pair:
        before = self.context.before or self._before(pair)
        initial = not before or before[-1] in ".!?:" or _last_line_is_heading(before)
        old = view_of(
            self.old[pair.old.start : pair.old.end], pair.old.start, self.words, self.old_lines,
            initial=initial,
        )  # fmt: skip
        new = view_of(
            self.new[pair.new.start : pair.new.end], pair.new.start, self.words, self.new_lines,
            initial=initial,
        )  # fmt: skip
        return Pair(old, new, self.words)

    def _before(self, pair: BlockPair) -> str:
        start = pair.new.start
        return self.new[max(0, start - 200) : start].decode("utf-8", "replace").rstrip()

    def _moved(self, pair: BlockPair, views: Pair) -> Block:
        """Judge moved lines: their own differences, and what they stand under now."""
        whole = Piece(0, len(views.old.tokens), 0, len(views.new.tokens))
        reason = moved_why(self.old, self.new, pair, self.old_headings, self.new_headings)
        found = judge(views).findings
        if self.old[pair.old.start : pair.old.end] == self.new[pair.new.start : pair.new.end]:
            found = ()
        if reason:
            tried = (rules.Tried("moved", False, reason),)
            return Block(
                views, (Finding(whole, rules.UNPROVEN, tried, f"text moves: {reason}"), *found)
            )
        return Block(views, (Finding(whole, "moved"), *found))

    def _heading(self, pair: BlockPair) -> str:
        path = path_at(self.new_headings, pair.new.start) or path_at(
            self.old_headings, pair.old.start
        )
        if path:
            return path[-1]
        before = markdown_headings(self.context.before.encode())
        return before[-1].title if before else ""

    def _whole(self, pair: BlockPair, reason: str, heading: str) -> _Judged:
        empty = Pair(view_of(b"", 0, None, frozenset()), view_of(b"", 0, None, frozenset()), None)
        tried = (rules.Tried("oversize", False, reason),)
        finding = Finding(
            Piece(0, 0, 0, 0), rules.UNPROVEN, tried, f"a large block changes: {reason}"
        )
        evidence = (Evidence("unproven", 0.5, ()),)
        atom = Atom(pair.old, pair.new, ChangeClass.POLICY_BEARING, rules.UNPROVEN, (), 0.5, reason)
        hunk = Hunk(pair.kind, pair.old, pair.new, ChangeClass.POLICY_BEARING, (atom,))
        return _Judged(Block(empty, (finding,)), ((finding, evidence),), hunk, heading)


def _last_line_is_heading(before: str) -> bool:
    return before.rsplit("\n", 1)[-1].lstrip().startswith("#")


def _hunk(pair: BlockPair, views: Pair, judged: Judged) -> Hunk:
    atoms = tuple(_atom(pair, views, finding, evidence) for finding, evidence in judged)
    worst = max((atom.change_class for atom in atoms), key=lambda c: c.rank, default=None)
    return Hunk(pair.kind, pair.old, pair.new, worst or ChangeClass.COSMETIC, atoms)


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


def _conclude(judged: list[_Judged], context: Context, name: str) -> Classification:
    """Make one judgement of all blocks: the heaviest class, one score, one headline."""
    hunks_ = tuple(item.hunk for item in judged)
    change_class = max(
        (hunk.change_class for hunk in hunks_), key=lambda c: c.rank, default=ChangeClass.COSMETIC
    )
    evidence = [e for item in judged for _, found in item.judged for e in found]
    components = _components(evidence, change_class)
    score = score_of(components)
    tier = tier_of(change_class, score, context.thresholds.page)
    if change_class is ChangeClass.POLICY_BEARING and _always_page(judged, context.rules):
        tier = Tier.PAGE
    facets = tuple(sorted({facet for e in evidence for facet in e.facets}))
    lines = explanation([(item.block, item.judged) for item in judged])
    title = _headline(judged, change_class)
    return Classification(change_class, tier, score, components, facets, title, lines, hunks_, name)


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


def _always_page(judged: list[_Judged], user: UserRules) -> bool:
    """Tell whether an unproven block holds one of the owner's always-page terms."""
    terms = [term.lower() for term in user.always_page]
    if not terms:
        return False
    return any(
        term in view.folded.text.lower()
        for item in judged
        if item.hunk.change_class is ChangeClass.POLICY_BEARING
        for view in (item.block.pair.old, item.block.pair.new)
        for term in terms
    )


def _headline(judged: list[_Judged], change_class: ChangeClass) -> str:
    """Return the headline of the strongest finding; the first of equals."""
    best: tuple[float, _Judged, Finding, tuple[Evidence, ...]] | None = None
    for item in judged:
        for finding, evidence in item.judged:
            weight = evidence[0].weight if evidence else 0.0
            if finding.rule == rules.UNPROVEN and (best is None or weight > best[0]):
                best = (weight, item, finding, evidence)
    if best is not None:
        _, item, finding, evidence = best
        return headline(item.block.pair, finding, evidence, item.heading)
    names = {f.rule for item in judged for f, _ in item.judged}
    said = [rules.DESCRIPTION[n] for n in rules.CLASS_OF if n in names]
    if not said:
        return "Nothing that is read changes"
    label = "Wording" if change_class is ChangeClass.EDITORIAL else "Form"
    return shorten(f"{label} changes: {said[-1]}", 140)


def _atom(pair: BlockPair, views: Pair, finding: Finding, evidence: tuple[Evidence, ...]) -> Atom:
    piece = finding.piece
    return Atom(
        _bytes(views.old, piece.a, piece.b, pair.old),
        _bytes(views.new, piece.c, piece.d, pair.new),
        rules.CLASS_OF.get(finding.rule, ChangeClass.COSMETIC),
        finding.rule,
        tuple(sorted({facet for item in evidence for facet in item.facets})),
        evidence[0].weight if evidence else 0.0,
        why(views, finding, evidence),
    )
