"""Column types and table options that several modules of tables share."""

from typing import Any

from sqlalchemy import BigInteger, Integer
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

AUTO = {"sqlite_autoincrement": True}
"""Row numbers are never used again, so a tombstone can name one for good."""
BY_KEY = {"sqlite_with_rowid": False}
"""Stored in the order of the primary key, without a second index."""


class Long(TypeDecorator[int]):
    """64 bits everywhere. SQLite numbers rows only in a column of type INTEGER."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return INTEGER for SQLite, where it has 64 bits, else BIGINT."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else BigInteger())
