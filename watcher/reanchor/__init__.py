"""Where cited passages are in a newer text: one map, one statement each."""

from watcher.reanchor.combine import combine, compare_hops
from watcher.reanchor.ink import reanchor_by_ink
from watcher.reanchor.reanchor import ALGORITHM, reanchor, similarity

__all__ = [
    "ALGORITHM",
    "combine",
    "compare_hops",
    "reanchor",
    "reanchor_by_ink",
    "similarity",
]
