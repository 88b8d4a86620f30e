"""From a URL to a capture or a named refusal.

`Fetcher` asks: conditional, bounded, polite, guarded. `judge` decides whether
what came is the document. Nothing here stores anything.
"""

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

__all__ = [
    "Answer",
    "AnswerKind",
    "BasicAuth",
    "Credentials",
    "FetchSettings",
    "Fetcher",
    "Hop",
    "Limits",
    "OAuthClient",
    "Request",
    "TlsFacts",
    "Validators",
]
