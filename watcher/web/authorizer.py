"""The external authorizer: another service says who may see what. Without a yes, nobody."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from watcher import logs
from watcher.clock import Clock
from watcher.domain.ids import DocumentId
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.settings.secrets import read_secret
from watcher.settings.web import AuthorizerSettings
from watcher.web.outbound import post_json
from watcher.web.principals import Principal

_log = logs.get(__name__)

_MOST_KEPT = 100_000
_AT_ONCE = 500
_FAILED_SECONDS = 1.0
"""How long it is not asked again after it gave no answer."""

_Key = tuple[Principal, DocumentId]


class Authorizer:
    """Asks the service that `settings` name, and keeps its answers for a short time."""

    def __init__(self, settings: AuthorizerSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, tuple[float, bool]] = OrderedDict()

    def allowed(
        self, principal: Principal, documents: Iterable[DocumentId]
    ) -> frozenset[DocumentId]:
        """Return those of `documents` that it says yes to; may block."""
        wanted = list(dict.fromkeys(documents))
        answers = {name: self._recall((principal, name)) for name in wanted}
        unknown = [name for name, answer in answers.items() if answer is None]
        for begin in range(0, len(unknown), _AT_ONCE):
            answers |= self._ask(principal, unknown[begin : begin + _AT_ONCE])
        return frozenset(name for name in wanted if answers[name])

    def _recall(self, key: _Key) -> bool | None:
        with self._lock:
            found = self._kept.get(key)
        if found is None or found[0] <= self._clock.monotonic():
            return None
        return found[1]

    def _ask(self, principal: Principal, documents: list[DocumentId]) -> dict[DocumentId, bool]:
        settings = self._settings
        seconds = settings.cache.total_seconds()
        yes: set[object] = set()
        try:
            secret = read_secret(settings.secret).reveal() if settings.secret else None
            said = post_json(
                str(settings.url),
                settings.timeout.total_seconds(),
                secret,
                {
                    "principal": principal.name,
                    "groups": sorted(principal.groups),
                    "action": "read",
                    "document_ids": documents,
                },
            )
            yes = _named(said)
        except WatcherError as error:
            _log.error(Event.AUTHORIZER_FAILED, message=error.message)
            seconds = _FAILED_SECONDS
        answers = {name: name in yes for name in documents}
        self._keep(principal, answers, seconds)
        return answers

    def _keep(self, principal: Principal, answers: dict[DocumentId, bool], seconds: float) -> None:
        until = self._clock.monotonic() + seconds
        with self._lock:
            for name, answer in answers.items():
                self._kept[principal, name] = until, answer
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


def _named(said: object) -> set[object]:
    """Return the documents that an answer says yes to.

    Raises:
        WatcherError: it does not have the form of an answer.
    """
    allowed = said.get("allowed") if isinstance(said, dict) else None
    if not isinstance(allowed, list):
        raise WatcherError("its answer has no list `allowed`")
    return {name for name in allowed if isinstance(name, str)}
