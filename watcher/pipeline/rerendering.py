"""Reading the current capture anew with the engines that are installed now."""

from __future__ import annotations

from typing import Literal

from watcher.domain.ids import DocumentId
from watcher.errors import UsageError
from watcher.pipeline.intake import Intake
from watcher.pipeline.requests import extract_options
from watcher.pipeline.services import Services
from watcher.store.rows import Commit

_LEASE_SECONDS = 900.0


async def rerender(
    services: Services, document_id: DocumentId, engine: Literal["pypdf", "pdfium"] | None
) -> Commit | None:
    """Re-read a document's current capture; None where the recipe is the pinned one.

    What comes of it is a change of cause `rendition`: citations cross by the
    ink, nobody is told. `engine` changes the PDF engine; without it the pinned
    one stays and only its version may be new.

    Raises:
        UsageError: no capture was accepted yet, or the new reading is worse.
        DocumentBusyError: it is being checked now.
    """
    store = services.store
    current = store.versions.current(document_id)
    if current is None:
        raise UsageError(
            "there is nothing to read anew: no capture was accepted yet",
            document_id=document_id,
            hint="check the document first",
        )
    options = extract_options(services.entries.get(document_id), engine or current.rendition.engine)
    leased = store.documents.claim(
        document_id, services.clock.now(), lease_seconds=_LEASE_SECONDS, owner="rerender"
    )
    try:
        return await Intake(services).reread(leased, current, options)
    finally:
        store.documents.release(
            leased.lease, next_check=leased.document.next_check, fails=leased.document.fails
        )
