"""Runs the steps on the connection, and in the transaction, of the caller."""

from __future__ import annotations

from alembic import context

from watcher.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
