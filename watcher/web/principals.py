"""Who may ask: names, scopes and groups."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from enum import StrEnum

TOKEN_PREFIX = "wt_"  # noqa: S105 - what a token begins with is no secret


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
"""Whoever is on this machine, where it alone is served and no token was ever added."""


def new_secret() -> str:
    """Return the secret of a new token: 256 random bits."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """Return what is kept of a secret. It is random, so a plain hash cannot be guessed back."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
