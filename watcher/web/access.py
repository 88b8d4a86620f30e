"""Who asks, and which documents they may see: decided before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from watcher.domain.ids import DocumentId
from watcher.domain.resolution import ForbiddenError
from watcher.errors import ConfigError, WatcherError
from watcher.pipeline.services import Services
from watcher.store import ApiToken
from watcher.web.authorizer import Authorizer
from watcher.web.issuer import Issuer
from watcher.web.limits import Limiter
from watcher.web.principals import OPEN, Principal, Scope, hash_of
from watcher.web.problems import ApiError, unknown_caller

_TOKENS_SECONDS = 1.0
"""How long a token that was revoked elsewhere still counts, at most."""
_GROUPS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Every token by its hash, as read at `at`."""

    at: float
    by_hash: Mapping[str, ApiToken]


@dataclass(frozen=True, slots=True)
class _Groups:
    """The groups of every document that there is, as read at `at`."""

    at: float
    of: Mapping[DocumentId, frozenset[str]]


class Access:
    """Decides who asks and what they may see; usable from any thread."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        web, clock = services().settings.web, services().clock
        self._web = web
        self._issuer = Issuer(web.oidc, clock) if web.oidc else None
        self._authorizer = Authorizer(web.authorizer, clock) if web.authorizer else None
        self._limiter = Limiter(web.limits, clock)
        self._tokens: _Tokens | None = None
        self._groups: _Groups | None = None

    @property
    def asks_others(self) -> bool:
        """Tell whether another service may have to be asked who somebody is, or may see what."""
        return self._issuer is not None or self._authorizer is not None

    def check_start(self) -> None:
        """Refuse to serve others without knowing them.

        Raises:
            ConfigError: it listens beyond loopback, and nobody could be told apart.
        """
        if self._web.loopback or self._issuer or self._current_tokens().by_hash:
            return
        raise ConfigError(
            f"web.host {self._web.host} is not loopback, and there is neither a token nor an"
            " issuer: anybody could read everything",
            hint="add a token (`watcher tokens add`), set web.oidc, or listen on 127.0.0.1",
        )

    def authenticate(self, bearer: str | None, address: str) -> Principal:
        """Return who asks; `address` is where from. May block.

        Raises:
            ApiError: `unauthenticated`, or `rate_limited`.
        """
        try:
            found = self._known(bearer)
        except ApiError:
            self.failed(address)
            raise
        self._limiter.take(found.name)
        return found

    def failed(self, address: str) -> None:
        """Count a caller from `address` who could not prove who they are.

        Raises:
            ApiError: `rate_limited`.
        """
        self._limiter.failed(address)

    def _known(self, bearer: str | None) -> Principal:
        tokens = self._current_tokens().by_hash
        if bearer is None:
            # Once there was a token this stays closed, were it revoked or expired since.
            if self._web.loopback and self._issuer is None and not tokens:
                return OPEN
            raise unknown_caller()
        token = tokens.get(hash_of(bearer))
        if token is None:
            if self._issuer is None or bearer.count(".") != 2:
                raise unknown_caller()
            return self._issuer.principal(bearer)
        if token.revoked_at is not None or token.expires_at <= self._services().clock.now():
            raise unknown_caller()
        scopes = frozenset(Scope(scope) for scope in token.scopes)
        return Principal(f"token:{token.name}", scopes, frozenset(token.groups), token.everything)

    def readable(
        self, principal: Principal, documents: Iterable[DocumentId]
    ) -> frozenset[DocumentId]:
        """Return those of `documents` that `principal` may see; may block.

        The authorizer is asked whatever the groups say, so that the time of an
        answer does not tell which documents there are.
        """
        wanted = list(documents)
        if self._authorizer is not None:
            allowed = self._authorizer.allowed(principal, wanted)
            wanted = [name for name in wanted if name in allowed]
        if principal.everything:
            return frozenset(wanted)
        groups = self._current_groups().of
        return frozenset(
            name
            for name in wanted
            if (needed := groups.get(name)) is not None
            and (not needed or needed & principal.groups)
        )

    def _current_tokens(self) -> _Tokens:
        services = self._services()
        now, kept = services.clock.monotonic(), self._tokens
        if kept is None or not 0 <= now - kept.at < _TOKENS_SECONDS:
            kept = _Tokens(now, {token.sha256: token for token in services.store.tokens.list()})
            self._tokens = kept
        return kept

    def _current_groups(self) -> _Groups:
        """Return the groups of every document: of the configuration, else as recorded last."""
        services = self._services()
        now, kept = services.clock.monotonic(), self._groups
        if kept is None or not 0 <= now - kept.at < _GROUPS_SECONDS:
            recorded = services.store.tokens.groups()
            configured = {name: entry.groups for name, entry in services.entries.items()}
            of = {
                name: frozenset(configured.get(name, groups)) for name, groups in recorded.items()
            }
            kept = self._groups = _Groups(now, of)
        return kept


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, with the questions that a handler has; from any thread."""

    principal: Principal
    access: Access

    @property
    def name(self) -> str:
        """The name that the trail of acts keeps."""
        return self.principal.name

    def require(self, scope: Scope) -> None:
        """Refuse a caller without that scope.

        Raises:
            ApiError: `scope_missing`.
        """
        if scope not in self.principal.scopes:
            raise ApiError("scope_missing", f"it takes the scope {scope.value!r}")

    def readable(self, documents: Iterable[DocumentId]) -> frozenset[DocumentId]:
        """Return those of `documents` that the caller may see."""
        return self.access.readable(self.principal, documents)

    def check(self, document: str) -> DocumentId:
        """Return `document` if the caller may see it.

        Raises:
            ForbiddenError: they may not, be there such a document or not.
        """
        name = DocumentId(document)
        if name not in self.readable([name]):
            raise ForbiddenError("")
        return name

    def unseen(self, error: WatcherError) -> WatcherError:
        """Return what is answered where something named by an id of its own is missing.

        Only who may see every document is told that it is not there.
        """
        return error if self.principal.everything else ForbiddenError("")
