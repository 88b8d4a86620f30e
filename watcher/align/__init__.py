"""One map between two canonical texts, made once and used by all."""

from watcher.align.align import ALGORITHM, align
from watcher.align.hunks import BlockPair, hunks
from watcher.align.model import Run, RunKind, TextMap

__all__ = ["ALGORITHM", "BlockPair", "Run", "RunKind", "TextMap", "align", "hunks"]
