"""From a URL to a capture or a named refusal.

`Fetcher` asks: conditional, bounded, polite, guarded. `judge` decides whether
what came is the document. Nothing here stores anything.
"""

from watcher.fetch.complete import ends_properly
from watcher.fetch.fetcher import Fetcher
from watcher.fetch.model import (
    Answer,
    AnswerKind,
    BasicAuth,
    Credentials,
    FetchSettings,
    Hop,
    Limits,
    OAuthClient,
    Request,
    TlsFacts,
    Validators,
)
from watcher.fetch.page_facts import PageFacts, page_facts
from watcher.fetch.politeness import Backoff, first_delay, next_delay
from watcher.fetch.verdict import AnswerFacts, Baseline, judge

__all__ = [
    "Answer",
    "AnswerFacts",
    "AnswerKind",
    "Backoff",
    "Baseline",
    "BasicAuth",
    "Credentials",
    "FetchSettings",
    "Fetcher",
    "Hop",
    "Limits",
    "OAuthClient",
    "PageFacts",
    "Request",
    "TlsFacts",
    "Validators",
    "ends_properly",
    "first_delay",
    "judge",
    "next_delay",
    "page_facts",
]
