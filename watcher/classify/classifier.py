"""Classify a change: every block judged, one class, score, tier and explanation.

The rule of the room: a change bears policy unless every one of its atoms is
proven harmless by a named rule. An error proves nothing: it gives
policy-bearing, tier ticket, rule `unproven`.
"""

from __future__ import annotations

from watcher.align import BlockPair, TextMap
from watcher.classify import rules
from watcher.classify.blocks import changed_blocks, moved_why
from watcher.classify.context import Context, Heading, markdown_headings, path_at
from watcher.classify.differences import OversizeError, Piece
from watcher.classify.explain import shorten
from watcher.classify.judge import (
    Block,
    Finding,
    bare_title,
    history,
    judge,
    pair_of,
    plain_view,
    stays_put,
)
from watcher.classify.packs import Pack, detect, pack, pack_name
from watcher.classify.proofs import Pair
from watcher.classify.score import score_of
from watcher.classify.stamps import follows_stamp
from watcher.classify.summary import BlockSummary, conclude, summarise, unread
from watcher.classify.tokens import View
from watcher.classify.trim import shared_ends
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

MAX_BLOCK = 200_000
"""Bytes of one side of one block that are looked at; a larger one fails closed."""
MAX_CHANGED = 2_000_000
"""Changed bytes of both sides together; more fails closed."""


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
    language = context.language or detect(new[:20_000].decode("utf-8", "replace"))
    judge_ = _Judge(old, new, context, pack(language))
    judge_.note_headings(blocks)
    return conclude([judge_.block(block) for block in blocks], context, pack_name(language))


class _Judge:
    """Judges the blocks of one pair of texts under one context."""

    def __init__(self, old: bytes, new: bytes, context: Context, words: Pack | None) -> None:
        self.old, self.new, self.context, self.words = old, new, context, words
        self.old_headings = context.old_headings or markdown_headings(old)
        self.new_headings = context.new_headings or markdown_headings(new)
        self.old_lines = frozenset(h.range.start for h in context.old_headings)
        self.new_lines = frozenset(h.range.start for h in context.new_headings)
        self.shifted: frozenset[str] = frozenset()

    def note_headings(self, places: tuple[BlockPair, ...]) -> None:
        """Note the headings that stand in changed text on both sides, in different blocks."""
        gone = self._unmatched(
            self.old_headings, [(p.old, self.new[slice(*p.new)]) for p in places]
        )
        come = self._unmatched(
            self.new_headings, [(p.new, self.old[slice(*p.old)]) for p in places]
        )
        self.shifted = frozenset(gone & come)

    @staticmethod
    def _unmatched(
        headings: tuple[Heading, ...], blocks: list[tuple[Range, bytes]]
    ) -> frozenset[str]:
        """Return the bare titles in changed blocks that the other side of the block lacks."""
        return frozenset(
            bare_title(heading.title)
            for part, other in blocks
            for heading in headings
            if part.start <= heading.range.start < part.end and heading.title.encode() not in other
        )

    def block(self, place: BlockPair) -> BlockSummary:
        if max(place.old.length, place.new.length) > MAX_BLOCK:
            return unread(place, "the block is larger than what is looked at")
        heading = self._heading(place)
        try:
            views = self._views(place)
            block = self._moved(place, views) if place.kind is HunkKind.MOVED else judge(views)
        except OversizeError:
            return unread(place, "the block has more words than are compared")
        findings = tuple(
            history(views, stays_put(views, finding, self.shifted), heading)
            for finding in block.findings
        )
        findings = apply_user_rules(views, findings, self.context.rules)
        return summarise(place, block, findings, heading, self.context.rules)

    def _views(self, place: BlockPair) -> Pair:
        before = self.context.before or self._before(place)
        initial = not before or before[-1] in ".!?:" or _last_line(before).startswith("#")
        stamped = self.words is not None and follows_stamp(_last_line(before), self.words)
        head, tail = self._unread(place)
        old = self._view(self.old, place.old, (head, tail), self.old_lines)
        new = self._view(self.new, place.new, (head, tail), self.new_lines)
        return pair_of(
            old,
            new,
            self.words,
            initial=initial or head > 0,
            stamped=stamped and not head,
            trimmed=head + tail > 0,
        )

    def _unread(self, place: BlockPair) -> tuple[int, int]:
        """Return how many bytes at both ends of a block need no look."""
        user = self.context.rules
        own = user.always_page or user.defined_terms or user.ignore
        heads = place.old.start in self.old_lines or place.new.start in self.new_lines
        if place.kind is HunkKind.MOVED or own or heads:
            return 0, 0
        return shared_ends(self.old[slice(*place.old)], self.new[slice(*place.new)])

    @staticmethod
    def _view(text: bytes, part: Range, unread: tuple[int, int], headings: frozenset[int]) -> View:
        start = part.start + unread[0]
        return plain_view(text[start : part.end - unread[1]], start, headings)

    def _before(self, place: BlockPair) -> str:
        start = place.new.start
        return self.new[max(0, start - 200) : start].decode("utf-8", "replace").rstrip()

    def _moved(self, place: BlockPair, views: Pair) -> Block:
        """Judge moved lines: their own differences, and what they stand under now."""
        whole = Piece(0, len(views.old.tokens), 0, len(views.new.tokens))
        found = judge(views).findings if views.old.source != views.new.source else ()
        reason = moved_why(self.old, self.new, place, self.old_headings, self.new_headings)
        if not reason:
            return Block(views, (Finding(whole, "moved"), *found))
        tried = (rules.Tried("moved", False, reason),)
        moved = Finding(whole, rules.UNPROVEN, tried, f"text moves: {reason}")
        return Block(views, (moved, *found))

    def _heading(self, place: BlockPair) -> str:
        path = path_at(self.new_headings, place.new.start) or path_at(
            self.old_headings, place.old.start
        )
        if path:
            return path[-1]
        before = markdown_headings(self.context.before.encode())
        return before[-1].title if before else ""


def _last_line(before: str) -> str:
    return before.rstrip().rsplit("\n", 1)[-1].lstrip()
