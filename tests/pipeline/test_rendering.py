"""A document that its scripts make, from the browser to its versions."""

from __future__ import annotations

import pytest

from tests.fetch.chromium import require_chromium
from tests.pipeline.deployment import Deployment, html
from watcher.cli.trying import Means, try_url
from watcher.demo.site import Page
from watcher.domain.verdicts import Outcome, Refusal

TERMS = (
    "Access logs are kept for {} days and then deleted from every system that we run.",
    "Exceptions need the written approval of the data protection officer of the company.",
    "You may leave the service at any time, and we return your data within two weeks of that.",
)


def shell(days: int) -> Page:
    text = [line.format(days) for line in TERMS]
    code = (
        f"for (const t of {text!r}) {{ const p = document.createElement('p');"
        " p.textContent = t; document.getElementById('app').append(p); }"
        " const n = document.createElement('script'); n.text = '// ' + Math.random();"
        " document.body.append(n);"
    )
    return Page(
        "<!doctype html><html lang=en><head><title>Retention policy</title></head><body>"
        f"<h1>Retention policy</h1><div id=app></div><script>{code}{' ' * 600}</script></body></html>".encode(),
        "text/html; charset=utf-8",
    )


def test_the_text_that_scripts_make_is_versioned_and_compared(deployment: Deployment) -> None:
    require_chromium()
    name = deployment.watch("retention", shell(30), 'render = "browser"')
    verdict = deployment.check(name).verdict
    assert verdict is not None
    assert verdict.outcome is Outcome.ACCEPTED, verdict
    assert "rendered_by" in {fact.name for fact in verdict.evidence}
    (first,) = deployment.store.versions.list(name)
    assert b"30 days" in deployment.store.versions.text(name, first.version).data

    deployment.clock.pass_time(hours=6)
    report = deployment.check(name)
    assert report.verdict is not None
    assert report.verdict.outcome is Outcome.ACCEPTED, "other bytes each time: there is no 304"
    assert report.change_id is None
    assert len(deployment.store.versions.list(name)) == 1

    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, shell(90))
    assert report.change_id is not None
    assert len(deployment.store.versions.list(name)) == 2


def test_without_a_browser_the_shell_is_refused_with_the_way_out(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*TERMS))
    page = shell(30)
    bare = Page(page.body.replace(b"<h1>Retention policy</h1>", b""), page.media_type)
    verdict = deployment.check(name, bare).verdict
    assert verdict is not None
    assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, Refusal.SCRIPT_SHELL)
    assert 'render = "browser"' in verdict.hint


@pytest.mark.parametrize("value", ["chrome", "true"])
def test_render_is_one_of_two_words(deployment: Deployment, value: str) -> None:
    with pytest.raises(Exception, match="'http' or 'browser'"):
        deployment.watch("retention", html(*TERMS), f'render = "{value}"')


def test_a_page_can_be_tried_with_a_browser(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    require_chromium()
    url = deployment.site.put("policy", shell(30))
    try_url(url, Means(("127.0.0.0/8",), browser=True), as_json=False)
    shown = capsys.readouterr().out
    assert "rendered_by: chromium" in shown
    assert "30 days" in shown
    assert shown.rstrip().endswith('render = "browser"')
