"""Changes, alerts, where a citation is now, annotations, and the events of all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served, served_deployment

OLD = "Security logs must be kept for 365 days. 🎉 Backups are kept too."
NEW = "Security logs must be kept for 30 days. 🎉 Backups are kept too."


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_deployment(tmp_path_factory.mktemp("changes")) as made:
        deployment = made.deployment
        name = deployment.watch("retention", html(OLD), 'severity = "page"')
        deployment.check(name)
        deployment.cite(name, "logs must be kept for 365 days", "a-1")
        deployment.cite(name, "Backups are kept too.", "a-2")
        deployment.check(name, html(NEW))
        yield made


def citation(served: Served, quote: str) -> str:
    for item in served.http.get("/api/v1/documents/retention/citations").json()["items"]:
        found = served.http.get(f"/api/v1/citations/{item['citation_id']}").json()
        if quote in found["passages"][0]:
            return str(item["citation_id"])
    raise AssertionError(quote)


def test_a_change_is_shown_with_its_hunks_and_touched_citations(changed: Served) -> None:
    (row,) = changed.http.get("/api/v1/changes").json()["items"]
    assert (row["change_class"], row["tier"]) == ("policy-bearing", "page")
    detail = changed.http.get(f"/api/v1/changes/{row['change_id']}").json()
    pieces = [(p["mark"], p["text"]) for hunk in detail["hunks"] for p in hunk["pieces"]]
    assert ("removed", "365") in pieces or any("365" in t for m, t in pieces if m == "removed")
    assert [t["citation_id"] for t in detail["touched"]] == [citation(changed, "365")]
    assert detail["touched"][0]["answers"] == ["assistant/a-1#0"]
    assert changed.http.get("/api/v1/changes/nothing").json()["code"] == "unknown_change"


def test_verdict_triage_and_acknowledgement_are_recorded(changed: Served) -> None:
    (row,) = changed.http.get("/api/v1/changes").json()["items"]
    url = f"/api/v1/changes/{row['change_id']}"
    said = changed.http.post(f"{url}/verdict", json={"verdict": "right"})
    assert (said.status_code, said.json()["actor"]) == (200, "local")
    wrong = changed.http.post(f"{url}/verdict", json={"verdict": "missed"})
    assert (wrong.status_code, wrong.json()["code"]) == (409, "review")
    for body in ({"assignee": "mara", "due": "2026-06-01"}, {"disposition": "done"}):
        assert changed.http.post(f"{url}/triage", json=body).status_code == 201
    entries = changed.http.get(f"{url}/triage").json()
    assert [e["disposition"] for e in entries] == ["", "done"]
    for bad in ({"due": "soon"}, {"ticket": "javascript:alert(1)"}, {"disposition": "maybe"}):
        assert changed.http.post(f"{url}/triage", json=bad).status_code == 422
    (alert,) = changed.http.get("/api/v1/alerts").json()["items"]
    acked = changed.http.post(f"/api/v1/alerts/{alert['number']}/ack")
    assert acked.json()["acked_by"] == "local"
    assert changed.http.get("/api/v1/alerts/999").json()["code"] == "unknown_alert"


def test_a_citation_is_found_in_the_current_version(changed: Served) -> None:
    edited = changed.http.get(f"/api/v1/citations/{citation(changed, '365')}/where").json()
    assert (edited["status"], edited["material"], edited["carries"]) == ("edited", True, False)
    assert "30 days" in edited["places"][0]["text"]
    moved = changed.http.get(f"/api/v1/citations/{citation(changed, 'Backups')}/where").json()
    assert moved["places"][0]["text"] == "Backups are kept too."
    itself = changed.http.get(
        f"/api/v1/citations/{citation(changed, '365')}/where",
        params={"version": edited["emitted_on"]},
    )
    assert itself.json()["status"] == "unchanged"


def test_an_annotation_points_by_code_points_and_quotes(changed: Served) -> None:
    name = citation(changed, "Backups")
    answer = changed.http.get(f"/api/v1/citations/{name}/annotation")
    assert answer.headers["content-type"].startswith("application/ld+json")
    target = answer.json()["target"]
    position, quoted = target["selector"]
    text = changed.http.get(target["source"]).content.decode()
    assert text[position["start"] : position["end"]] == quoted["exact"] == "Backups are kept too."
    assert text[: position["start"]].endswith(quoted["prefix"])
    assert text[position["end"] :].startswith(quoted["suffix"])


def feed(served: Served, after: str = "", limit: int = 100) -> dict[str, Any]:
    page = served.http.get("/api/v1/events", params={"after": after, "limit": limit})
    return dict(page.json())


def test_events_can_be_followed_one_by_one_and_again(changed: Served) -> None:
    whole = feed(changed)
    kinds = [event["kind"] for event in whole["items"]]
    assert sorted(kinds) == ["change", "citation", "version", "version"]
    told = next(e for e in whole["items"] if e["kind"] == "citation")["data"]
    assert told["status"] == "edited"
    assert told["answers"] == [{"caller": "assistant", "answer_id": "a-1", "ordinal": 0}]
    versions = [e["data"] for e in whole["items"] if e["kind"] == "version"]
    assert versions[1]["previous"] == versions[0]["version"]
    assert set(versions[1]["deletes"]) <= {c["sha256"] for c in versions[0]["upserts"]}
    assert versions[1]["upserts"]
    single, after = [], ""
    while True:
        page = feed(changed, after, 1)
        single += page["items"]
        after = page["next"]
        if not page["more"]:
            break
    assert single == whole["items"]
    assert feed(changed, whole["next"])["items"] == []
    for event in whole["items"]:
        rest = feed(changed, event["cursor"])["items"]
        assert rest == whole["items"][len(whole["items"]) - len(rest) :]
    assert changed.http.get("/api/v1/events?after=7").json()["code"] == "usage"


def test_events_are_streamed_from_the_last_one_seen(changed: Served) -> None:
    whole = feed(changed)["items"]
    headers = {"Last-Event-ID": whole[0]["cursor"]}
    with changed.http.stream("GET", "/api/v1/events/stream", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        rows = []
        for line in stream.iter_lines():
            if line.startswith("data: "):
                rows.append(json.loads(line.removeprefix("data: ")))
            if len(rows) == len(whole) - 1:
                break
    assert rows == whole[1:]


def test_atom_names_the_changes_and_no_text(changed: Served) -> None:
    answer = changed.http.get("/api/v1/documents/retention/atom")
    feed = ET.fromstring(answer.content)
    assert len(feed.findall("{http://www.w3.org/2005/Atom}entry")) == 1
    assert b"365" not in answer.content


def test_the_quick_way_says_what_the_thorough_one_says(changed: Served) -> None:
    citations = changed.deployment.store.citations
    for item in changed.http.get("/api/v1/documents/retention/citations").json()["items"]:
        name = item["citation_id"]
        found = citations.resolve(name)
        assert citations.resolve_warm(name) == found
        shown = changed.http.get(f"/api/v1/citations/{name}").json()
        assert shown["standing"] == found.standing.value == "superseded"
        assert shown["passages"] == [passage.decode() for passage in found.passages]
    assert citations.resolve_warm("c1" + "a" * 32) is None


def test_a_purged_version_is_gone_with_its_tombstone(changed: Served) -> None:
    versions = changed.http.get("/api/v1/documents/retention/versions").json()["items"]
    name = citation(changed, "365")
    store, clock = changed.deployment.store, changed.deployment.clock
    document = changed.deployment.services.store.documents.get("retention").document_id  # type: ignore[arg-type]
    store.purges.purge(
        document,
        versions[0]["version"],
        at=clock.now(),
        rule="order 7",
        actor="mara",
        reason="by order",
        forced="by order",
    )
    for url in (
        f"/api/v1/documents/retention/versions/{versions[0]['version']}/text",
        f"/api/v1/citations/{name}",
    ):
        gone = changed.http.get(url)
        assert (gone.status_code, gone.json()["code"]) == (410, "version_purged")
        assert "by mara under order 7" in gone.json()["detail"]
        assert "365" not in gone.text
    assert feed(changed)["items"][-1]["kind"] == "purged"
