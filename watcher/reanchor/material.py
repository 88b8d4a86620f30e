"""What differs inside an edited passage, and whether the classifier proved it harmless."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from watcher.align.model import KEPT, MOVED
from watcher.domain.changes import Atom, ChangeClass
from watcher.domain.ranges import Range
from watcher.domain.statements import TextEdit
from watcher.reanchor.place import Piece


def edits_of(pieces: Sequence[Piece], passage: Range, hull: Range) -> tuple[TextEdit, ...]:
    """Return the differences between `passage` and `hull`, in order; one side may be empty."""
    edits: list[TextEdit] = []
    at_old, at_new = passage.start, hull.start
    for piece in sorted(pieces):
        if piece.new_start < at_new:
            continue
        if at_old < piece.old_start or at_new < piece.new_start:
            edits.append(TextEdit(Range(at_old, piece.old_start), Range(at_new, piece.new_start)))
        if piece.kind not in {KEPT, MOVED}:
            edits.append(
                TextEdit(
                    Range(piece.old_start, piece.old_end), Range(piece.new_start, piece.new_end)
                )
            )
        at_old, at_new = piece.old_end, piece.new_end
    if at_old < passage.end or at_new < hull.end:
        edits.append(TextEdit(Range(at_old, passage.end), Range(at_new, max(at_new, hull.end))))
    return tuple(edits)


class Atoms:
    """The classifier's atoms of one change, searchable by place."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        self._harmless = tuple(
            sorted(_joined([a.new if new else a.old for a in atoms if _is_harmless(a)]))
            for new in (False, True)
        )
        self._harmful = tuple(
            sorted([a.new if new else a.old for a in atoms if not _is_harmless(a)])
            for new in (False, True)
        )

    def harmless(self, edits: Sequence[TextEdit], old: bytes, new: bytes) -> bool:
        """Tell whether the atoms cover every difference and none of them bears policy."""
        return bool(edits) and all(
            self._proven(edit.old, 0, old) and self._proven(edit.new, 1, new) for edit in edits
        )

    def _proven(self, part: Range, side: int, text: bytes) -> bool:
        if any(part.start <= a.end and a.start <= part.end for a in self._harmful[side]):
            return False
        if not text[part.start : part.end].strip():
            return True
        ranges = self._harmless[side]
        index = bisect_left(ranges, (part.start + 1, 0)) - 1
        at = part.start
        while 0 <= index < len(ranges) and ranges[index].start <= at:
            at = max(at, ranges[index].end)
            index += 1
            if at < part.end and index < len(ranges) and not text[at : ranges[index].start].strip():
                at = max(at, ranges[index].start)
        return not text[at : part.end].strip() if at > part.start else False


def _is_harmless(atom: Atom) -> bool:
    return atom.change_class is not ChangeClass.POLICY_BEARING


def _joined(ranges: list[Range]) -> list[Range]:
    out: list[Range] = []
    for part in sorted(ranges):
        if out and part.start <= out[-1].end:
            out[-1] = Range(out[-1].start, max(out[-1].end, part.end))
        else:
            out.append(part)
    return out
