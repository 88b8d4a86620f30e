"""Who asks, and which documents they may see: decided before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.ids import DocumentId
from watcher.domain.resolution import ForbiddenError
from watcher.pipeline.services import Services
from watcher.web.problems import ApiError


class Scope(StrEnum):
    """What a caller may do with the documents that they may see."""

    READ = "read"
    CITE = "cite"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. `everything`: every document, one that does not exist included."""

    name: str
    scopes: frozenset[Scope]
    groups: frozenset[str] = frozenset()
    everything: bool = False


OPEN = Principal("local", frozenset(Scope), everything=True)
"""Whoever is on this machine, where it alone is served and nobody has a token."""


class Access:
    """Decides who asks and what they may see; usable from any thread."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services

    def check_start(self) -> None:
        """Refuse to serve others without knowing them.

        Raises:
            ConfigError: it listens beyond loopback, and nobody could be told apart.
        """

    def authenticate(self, bearer: str | None) -> Principal:
        """Return who asks; may block.

        Raises:
            ApiError: `unauthenticated`.
        """
        del bearer
        return OPEN

    def readable(
        self, principal: Principal, documents: Iterable[DocumentId]
    ) -> frozenset[DocumentId]:
        """Return those of `documents` that `principal` may see; may block."""
        del principal
        return frozenset(documents)


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

    def unseen(self, error: Exception) -> Exception:
        """Return what is answered where something named by an id of its own is missing.

        Only who may see every document is told that it is not there.
        """
        return error if self.principal.everything else ForbiddenError("")
