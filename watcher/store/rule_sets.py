"""The owner's rules, kept for as long as a judgement rests on them."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import insert, select

from watcher.domain.resolution import HashMismatchError
from watcher.store import tables
from watcher.store.database import Database
from watcher.store.errors import StoreError

_rule_set = tables.rule_set


class RuleSets:
    """Rule sets by the SHA-256 of what they say."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, body: str, at: datetime) -> str:
        """Keep a rule set, once; return its digest (64 hex digits)."""
        digest = _digest(body)
        known = select(_rule_set.c.digest).where(_rule_set.c.digest == digest)
        with self._database.read() as connection:
            if connection.execute(known).first() is not None:
                return digest
        with self._database.write() as connection:
            if connection.execute(known).first() is None:
                row = {"digest": digest, "body": body, "first_at": at}
                connection.execute(insert(_rule_set), row)
        return digest

    def get(self, digest: str) -> str:
        """Return what a rule set says.

        Raises:
            StoreError: there is none of that digest.
            HashMismatchError: it is damaged.
        """
        query = select(_rule_set.c.body).where(_rule_set.c.digest == digest)
        with self._database.read() as connection:
            body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise StoreError(f"there is no rule set {digest[:12]}", hint="run `watcher verify`")
        if _digest(body) != digest:
            raise HashMismatchError(f"the rule set {digest[:12]} is damaged")
        return str(body)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
