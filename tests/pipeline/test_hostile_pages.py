"""Pages made to keep a parser busy cost what the killable worker may use, and no more."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment
from watcher.domain.reading import ExtractVerdict, MediaType, Problem
from watcher.domain.verdicts import Outcome, Refusal
from watcher.extract.failure import failed
from watcher.pipeline.at_hand import AtHand
from watcher.pipeline.verdicts import judge_reading
from watcher.store.rows import NewCapture

NESTED = b"<div>" * 300_000 + b"logs are kept for thirty days"
ATTRIBUTES = b"<p " + b" ".join(b"a%d=b" % n for n in range(300_000)) + b">logs are kept"


@pytest.mark.parametrize("body", [NESTED, ATTRIBUTES], ids=["nested", "attributes"])
def test_what_the_worker_could_not_read_is_not_parsed_beside_it(
    deployment: Deployment, body: bytes
) -> None:
    """Both bodies keep the parser busy for longer than a test may run."""
    capture = NewCapture(
        body=body, url="https://policy.example/terms", captured_at=deployment.clock.now()
    )
    problem = Problem("cpu", "was not read within 14 CPU seconds")
    reading = failed(ExtractVerdict.FAILED, problem, MediaType.HTML)
    verdict = judge_reading(AtHand(deployment.services), capture, reading, None, None)
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.DECODE_ERROR)
    assert "14 CPU seconds" in verdict.message
