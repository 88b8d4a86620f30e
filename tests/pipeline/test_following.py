"""A page of editions is watched, and the newest edition is the document."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.demo.site import Page
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome, Refusal, Verdict
from watcher.errors import ConfigError
from watcher.settings import load_documents

TERMS = "Personal data is deleted {} days after the end of the agreement, in every system."
MORE = "The processor tells the controller of every breach without delay and in writing."


def page(*links: str) -> Page:
    items = "".join(f"<li><a href='{link}'>{link}</a></li>" for link in links)
    return Page(
        f"<!doctype html><html lang=en><title>Agreements</title><h1>Agreements</h1><ul>{items}</ul></html>".encode(),
        "text/html; charset=utf-8",
    )


def edition(days: int) -> Page:
    return html(TERMS.format(days), MORE, title="Data processing agreement")


def watch(deployment: Deployment, *links: str, follow: str) -> DocumentId:
    return deployment.watch("agreement", page(*links), f"follow = {follow}")


def seen(deployment: Deployment, name: DocumentId, listing: Page | None = None) -> Verdict:
    deployment.clock.pass_time(hours=6)
    verdict = deployment.check(name, listing).verdict
    assert verdict is not None
    return verdict


BY_VERSION = r"""{ link = 'dpa-v(\d+)', newest = "text" }"""


def test_the_newest_edition_is_fetched_judged_and_named(deployment: Deployment) -> None:
    for version, days in ((2, 30), (9, 60), (10, 90)):
        deployment.site.put(f"dpa-v{version}.html", edition(days))
    listing = page("/dpa-v9.html", "/dpa-v2.html", "/about")
    name = deployment.watch("agreement", listing, f"follow = {BY_VERSION}")

    verdict = seen(deployment, name)
    assert verdict.outcome is Outcome.ACCEPTED, verdict
    facts = {fact.name: fact.value for fact in verdict.evidence}
    assert facts["page"].endswith("/agreement")
    assert facts["edition"].endswith("/dpa-v9.html")
    assert facts["newest_by"] == "text: 9"
    assert facts["links_fitting"] == "2"
    current = deployment.store.versions.current(name)
    assert current is not None
    capture = deployment.store.captures.get(current.capture_id)
    assert capture.url.endswith("/agreement")
    assert capture.final_url.endswith("/dpa-v9.html")
    observed = deployment.store.observations.newest(name)
    assert observed is not None
    assert (observed.url, observed.final_url) == (capture.url, capture.final_url)

    assert seen(deployment, name).outcome is Outcome.NOT_MODIFIED, "asked with its own validators"

    verdict = seen(deployment, name, page("/dpa-v9.html", "/dpa-v10.html"))
    assert verdict.outcome is Outcome.ACCEPTED, verdict
    (change,) = deployment.store.changes.list(name, limit=5)
    text = deployment.store.versions.text(name, change.to_version).data
    assert b"90 days" in text


def test_no_link_that_fits_is_a_refusal_with_what_was_there(deployment: Deployment) -> None:
    deployment.site.put("dpa-v2.html", edition(30))
    name = watch(deployment, "/dpa-v2.html", follow=BY_VERSION)
    assert seen(deployment, name).outcome is Outcome.ACCEPTED
    before = deployment.store.versions.current(name)
    verdict = seen(deployment, name, page("/policies", "/about"))
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.SOFT_404)
    facts = {fact.name: fact.value for fact in verdict.evidence}
    assert facts["links"] == "2"
    assert "/policies" in facts["first_links"]
    assert "follow.link" in verdict.hint
    assert deployment.store.versions.current(name) == before

    verdict = seen(deployment, name, page("/dpa-v3.html"))
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.HTTP_ERROR)
    assert deployment.store.versions.current(name) == before
    assert seen(deployment, name, page("/dpa-v2.html")).outcome is Outcome.NOT_MODIFIED


def test_editions_are_on_the_same_site_or_on_one_that_is_named(deployment: Deployment) -> None:
    url = deployment.site.put("dpa-v3.html", edition(30)).replace("127.0.0.1", "localhost")
    name = watch(deployment, url, follow=BY_VERSION)
    verdict = seen(deployment, name)
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.REDIRECTED_AWAY)
    assert 'add "localhost" to follow.sites' in verdict.hint
    watch(
        deployment,
        url,
        follow=r"""{ link = 'dpa-v(\d+)', newest = "text", sites = ["localhost"] }""",
    )
    assert seen(deployment, name).outcome is Outcome.ACCEPTED


def test_an_edition_passes_the_same_guard(deployment: Deployment) -> None:
    name = watch(
        deployment,
        "http://169.254.169.254/dpa-v9.html",
        follow=r"""{ link = 'dpa-v(\d+)', newest = "text", sites = ["169.254.169.254"] }""",
    )
    verdict = seen(deployment, name)
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.BLOCKED_ADDRESS)


@pytest.mark.parametrize(
    ("follow", "words"),
    [
        ("{ link = '(' }", "regular expression"),
        ("{ link = '' }", "at least 1"),
        ("{ link = 'a', newest = 'biggest' }", "'date'"),
        ("{ link = 'a', sites = ['https://x.example/'] }", "host name"),
        ("{ link = 'a', newst = 'date' }", "did you mean 'newest'"),
        ("{ newest = 'date' }", "missing"),
    ],
)
def test_a_wrong_rule_is_told_with_its_place(
    deployment: Deployment, follow: str, words: str
) -> None:
    folder = deployment.folder / "documents"
    (folder / "x.toml").write_text(
        f'[[document]]\ndocument_id = "x"\nurl = "https://x.example"\nfollow = {follow}\n',
        encoding="utf-8",
    )
    with pytest.raises(ConfigError) as caught:
        load_documents(folder)
    assert words in str(caught.value)
    assert "x.toml:4: document.follow" in str(caught.value)
