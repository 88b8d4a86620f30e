"""SIGKILL at every place where something becomes durable: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.store.store_bench import DOCUMENT, START, URL, Bench, day, in_child
from watcher.domain.anchors import cite
from watcher.domain.changes import ChangeClass, Classification, Severity, Tier
from watcher.domain.statements import Statement, Status
from watcher.domain.text import CanonicalText
from watcher.store import (
    AlertKind,
    ChangeState,
    DeclaredDocument,
    NewAlert,
    NewEmission,
    Store,
)

pytestmark = pytest.mark.kill

SERVED = ["Kept for 30 days.\n", "Kept for 90 days.\n", "Kept for 30 days.\n", "Not kept.\n"]
QUOTES = ["30", "days", "Kept"]
KILLS = 16


def life(directory: Path) -> None:
    """What a service does with one document, from wherever it was interrupted."""
    with Store.open(directory) as store:
        store.documents.sync([DeclaredDocument(DOCUMENT, "T", (URL,), "d")], START)
        lease = store.documents.claim(DOCUMENT, day(0), lease_seconds=9e6, owner="w").lease
        bench = Bench(store, lease, directory)
        done = len(store.captures.list(DOCUMENT))
        for number in range(max(0, done - 1), len(SERVED)):
            bench.commit(SERVED[number], day(number), etag=f'"{number}"')
            if number == 0:
                emit(store)
            follow(store)
        deliver(store, directory / "sink")
        second = store.versions.list(DOCUMENT)[1]
        if not second.purged:
            store.purges.purge(
                DOCUMENT, second.version, at=day(9), rule="order", actor="mara", reason="r"
            )
        store.documents.release(lease, next_check=day(10), fails=0)


def emit(store: Store) -> None:
    text = CanonicalText(SERVED[0].encode())
    for ordinal, quote in enumerate(QUOTES):
        start = SERVED[0].index(quote)
        citation = cite(text, DOCUMENT, [(start, start + len(quote))])
        store.citations.emit(
            citation, NewEmission("app", "answer", ordinal, day(0), day(0) + timedelta(days=400))
        )


def follow(store: Store) -> None:
    """Bring every change to its last state, two citations at a time."""
    judged = Classification(ChangeClass.EDITORIAL, Tier.DIGEST, 0.1, (), (), "", (), (), "p")
    for change in store.changes.pending():
        if change.state is ChangeState.STORED:
            store.changes.save_classification(change.change_id, judged, at=change.at)
        statement = Statement(Status.MOVED, algorithm="r/1")
        while batch := store.citations.unanchored(
            change.change_id, change.at, algorithm="r/1", limit=2
        ):
            store.changes.save_statements(
                change.change_id, [(stored.number, statement) for stored in batch], at=change.at
            )
        alert = NewAlert(
            change.change_id, "ops", AlertKind.CHANGE, DOCUMENT, Severity.INFO, change.at, change.at
        )
        store.changes.finish(change.change_id, [alert])


def deliver(store: Store, sink: Path) -> None:
    """Write each key into `sink`, then say so; a sender may die in between."""
    for alert in store.outbox.claim_due(day(20), limit=9, lease_seconds=0):
        with sink.open("a") as file:
            file.write(f"{alert.event_id}\n")
        store.outbox.delivered(alert.number, at=day(20))


def told(directory: Path) -> dict[str, object]:
    """Everything that is to be the same however often the service was killed."""
    with Store.open(directory, read_only=True) as store:
        citations = [stored.citation.citation_id for stored in store.citations.list()]
        return {
            "versions": store.versions.list(DOCUMENT),
            "captures": store.captures.list(DOCUMENT),
            "changes": store.changes.list(),
            "citations": citations,
            "uses": [
                (use.citation_id, use.ordinal)
                for name in citations
                for use in store.citations.emissions(name)
            ],
            "statements": [store.citations.statements(name) for name in citations],
            "alerts": [(a.event_id, a.state, a.receipt) for a in store.outbox.list()],
            "tombstones": store.versions.tombstones(DOCUMENT),
            "sink": sorted(set((directory / "sink").read_text().split())),
            "blobs": sorted(path.name for path in directory.glob("blobs/*/*/*")),
            "observed": [
                (run.first, run.count, run.verdict.outcome)
                for run in store.observations.list(DOCUMENT)
            ],
        }


def at_each_step(step: Callable[[], None]) -> None:
    """Call `step` before each fsync, link, unlink and commit, and after each fsync and link."""

    def around(name: str, owner: object) -> None:
        real = getattr(owner, name)

        def stepping(*given: object, **named: object) -> object:
            step()
            result = real(*given, **named)
            step()
            return result

        setattr(owner, name, stepping)

    around("fsync", os)
    around("link", os)
    around("unlink", Path)
    event.listen(Engine, "commit", lambda _: step())


def killed_at(directory: Path, number: int) -> int:
    """Live in a child that kills itself at its step `number`; return its status."""

    def work() -> None:
        left = number

        def step() -> None:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

        at_each_step(step)
        life(directory)

    return in_child(work)


def count_steps(directory: Path) -> int:
    def work() -> None:
        steps = 0

        def step() -> None:
            nonlocal steps
            steps += 1

        at_each_step(step)
        life(directory)
        (directory / "steps").write_text(str(steps))

    assert in_child(work) == 0
    return int((directory / "steps").read_text())


def test_a_killed_service_loses_nothing_and_doubles_nothing(
    tmp_path: Path, empty_store: Path
) -> None:
    shutil.copytree(empty_store, tmp_path / "whole")
    steps = count_steps(tmp_path / "whole")
    expected = told(tmp_path / "whole")
    assert len(expected["sink"]) == 3  # type: ignore[arg-type]
    chosen = random.Random(7).sample(range(1, steps + 1), KILLS)
    for number in chosen:
        directory = tmp_path / str(number)
        shutil.copytree(empty_store, directory)
        assert killed_at(directory, number) == -signal.SIGKILL
        assert in_child(lambda directory=directory: life(directory)) == 0  # type: ignore[misc]
        assert told(directory) == expected, f"killed at step {number} of {steps}"
        shutil.rmtree(directory)


def test_a_service_killed_again_and_again_arrives(tmp_path: Path, empty_store: Path) -> None:
    shutil.copytree(empty_store, tmp_path / "whole")
    assert in_child(lambda: life(tmp_path / "whole")) == 0
    expected = told(tmp_path / "whole")
    shutil.copytree(empty_store, tmp_path / "var")
    chance, kills = random.Random(11), 0
    while killed_at(tmp_path / "var", chance.randint(1, 40)):
        kills += 1
        assert kills < 100
    assert kills >= 3
    assert told(tmp_path / "var") == expected


def test_a_store_killed_while_it_is_made_is_made_the_next_time(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        directory = tmp_path / str(number)
        assert killed_at(directory, number) == -signal.SIGKILL
        Store.open(directory).close()
