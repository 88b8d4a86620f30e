"""Citations over HTTP: emitted, resolved, withdrawn; one or many; exact or an error by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served, served_deployment
from watcher.domain.resolution import REASONS
from watcher.web.api.citations import EmitAnswer, ResolutionOut, ResolveAnswer

OLD = "Logs are kept for 365 days. Grüße, 日本 🎉 end."


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_deployment(tmp_path_factory.mktemp("citing")) as made:
        name = made.deployment.watch("retention", html(OLD, "Twice. Twice."))
        made.deployment.check(name)
        yield made


def emit(http: httpx.Client, answer: str, **fields: Any) -> httpx.Response:
    body = {"document_id": "retention", "answer_id": answer, **fields}
    return http.post("/api/v1/citations", json=body)


def test_a_citation_is_emitted_once_and_resolves_to_its_bytes(cited: Served) -> None:
    first = emit(cited.http, "a1", quote="kept for 365 days")
    again = emit(cited.http, "a1", quote="kept for 365 days")
    assert (first.status_code, again.status_code) == (201, 200)
    assert (first.json()["new"], again.json()["new"]) == (True, False)
    assert first.json()["found_by"] == "bytes"
    other = emit(cited.http, "a1", quote="Grüße")
    assert (other.status_code, other.json()["code"]) == (409, "emission_conflict")
    name = first.json()["citation_id"]
    found = cited.http.get(f"/api/v1/citations/{name}")
    assert found.json()["passages"] == ["kept for 365 days"]
    assert found.json()["standing"] == "current"
    digest = hashlib.sha256(b"kept for 365 days").hexdigest()
    assert found.json()["anchors"][0]["sha256"] == digest
    assert (
        ResolutionOut.model_validate_json(found.content).model_dump(mode="json", by_alias=True)
        == found.json()
    ), "what is encoded by hand has the described form"


@pytest.mark.parametrize("unit", ["utf-8-bytes", "utf-16-code-units", "code-points"])
def test_offsets_of_any_unit_cite_the_same(cited: Served, unit: str) -> None:
    text = cited.http.get("/api/v1/documents/retention/versions/current/text").content.decode()
    begin = text.index("🎉 end")
    encoding, width = {"utf-8-bytes": ("utf-8", 1), "utf-16-code-units": ("utf-16-le", 2)}.get(
        unit, ("utf-32-le", 4)
    )
    start = len(text[:begin].encode(encoding)) // width
    end = len(text[: begin + 5].encode(encoding)) // width
    made = emit(cited.http, f"unit-{unit}", ranges=[[start, end]], unit=unit).json()
    found = cited.http.get(f"/api/v1/citations/{made['citation_id']}", params={"unit": unit})
    anchor = found.json()["anchors"][0]
    assert found.json()["passages"] == ["🎉 end"]
    assert (anchor["start"], anchor["end"], anchor["unit"]) == (start, end, unit)
    answer = cited.http.post("/api/v1/citations/resolve", json={"items": [anchor]}).json()
    assert answer["items"][0]["resolution"]["passages"] == ["🎉 end"]


def test_a_batch_has_an_outcome_for_each(cited: Served) -> None:
    def use(answer: str, **fields: Any) -> dict[str, Any]:
        return {"document_id": "retention", "answer_id": answer, **fields}

    items = [
        use("b1", quote="365 days"),
        use("b2", ranges=[[0, 4]]),
        use("b3", quote="Twice."),
        use("b4", quote="nowhere"),
        use("b5", ranges=[[5, 5]]),
        use("b6", ranges=[[0, 10**18]]),
        use("b7", version="sha256:" + "0" * 64, quote="x"),
        {**use("b8", quote="x"), "document_id": "nothing"},
        use("b1", quote="365 days"),
        use("b1", quote="Grüße"),
        use("b9"),
    ]
    answer = cited.http.post("/api/v1/citations/batch", json={"items": items})
    EmitAnswer.model_validate_json(answer.content)
    told = [(i["status"], i.get("problem", {}).get("code")) for i in answer.json()["items"]]
    assert told == [
        (201, None),
        (201, None),
        (409, "quote_ambiguous"),
        (422, "quote_not_found"),
        (400, "range_invalid"),
        (400, "range_invalid"),
        (404, "unknown_version"),
        (404, "unknown_document"),
        (200, None),
        (409, "emission_conflict"),
        (400, "usage"),
    ]
    again = cited.http.post("/api/v1/citations/batch", json={"items": items[:2]}).json()
    assert [item["status"] for item in again["items"]] == [200, 200]
    many = cited.http.post("/api/v1/citations/batch", json={"items": [items[0]] * 1001})
    assert many.json()["code"] == "invalid_request"


def test_many_are_resolved_with_an_outcome_for_each(cited: Served) -> None:
    made = emit(cited.http, "c1", quote="Logs are").json()
    anchor = made["anchors"][0]
    wrong = [
        ({**anchor, "sha256": "0" * 64}, "anchor_mismatch"),
        ({**anchor, "page": 2}, "page_mismatch"),
        ({**anchor, "end": anchor["start"]}, "range_invalid"),
        ({**anchor, "unit": "bytes"}, "unit_invalid"),
        ({**anchor, "version": "sha256:" + "0" * 64}, "unknown_version"),
        ({**anchor, "document_id": "nothing"}, "unknown_document"),
        ({**anchor, "citation_id": "c1" + "a" * 32}, "anchor_mismatch"),
        ({}, "forbidden"),
        ("c1" + "a" * 32, "unknown_citation"),
        ("nonsense", "unknown_citation"),
        ("", "unknown_citation"),
    ]
    items = [made["citation_id"], anchor, *(item for item, _ in wrong), made["citation_id"]]
    answer = cited.http.post("/api/v1/citations/resolve", json={"items": items})
    ResolveAnswer.model_validate_json(answer.content)
    rows = answer.json()["items"]
    assert [row.get("problem", {}).get("code") for row in rows[2:-1]] == [c for _, c in wrong]
    for row in (*rows[:2], rows[-1]):
        assert row["resolution"]["passages"] == ["Logs are"]
    for row in rows:
        code = row.get("problem", {}).get("code")
        if code in {reason.value for reason in REASONS}:
            assert row["status"] == next(f.http_status for r, f in REASONS.items() if r == code)


def test_a_use_is_withdrawn_by_its_key(cited: Served) -> None:
    made = emit(cited.http, "w1", quote="Grüße", caller="assistant").json()
    uses = f"/api/v1/citations/{made['citation_id']}/emissions"
    key = {"caller": "assistant", "answer_id": "w1", "reason": "answer deleted"}
    done = cited.http.post("/api/v1/emissions/withdraw", json=key)
    assert done.json()["withdrawn_at"] is not None
    assert cited.http.post("/api/v1/emissions/withdraw", json=key).json() == done.json()
    assert done.json() in cited.http.get(uses).json()
    key["answer_id"] = "other"
    missing = cited.http.post("/api/v1/emissions/withdraw", json=key)
    assert missing.json()["code"] == "unknown_citation"


def test_citations_are_paged_by_key(cited: Served) -> None:
    url, seen, after = "/api/v1/documents/retention/citations", [], ""
    while True:
        page = cited.http.get(url, params={"limit": 2, "after": after}).json()
        seen += [item["citation_id"] for item in page["items"]]
        if page["next"] is None:
            break
        after = page["next"]
    listed = cited.http.get(url).json()["items"]
    assert seen == [item["citation_id"] for item in listed]
    assert len(seen) == len(set(seen)) > 4


@pytest.mark.parametrize(
    "body",
    [
        {"quote": "x", "surprise": 1},
        {"ranges": [[True, 4]]},
        {"ranges": [["0", 4]]},
        {"ranges": [[0.0, 4]]},
        {"ordinal": -1, "quote": "x"},
        {"ordinal": 2**31, "quote": "x"},
        {"unit": "bytes", "ranges": [[0, 1]]},
        {"version": "7", "quote": "x"},
        {"caller": "x" * 1001, "quote": "x"},
    ],
)
def test_what_has_not_the_form_is_refused(cited: Served, body: dict[str, Any]) -> None:
    assert emit(cited.http, "bad", **body).json()["code"] == "invalid_request"


def test_lone_surrogates_and_nul_are_refused(cited: Served) -> None:
    for key in ('"\\ud800"', '"a\\u0000"'):
        body = f'{{"document_id":"retention","quote":"Logs","answer_id":{key}}}'
        headers = {"content-type": "application/json"}
        answer = cited.http.post("/api/v1/citations", content=body, headers=headers)
        assert answer.status_code in {400, 422}
