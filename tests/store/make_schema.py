"""Write a data directory of the present schema into `schemas/`, to be kept for good.

    python -m tests.store.make_schema

Run once for each schema, before the next one begins; never change what is there.
"""

from __future__ import annotations

from pathlib import Path

from tests.store.store_bench import DOCUMENT, bench_in, day
from watcher.domain.ids import VersionId
from watcher.domain.verdicts import Outcome
from watcher.store.migrate import SCHEMA

TEXTS = ("Data is kept for 30 days.\n", "Data is kept for 90 days.\n", "Nothing is kept.\n")


def make(directory: Path) -> None:
    bench = bench_in(directory)
    with bench.store as store:
        for number, text in enumerate(TEXTS):
            commit = bench.commit(text, day(number), etag=f'"{number}"')
        bench.cite(TEXTS[0], "30 days", day(1))
        bench.store.observations.record(
            bench.lease, bench.seen(day(3), capture_id=commit.capture_id)
        )
        bench.commit(TEXTS[1], day(4), outcome=Outcome.HELD)
        purged = VersionId(str(commit.version))
        store.purges.purge(
            DOCUMENT, purged, at=day(5), rule="order", actor="mara", reason="r", forced="by order"
        )
    for leftover in ("lock", "writers"):
        (directory / leftover).unlink()


if __name__ == "__main__":
    make(Path(__file__).parent / "schemas" / SCHEMA)
