"""Where cited passages are in a newer text: one map, one statement each."""

from watcher.reanchor.reanchor import ALGORITHM, reanchor

__all__ = ["ALGORITHM", "reanchor"]
