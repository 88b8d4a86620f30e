"""The viewer's pages, from the real application: what they show, refuse and escape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import httpx
import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served, configured, served_deployment
from tests.web.test_access import add_token

OLD = "Security logs must be kept for 365 days. 🎉 Backups are kept too."
NEW = "Security logs must be kept for 30 days. 🎉 Backups are kept too."
EVIL = "&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(2)&gt; \u202eevil"
LONG = "The officer reviews every exception once a year and writes down why it was made."


@pytest.fixture(scope="module")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_deployment(tmp_path_factory.mktemp("viewer")) as made:
        deployment = made.deployment
        name = deployment.watch("retention", html(OLD, EVIL, LONG), 'severity = "page"')
        deployment.check(name)
        deployment.cite(name, "logs must be kept for 365 days", "<b>a-1</b>")
        deployment.cite(name, "Backups are kept too.", "a-2")
        deployment.clock.pass_time(hours=6)
        deployment.check(name, html(NEW, EVIL, LONG))
        yield made


def change_of(served: Served) -> str:
    (row,) = served.http.get("/api/v1/changes").json()["items"]
    return f"/changes/{row['change_id']}"


def citation_of(served: Served, quote: str) -> str:
    for item in served.http.get("/api/v1/documents/retention/citations").json()["items"]:
        found = served.http.get(f"/api/v1/citations/{item['citation_id']}").json()
        if quote in found["passages"][0]:
            return f"/citations/{item['citation_id']}"
    raise AssertionError(quote)


def words(page: httpx.Response) -> str:
    """The text of a page, its white space collapsed."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", page.text)).split())


def versions(served: Served) -> list[str]:
    return versions_of(served, "retention")


def versions_of(served: Served, name: str) -> list[str]:
    listed = served.http.get(f"/api/v1/documents/{name}/versions").json()["items"]
    return [item["version"] for item in listed]


def test_a_range_of_a_version_is_highlighted_in_any_unit(viewed: Served) -> None:
    base = f"/documents/retention/versions/{versions(viewed)[0]}"
    text = viewed.http.get(f"/api/v1{base}/text").content.decode()
    begin = text.index("Backups are")
    end = begin + len("Backups are")
    units = {"utf-8-bytes": ("utf-8", 1), "utf-16-code-units": ("utf-16-le", 2)}
    for unit, (encoding, width) in units.items():
        at = [len(text[:place].encode(encoding)) // width for place in (begin, end)]
        page = viewed.http.get(base, params={"start": at[0], "end": at[1], "unit": unit})
        assert re.findall(r"<mark[^>]*>(.*?)</mark>", page.text) == ["Backups are"]
    body = re.search(r'<div class="text"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    assert body is not None
    assert unescape(re.sub(r"</?(mark|bdi)\b[^>]*>", "", body[1])) == text
    moved = viewed.http.get("/documents/retention/versions/current?start=0&end=3")
    assert moved.headers["location"].endswith(f"{versions(viewed)[1]}?start=0&end=3")


def test_a_citation_is_shown_as_emitted_and_as_it_is_now(viewed: Served) -> None:
    page = viewed.http.get(citation_of(viewed, "365"))
    assert "<mark" in page.text
    assert "Emitted on version" in words(page)
    assert "edited, and it may bear on the answer, here is the difference" in words(page)
    assert "<del>365</del>" in page.text
    assert "<ins>30</ins>" in page.text
    assert "<b>a-1" not in page.text
    same = viewed.http.get(citation_of(viewed, "Backups"))
    assert "<del>" not in same.text
    in_text = re.search(r'href="(/documents/[^"]*citation=[^"#]*)#m1"', page.text)
    assert in_text is not None
    assert "logs must be kept for 365 days</mark>" in viewed.http.get(in_text[1]).text


def test_the_alerts_link_opens_the_change(viewed: Served) -> None:
    with configured(viewed, '[links]\nbase = "https://watch.example"\n') as _:
        viewed.deployment.clock.pass_time(hours=1)
        viewed.deployment.deliver()
    (told,) = [b for b in viewed.deployment.receiver.bodies if "link" in b][:1]
    assert told["link"] == f"https://watch.example{change_of(viewed)}"
    page = viewed.http.get(told["link"].removeprefix("https://watch.example"))
    assert page.status_code == 200
    assert "policy-bearing" in page.text
    assert "<del>365" in page.text
    assert "data-first" in page.text
    assert citation_of(viewed, "365") in page.text
    side = viewed.http.get(change_of(viewed), params={"view": "side"})
    before, after = re.findall(r'<p class="redline"[^>]*>(.*?)</p>', side.text, re.DOTALL)
    assert (
        "365" in before,
        "365" in after,
        "30 days" in unescape(re.sub("<[^>]*>", "", after)),
    ) == (True, False, True)


def test_documents_timeline_and_lists_name_what_there_is(viewed: Served) -> None:
    assert viewed.http.get("/").headers["location"] == "/documents"
    assert "in order" in words(viewed.http.get("/documents"))
    timeline = viewed.http.get("/documents/retention")
    for link in (change_of(viewed), *(f"/versions/{v}" for v in versions(viewed))):
        assert link in timeline.text
    for path in ("/changes", "/review"):
        assert change_of(viewed) in viewed.http.get(path).text


def test_nothing_of_a_document_is_markup(viewed: Served) -> None:
    base = "/documents/retention"
    paths = [base, change_of(viewed), citation_of(viewed, "365"), "/documents"]
    for path in [*paths, *(f"{base}/versions/{v}" for v in versions(viewed))]:
        page = viewed.http.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "unsafe" not in page.headers["content-security-policy"]
        assert not re.search(r"<[^>]*\s(style|on\w+)=", page.text), "the policy forbids it"
    assert 'data-code="U+202E"' in page.text


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/documents/nothing", 404, "No document has that id"),
        (f"/documents/retention/versions/sha256:{'0' * 64}", 404, "never had that version"),
        ("/documents/retention/versions/current/pages/1.png", 404, "only a PDF"),
        ("/documents/retention/versions/7", 422, "does not have the described form"),
        ("/documents/retention/versions/{}?start=5", 400, "No anchor may have that range"),
        ("/documents/retention/versions/{}?start=5&end=5", 400, "No anchor may have that range"),
        ("/documents/retention/versions/{}?start=0&end=9999999", 400, "No anchor may"),
        ("/documents/retention/versions/{}?start=0&end=9&unit=feet", 422, "described form"),
        ("/documents/retention/versions/{}?citation=c1nothing", 404, "No citation"),
        ("/documents/retention/versions/{}/pages/1.png", 404, "only a PDF has pages"),
        ("/documents/retention/versions/{}/pages/9.png", 409, "the version has 1 page"),
        ("/citations/c1nothing", 404, "No citation was emitted under that id"),
        ("/changes/nothing", 404, "No change has that id"),
        ("/changes?after=zz", 400, "no cursor"),
    ],
)
def test_what_is_named_wrongly_is_a_page(viewed: Served, path: str, status: int, said: str) -> None:
    page = viewed.http.get(path.format(versions(viewed)[0]))
    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert said in words(page)


def test_triage_is_recorded_by_forms(viewed: Served) -> None:
    url = change_of(viewed)
    for path, form in (
        ("ack", {}),
        ("verdict", {"verdict": "right", "note": ""}),
        (
            "triage",
            {
                "assignee": "mara",
                "disposition": "action_needed",
                "due": "2026-06-01",
                "ticket": "https://t.example/1",
                "note": "<i>look</i>",
            },
        ),
        (
            "triage",
            {"assignee": "mara", "disposition": "done", "due": "", "ticket": "", "note": ""},
        ),
    ):
        done = viewed.http.post(f"{url}/{path}", data=form)
        assert (done.status_code, done.headers["location"]) == (303, f"{url}#triage")
    page = viewed.http.get(url)
    assert "Verdict so far: right by local" in words(page)
    assert "<i>look</i>" in words(page), "escaped"
    assert "taken on by local" in words(page)
    assert [e["disposition"] for e in viewed.http.get(f"/api/v1{url}/triage").json()] == [
        "action_needed",
        "done",
    ]
    for path, form, status in (
        ("triage", {"ticket": "javascript:alert(1)"}, 422),
        ("triage", {"due": "soon"}, 422),
        ("triage", {"surprise": "1"}, 422),
        ("verdict", {"verdict": "missed"}, 409),
    ):
        assert viewed.http.post(f"{url}/{path}", data=form).status_code == status
    assert viewed.http.post(f"{url}/ack", content=b"\xff").status_code == 303, "it reads no form"
    assert viewed.http.post(f"{url}/triage", content=b"\xff").status_code == 400


def test_another_sites_page_triages_nothing(viewed: Served) -> None:
    url = change_of(viewed)
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
    ):
        refused = viewed.http.post(f"{url}/triage", data={"assignee": "eve"}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")
    assert "eve" not in viewed.http.get(url).text


def test_signing_in_keeps_the_token_and_leads_back(served: Served) -> None:
    deployment = served.deployment
    deployment.clock.time = datetime.now(UTC)  # commands use the machine's clock
    for name, lines in (("open", ""), ("closed", 'groups = ["legal"]')):
        deployment.check(deployment.watch(name, html(OLD), lines))
    token = add_token(served, "ann", "--expires", "30d")["Authorization"].removeprefix("Bearer ")
    asked = served.http.get("/documents/open?show=7")
    assert asked.status_code == 401
    assert 'value="/documents/open?show=7"' in asked.text
    assert served.http.post("/signin", data={"token": "wt_wrong"}).status_code == 401
    for here, there in (
        ("/documents/open?show=7", "/documents/open?show=7"),
        ("https://evil.example/", "/documents"),
        ("//evil.example/", "/documents"),
        ("/\\evil.example/", "/documents"),
    ):
        done = served.http.post("/signin", data={"token": token, "here": here})
        assert (done.status_code, done.headers["location"]) == (303, there)
    assert "HttpOnly" in done.headers["set-cookie"]
    shown = served.http.get("/documents")
    assert "/documents/open" in shown.text
    assert "closed" not in shown.text
    version = versions_of(served, "open")[0]
    for path in ("{}", f"{{}}/versions/{version}", f"{{}}/versions/{version}/pages/1.png"):
        closed = served.http.get("/documents/" + path.format("closed"))
        absent = served.http.get("/documents/" + path.format("absent"))
        assert (closed.status_code, closed.text) == (absent.status_code, absent.text)
        assert closed.status_code == 403
    for path in ("/citations/c1" + "a" * 32, "/changes/" + "a" * 64):
        assert served.http.get(path).text == closed.text
    refused = served.http.post("/changes/" + "a" * 64 + "/triage", data={"note": "x"})
    assert refused.status_code == 403
    assert served.http.post("/signout").headers["location"] == "/documents"
    assert served.http.get("/documents").status_code == 401


def test_damaged_and_purged_texts_are_said_to_be_and_not_shown(viewed: Served) -> None:
    deployment = viewed.deployment
    first, second = versions(viewed)
    links = (
        citation_of(viewed, "365"),
        f"/documents/retention/versions/{first}",
        change_of(viewed),
    )
    (blob,) = (deployment.folder / "var" / "blobs").rglob(f"{first.removeprefix('sha256:')}*")
    kept = blob.read_bytes()
    blob.chmod(0o644)
    blob.write_bytes(b"damaged")
    for link in links:
        page = viewed.http.get(link)
        assert page.status_code == 500
        assert "The stored evidence is damaged, so nothing is shown" in words(page)
        assert "365" not in page.text
    blob.write_bytes(kept)
    deployment.store.purges.purge(
        deployment.store.documents.list()[0].document_id,
        deployment.store.versions.list(deployment.store.documents.list()[0].document_id)[0].version,
        at=deployment.clock.now(),
        rule="order 7",
        actor="mara",
        reason="by order",
        forced="by order",
    )
    for link in links:
        page = viewed.http.get(link)
        assert page.status_code == 410
        assert "by mara under order 7" in words(page)
        assert "365" not in page.text
    assert "purged" in words(viewed.http.get("/documents/retention"))
    assert viewed.http.get(f"/documents/retention/versions/{second}").status_code == 200
