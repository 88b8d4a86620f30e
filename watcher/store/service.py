"""What the daemon keeps of itself, so that a restart forgets and repeats nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from watcher.domain.ids import CitationId, DocumentId
from watcher.domain.resolution import Reason
from watcher.store import tables
from watcher.store.database import Database

_sample, _alert, _fault, _tally = (
    tables.service_sample,
    tables.service_alert,
    tables.citation_fault,
    tables.service_tally,
)

INGEST, CANARY = "ingest", "canary"
"""What is tallied: new versions by `stored` or `mismatch`, canaries by `pass` or `fail`."""


@dataclass(frozen=True, slots=True)
class ServiceAlert:
    """How an alert on an error budget stood at the last look at it."""

    looked_at: datetime
    active_since: datetime | None
    firing_since: datetime | None
    value: float


class ServiceRecords:
    """Samples and alerts of the objectives, broken citations, tallies of few events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def samples(self, since: datetime) -> tuple[tuple[datetime, Mapping[str, float]], ...]:
        """Return what was sampled since then, oldest first."""
        query = select(_sample).where(_sample.c.at >= since).order_by(_sample.c.at)
        with self._database.read() as connection:
            return tuple((row.at, row.samples) for row in connection.execute(query))

    def looked(
        self,
        at: datetime,
        samples: Mapping[str, float],
        alerts: Mapping[str, ServiceAlert],
        *,
        keep_since: datetime,
    ) -> None:
        """Keep what one look sampled and how every alert stands now; drop what is older."""
        with self._database.write() as connection:
            connection.execute(delete(_sample).where(_sample.c.at < keep_since))
            connection.execute(delete(_sample).where(_sample.c.at == at))
            connection.execute(insert(_sample).values(at=at, samples=dict(samples)))
            connection.execute(delete(_alert))
            if alerts:
                connection.execute(
                    insert(_alert),
                    [
                        {
                            "key": key,
                            "looked_at": alert.looked_at,
                            "active_since": alert.active_since,
                            "firing_since": alert.firing_since,
                            "value": alert.value,
                        }
                        for key, alert in alerts.items()
                    ],
                )

    def alerts(self) -> dict[str, ServiceAlert]:
        """Return how every alert on an error budget stood last, by its key."""
        with self._database.read() as connection:
            return {
                row.key: ServiceAlert(row.looked_at, row.active_since, row.firing_since, row.value)
                for row in connection.execute(select(_alert))
            }

    def faults(self) -> dict[CitationId, Reason]:
        """Return the citations that the audit found broken, and why."""
        with self._database.read() as connection:
            return {
                CitationId(row.citation_id): Reason(row.reason)
                for row in connection.execute(select(_fault))
            }

    def audited(
        self, document_id: DocumentId, broken: Mapping[CitationId, Reason], at: datetime
    ) -> None:
        """Keep which citations of a document are broken; those it had are forgotten."""
        known = select(_fault.c.citation_id, _fault.c.reason).where(
            _fault.c.document_id == document_id
        )
        with self._database.read() as connection:
            before = {row.citation_id: row.reason for row in connection.execute(known)}
        if before == {name: reason.value for name, reason in broken.items()}:
            return
        with self._database.write() as connection:
            connection.execute(delete(_fault).where(_fault.c.document_id == document_id))
            for citation_id, reason in broken.items():
                connection.execute(
                    insert(_fault).values(
                        citation_id=citation_id,
                        document_id=document_id,
                        reason=reason.value,
                        at=at,
                    )
                )

    def count(self, kind: str, result: str, at: datetime) -> None:
        """Count one event."""
        with self._database.write() as connection:
            count_event(connection, kind, result, at)

    def tallies(self, kind: str) -> dict[str, tuple[int, datetime]]:
        """Return how often events of a kind ended how, and when last, by result."""
        query = select(_tally).where(_tally.c.kind == kind)
        with self._database.read() as connection:
            return {
                row["result"]: (row["count"], row["last"])
                for row in connection.execute(query).mappings()
            }


_GROW = (
    update(_tally)
    .where(_tally.c.kind == bindparam("of"), _tally.c.result == bindparam("ended"))
    .values(count=_tally.c.count + 1, last=bindparam("at"))
)
_NEW_TALLY = insert(_tally)


def count_event(connection: Connection, kind: str, result: str, at: datetime) -> None:
    """Count one event inside the caller's transaction."""
    if not connection.execute(_GROW, {"of": kind, "ended": result, "at": at}).rowcount:
        row = {"kind": kind, "result": result, "count": 1, "last": at}
        connection.execute(_NEW_TALLY, row)
