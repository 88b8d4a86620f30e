"""One document from several addresses."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.demo.site import Page, maintenance
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome, Refusal, Verdict
from watcher.errors import ConfigError
from watcher.pipeline.citing import resolve

FIRST = html(
    "Access logs are kept for 30 days and then deleted from every system that we run.",
    "We may charge you a different amount where the law of your country asks us to do so.",
    title="Terms, first part",
)
SECOND = "Exceptions need the written approval of the {} of the company that runs the service."
MORE = "You may leave the service at any time, and we return your data within two weeks of that."


def second(who: str) -> Page:
    return html(SECOND.format(who), MORE, title="Terms, second part")


def watch(deployment: Deployment, *more: Page) -> DocumentId:
    urls = [deployment.site.put(f"part-{n}", page) for n, page in enumerate(more, start=2)]
    return deployment.watch("terms", FIRST, f"urls = {urls}")


def check(deployment: Deployment, name: DocumentId) -> Verdict:
    deployment.clock.pass_time(hours=6)
    verdict = deployment.check(name).verdict
    assert verdict is not None
    return verdict


def test_parts_are_one_version_and_a_change_of_any_is_one_change(deployment: Deployment) -> None:
    name = watch(deployment, second("data protection officer"))
    verdict = check(deployment, name)
    assert verdict.outcome is Outcome.ACCEPTED, verdict
    assert [f.value.rsplit("/", 1)[-1] for f in verdict.evidence if f.name.startswith("part_")] == [
        "terms",
        "part-2",
    ]
    current = deployment.store.versions.current(name)
    assert current is not None
    text = deployment.store.versions.text(name, current.version)
    assert len(text.pages) == 2
    cited = deployment.cite(name, MORE)
    assert cited.citation.segments[0].page == 2
    assert resolve(deployment.services, cited.citation.citation_id).passages == (MORE.encode(),)

    assert check(deployment, name).outcome is Outcome.SAME_BYTES
    assert len(deployment.store.captures.list(name)) == 1
    deployment.site.put("part-2", second("management"))
    assert check(deployment, name).outcome is Outcome.ACCEPTED
    (change,) = deployment.store.changes.list(name, limit=5)
    new = deployment.store.versions.text(name, change.to_version).data
    assert b"30 days" in new
    assert b"management" in new


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (maintenance(), Refusal.MAINTENANCE),
        (Page(b"", "text/html"), Refusal.EMPTY_TEXT),
        (Page(b"%PDF-1.7\n1 0 obj", "application/pdf"), None),
    ],
    ids=["maintenance", "empty", "truncated"],
)
def test_a_document_with_a_part_missing_is_not_the_document(
    deployment: Deployment, part: Page, reason: Refusal | None
) -> None:
    name = watch(deployment, second("data protection officer"))
    check(deployment, name)
    before = deployment.store.versions.current(name)
    deployment.site.put("part-2", part)
    verdict = check(deployment, name)
    assert verdict.outcome is Outcome.REFUSED
    assert reason is None or verdict.reason is reason
    assert "part_2" in {fact.name for fact in verdict.evidence}
    assert deployment.store.versions.current(name) == before
    assert len(deployment.store.captures.list(name)) == 1
    deployment.site.put("part-2", second("data protection officer"))
    assert check(deployment, name).outcome is Outcome.SAME_BYTES


def test_a_part_that_comes_later_is_a_change_even_in_another_format(deployment: Deployment) -> None:
    name = deployment.watch("terms", FIRST)
    assert check(deployment, name).outcome is Outcome.ACCEPTED
    annex = Page(f"Annex\n\n{MORE}\n".encode(), "text/plain; charset=utf-8")
    name = watch(deployment, second("data protection officer"), annex)
    assert check(deployment, name).outcome is Outcome.ACCEPTED
    current = deployment.store.versions.current(name)
    assert current is not None
    assert len(deployment.store.versions.text(name, current.version).pages) == 3
    assert check(deployment, name).outcome is Outcome.SAME_BYTES


def test_following_and_combining_exclude_each_other(deployment: Deployment) -> None:
    with pytest.raises(ConfigError, match="urls: what is followed"):
        deployment.watch("terms", FIRST, "urls = ['https://x.example']\nfollow = { link = 'a' }")
