"""Earlier states of a document, from outside: dated files, a git path, a WARC file.

The readers yield `Past` states with the time that they claim, and `take_all`
stores them as imported captures: citable, never current, never observed.
"""

from watcher.pipeline.history.files import listed_files, named_files
from watcher.pipeline.history.git import git_states
from watcher.pipeline.history.model import HistoryError, LeftOut, Past, Taken
from watcher.pipeline.history.take import take_all
from watcher.pipeline.history.warc import warc_states

__all__ = [
    "HistoryError",
    "LeftOut",
    "Past",
    "Taken",
    "git_states",
    "listed_files",
    "named_files",
    "take_all",
    "warc_states",
]
