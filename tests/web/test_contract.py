"""Every address of the OpenAPI description, asked by schemathesis: no answer is a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from tests.pipeline.deployment import html
from tests.web.conftest import Served, served_deployment
from watcher.web.problems import PROBLEMS

REAL = {"document_id": "retention", "version": "current"}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_deployment(tmp_path_factory.mktemp("contract")) as made:
        deployment = made.deployment
        name = deployment.watch("retention", html("Logs are kept for 365 days."))
        deployment.check(name)
        deployment.cite(name, "365 days")
        deployment.check(name, html("Logs are kept for 30 days."))
        yield made


def test_no_request_meets_a_fault(api: Served) -> None:
    document = api.http.get("/api/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    document["servers"] = [{"url": api.url}]
    schema = schemathesis.openapi.from_dict(document)
    cites = api.http.get("/api/v1/documents/retention/citations").json()["items"]
    change = api.http.get("/api/v1/changes").json()["items"][0]
    capture = api.http.get("/api/v1/documents/retention/captures").json()["items"][0]
    real = {
        **REAL,
        "citation_id": cites[0]["citation_id"],
        "change_id": change["change_id"],
        "capture_id": capture["capture_id"],
    }
    faults: list[str] = []
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # an address not understood ends it
        if operation.path.endswith("/stream"):
            continue  # it answers for minutes: tests/web/test_changes.py reads it
        _ask(api, operation, real, faults)
    assert faults == []


def _ask(api: Served, operation: Any, real: dict[str, str], faults: list[str]) -> None:
    @settings(
        max_examples=8,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def run(case: Any) -> None:
        for names in ({}, {k: v for k, v in real.items() if k in (case.path_parameters or {})}):
            case.path_parameters = {**(case.path_parameters or {}), **names}
            answer = case.call(base_url=api.url, timeout=20)
            if answer.status_code >= 500:
                faults.append(f"{operation.label}: {answer.status_code} {answer.text[:300]}")
            elif answer.status_code >= 400 and "problem" in answer.headers["content-type"]:
                assert answer.json()["code"] in PROBLEMS

    run()
