"""From the configured documents to the table of documents."""

from __future__ import annotations

from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services
from watcher.settings import DocumentEntry
from watcher.store.rows import DeclaredDocument


def declare(entry: DocumentEntry) -> DeclaredDocument:
    """Return what the store keeps of an entry."""
    return DeclaredDocument(
        DocumentId(entry.document_id),
        entry.title,
        tuple(map(str, (entry.url, *entry.urls))),
        entry.digest,
    )


def sync_documents(services: Services) -> None:
    """Make the table follow the configuration: new, changed and retired documents."""
    declared = [declare(entry) for entry in services.settings.documents]
    services.store.documents.sync(declared, services.clock.now())
    groups = {DocumentId(entry.document_id): entry.groups for entry in services.settings.documents}
    services.store.tokens.set_groups(groups, services.clock.now())
