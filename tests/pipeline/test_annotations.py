"""Changes beside an unchanged text: link targets, struck text, pictures."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment
from watcher.demo.site import Page
from watcher.domain.changes import ChangeClass, ChangeKind, Tier
from watcher.domain.statements import Status
from watcher.domain.verdicts import Outcome
from watcher.pipeline.messages import build_message
from watcher.pipeline.touched import touched_citations

PAGE = """<!doctype html><html lang=en><head><title>Processing</title></head><body><main>
<h1>Processing of personal data</h1>
<p>The <a href="{dpa}">data processing agreement</a> applies to every customer that signs an order.</p>
<p>{struck}We keep access logs for thirty days.{end} Write to <a href="{mail}">our office</a>
or read <a href="{blog}">our blog</a>{icons} about how we think of privacy.</p>
</main></body></html>"""
PLAIN = {
    "dpa": "/legal/dpa-2025.pdf",
    "mail": "/cdn-cgi/l/email-protection#a1b2c3",
    "blog": "https://blog.example.org/privacy?utm_source=a&amp;sid=1",
    "struck": "",
    "end": "",
    "icons": "",
}


def page(**parts: str) -> Page:
    return Page(PAGE.format(**(PLAIN | parts)).encode(), "text/html; charset=utf-8")


@pytest.mark.parametrize(
    "parts",
    [
        {"mail": "/cdn-cgi/l/email-protection#99ffee"},
        {"blog": "https://blog.example.org/privacy?utm_source=b&amp;sid=77&amp;gclid=x"},
        {"blog": "https://BLOG.example.org:443/privacy"},
        {"dpa": "/legal/dpa-2025.pdf;jsessionid=AB12"},
    ],
    ids=["email-protection", "tracking", "spelling", "session"],
)
def test_what_a_server_makes_anew_is_no_change(
    deployment: Deployment, parts: dict[str, str]
) -> None:
    name = deployment.watch("processing", page())
    deployment.check(name)
    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, page(**parts))
    assert report.verdict is not None
    assert report.verdict.outcome is Outcome.ACCEPTED, "other bytes, the same document"
    assert report.change_id is None
    assert len(deployment.store.versions.list(name)) == 1


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"dpa": "/legal/dpa-2026.pdf"}, "dpa-2026.pdf"),
        ({"dpa": "/legal/dpa-2026.pdf?utm_source=x"}, "dpa-2026.pdf"),
        ({"struck": "<s>", "end": "</s>"}, "struck out"),
        ({"mail": "mailto:other@example.org"}, "other@example.org"),
    ],
    ids=["edition", "edition-with-tracking", "struck", "contact"],
)
def test_another_target_under_the_same_words_is_told(
    deployment: Deployment, parts: dict[str, str], words: str
) -> None:
    first = page(mail="mailto:office@example.org") if "mail" in parts else page()
    name = deployment.watch("processing", first)
    deployment.check(name)
    cited = deployment.cite(name, "We keep access logs for thirty days.")
    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, page(**parts))
    assert report.change_id is not None
    change = deployment.store.changes.get(report.change_id)
    assert change.kind is ChangeKind.ANNOTATION
    assert change.from_version == change.to_version
    judged = deployment.store.changes.classification(report.change_id)
    assert judged is not None
    assert judged.change_class is ChangeClass.POLICY_BEARING
    assert judged.tier in (Tier.TICKET, Tier.PAGE)
    statements = deployment.store.citations.statements(cited.citation.citation_id)
    assert {found.statement.status for found in statements} <= {Status.UNCHANGED}
    assert touched_citations(deployment.services, change) == ()

    deployment.clock.pass_time(minutes=2)
    deployment.check(name)
    assert deployment.deliver() == 1
    (told,) = deployment.receiver.bodies
    assert words in str(told)
    (alert,) = deployment.store.outbox.list()
    assert words in str(build_message(deployment.services, alert))


def test_pictures_without_words_at_one_place_are_each_compared(deployment: Deployment) -> None:
    icons = '<a href="/files/terms-{}.pdf"></a><a href="/share/b"></a>'
    name = deployment.watch("processing", page(icons=icons.format("v1")))
    deployment.check(name)
    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, page(icons=icons.format("v2")))
    assert report.change_id is not None
    judged = deployment.store.changes.classification(report.change_id)
    assert judged is not None
    assert judged.change_class is ChangeClass.POLICY_BEARING


def test_a_link_to_nothing_that_binds_tells_nobody(deployment: Deployment) -> None:
    name = deployment.watch("processing", page())
    deployment.check(name)
    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, page(blog="https://blog.example.org/on-privacy"))
    assert report.change_id is not None
    judged = deployment.store.changes.classification(report.change_id)
    assert judged is not None
    assert judged.tier is Tier.SILENT
    deployment.clock.pass_time(minutes=2)
    deployment.check(name)
    assert deployment.deliver() == 0
