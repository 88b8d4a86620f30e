"""Bearer tokens by their hashes, and the groups that may see each document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, insert, select

from watcher.domain.ids import DocumentId
from watcher.errors import UsageError
from watcher.store import tables
from watcher.store.codec import Values, wellformed
from watcher.store.database import Database
from watcher.store.rows.serving import ApiToken, NewApiToken

_token = tables.api_token
_revocation = tables.api_token_revocation
_access = tables.document_access


class Tokens:
    """The tokens of callers; a secret itself is never here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: NewApiToken) -> None:
        """Add a token.

        Raises:
            UsageError: there is or was one of that name.
        """
        values: Values = {
            "name": token.name,
            "sha256": token.sha256,
            "scopes": list(token.scopes),
            "groups": list(token.groups),
            "everything": token.everything,
            "created_at": token.at,
            "created_by": token.actor,
            "expires_at": token.expires_at,
        }
        with self._database.write() as connection:
            same = select(_token.c.id).where(_token.c.name == token.name)
            if connection.execute(same).first() is not None:
                raise UsageError(
                    f"there is or was a token named {token.name!r}",
                    hint="choose another name: what it did stays in the records",
                )
            connection.execute(insert(_token), wellformed(values))

    def list(self) -> tuple[ApiToken, ...]:
        """Return every token that there is or was, oldest first."""
        query = (
            select(_token, _revocation.c.at.label("revoked_at"))
            .join(_revocation, _revocation.c.token_row == _token.c.id, isouter=True)
            .order_by(_token.c.id)
        )
        with self._database.read() as connection:
            return tuple(
                ApiToken(
                    row["name"],
                    row["sha256"],
                    tuple(row["scopes"]),
                    tuple(row["groups"]),
                    row["everything"],
                    row["created_at"],
                    row["created_by"],
                    row["expires_at"],
                    row["revoked_at"],
                )
                for row in connection.execute(query).mappings()
            )

    def revoke(self, name: str, *, at: datetime, actor: str) -> None:
        """Let a token count no more; again changes nothing.

        Raises:
            UsageError: there is none of that name.
        """
        with self._database.write() as connection:
            same = select(_token.c.id).where(_token.c.name == name)
            number = connection.execute(same).scalar_one_or_none()
            if number is None:
                raise UsageError(
                    f"there is no token named {name!r}", hint="`watcher tokens list` lists them"
                )
            done = select(_revocation.c.at).where(_revocation.c.token_row == number)
            if connection.execute(done).first() is None:
                values = {"token_row": number, "at": at, "actor": actor}
                connection.execute(insert(_revocation), wellformed(values))

    def groups(self) -> dict[DocumentId, tuple[str, ...]]:
        """Return the groups that may see each document, as recorded last.

        A document that never was in a configuration has none.
        """
        newest = select(func.max(_access.c.id)).group_by(_access.c.document_id)
        document = tables.document
        last = (_access.c.document_id == document.c.document_id) & _access.c.id.in_(newest)
        query = select(document.c.document_id, _access.c.groups).join(_access, last, isouter=True)
        with self._database.read() as connection:
            return {name: tuple(groups or ()) for name, groups in connection.execute(query)}

    def set_groups(self, wanted: Mapping[DocumentId, tuple[str, ...]], at: datetime) -> None:
        """Record who may see which document, where that is not what was recorded last.

        Every document named must be there.
        """
        known = self.groups()
        rows = [
            {"document_id": name, "groups": list(groups), "at": at}
            for name, groups in wanted.items()
            if known.get(name, ()) != groups
        ]
        if rows:
            with self._database.write() as connection:
                connection.execute(insert(_access), rows)
