"""The audit finds what no longer resolves, tells it, and forgets what was mended."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.pipeline.deployment import Deployment, html
from watcher.domain.resolution import UnreadableError
from watcher.pipeline.auditing import Auditor, audit_document
from watcher.store.versions import Versions

POLICY = (
    "Access logs are kept for 30 days and then deleted from every system that we run.",
    "Exceptions need the written approval of the data protection officer of the company.",
)


def sample(deployment: Deployment, name: str, **labels: str) -> float:
    found = deployment.services.metrics.registry.get_sample_value(name, labels)
    assert found is not None
    return found


def blob_of(deployment: Deployment, sha256: str) -> Path:
    (path,) = [p for p in (deployment.folder / "var").rglob("*") if sha256[2:] in p.name]
    return path


def test_an_audit_resolves_every_live_citation(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*POLICY))
    deployment.check(name)
    for number in range(5):
        deployment.cite(name, "kept for 30 days", answer=f"a-{number}")
    deployment.cite(name, "written approval")
    assert audit_document(deployment.services, name) == {}
    assert sample(deployment, "watcher_citation_checks_total", source="audit", result="ok") == 2, (
        "two passages, however many answers use them"
    )


def test_a_damaged_version_is_found_told_and_forgotten_when_mended(
    deployment: Deployment,
) -> None:
    name = deployment.watch("retention", html(*POLICY))
    deployment.check(name)
    cited = deployment.cite(name, "kept for 30 days")
    auditor = Auditor(lambda: deployment.services)
    asyncio.run(auditor.run())
    assert sample(deployment, "watcher_citations_unresolvable", reason="hash_mismatch") == 0
    first = sample(deployment, "watcher_citation_audit_last_success_timestamp_seconds")

    blob = blob_of(deployment, cited.citation.version.removeprefix("sha256:"))
    good = blob.read_bytes()
    blob.chmod(0o644)
    blob.write_bytes(good[:-2] + bytes([good[-2] ^ 1]) + good[-1:])
    with capture_logs() as told:
        asyncio.run(auditor.run())
    assert (
        sum(
            sample(deployment, "watcher_citations_unresolvable", reason=reason)
            for reason in ("hash_mismatch", "unknown_version")
        )
        == 1
    )
    events = [line["event"] for line in told]
    assert "citation.unresolvable" in events
    assert "version.damaged" in events

    blob.write_bytes(good)
    asyncio.run(auditor.run())
    assert sample(deployment, "watcher_citations_unresolvable", reason="hash_mismatch") == 0
    assert sample(deployment, "watcher_citation_audit_last_success_timestamp_seconds") >= first


def test_the_first_failure_audits_all_the_rest_at_once(deployment: Deployment) -> None:
    names = [deployment.watch(f"policy-{n:02}", html(*POLICY)) for n in range(70)]
    deployment.check(names[0])
    cited = deployment.cite(names[0], "kept for 30 days")
    blob = blob_of(deployment, cited.citation.version.removeprefix("sha256:"))
    blob.chmod(0o644)
    blob.write_bytes(b"something else")
    auditor = Auditor(lambda: deployment.services)
    asyncio.run(auditor.run())
    assert len(auditor._waiting) == 35, "half a minute is two slices"
    asyncio.run(auditor.run())
    assert not auditor._waiting


def test_what_the_store_cannot_tell_now_proves_nothing(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = deployment.watch("retention", html(*POLICY))
    deployment.check(name)
    deployment.cite(name, "kept for 30 days")

    def unreadable(*_: object) -> None:
        raise UnreadableError("the disk does not answer", document_id=name)

    monkeypatch.setattr(Versions, "text", unreadable)
    assert audit_document(deployment.services, name) == {}
    assert (
        sample(deployment, "watcher_citation_checks_total", source="audit", result="unreadable")
        == 1
    )


def test_a_document_that_could_not_be_audited_is_not_skipped(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment.watch("retention", html(*POLICY))
    auditor = Auditor(lambda: deployment.services)
    with monkeypatch.context() as broken:
        broken.setattr("watcher.pipeline.auditing.audit_document", _locked)
        with pytest.raises(OSError, match="locked"):
            asyncio.run(auditor.run())
    assert len(auditor._waiting) == 1
    asyncio.run(auditor.run())
    assert not auditor._waiting


def _locked(*_: object) -> None:
    raise OSError("locked")
