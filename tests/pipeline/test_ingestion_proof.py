"""A new version counts as stored only once every chunk of it gives its hash again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.collectors import IngestResult
from watcher.domain.chunks import chunks
from watcher.domain.resolution import HashMismatchError
from watcher.pipeline.counting import read_counts
from watcher.store import texts


def test_a_version_that_does_not_prove_itself_is_not_stored_and_counted(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = deployment.watch("retention", html("Access logs are kept for 30 days everywhere."))
    with monkeypatch.context() as broken:
        broken.setattr(
            texts, "chunks", lambda text: [replace(part, sha256="0" * 64) for part in chunks(text)]
        )
        with pytest.raises(HashMismatchError, match="does not give its hash again"):
            deployment.check(name)
    assert deployment.store.versions.current(name) is None
    assert read_counts(deployment.services).ingests == {IngestResult.MISMATCH: 1}
    deployment.clock.pass_time(minutes=5)
    deployment.check(name)
    assert deployment.store.versions.current(name) is not None
    assert read_counts(deployment.services).ingests == {
        IngestResult.MISMATCH: 1,
        IngestResult.STORED: 1,
    }
