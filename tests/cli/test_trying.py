"""`watcher try`: what an entry could say can be tried for one address, and comes out as its entry."""

from __future__ import annotations

import tomllib

import pytest
import typer

from watcher.cli.trying import Means, try_url
from watcher.demo.site import Page, Site
from watcher.errors import UsageError
from watcher.settings.documents import DocumentEntry

LOOPBACK = ("127.0.0.0/8",)


def page(title: str, body: str) -> Page:
    text = f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{body}</html>"
    return Page(text.encode(), "text/html; charset=utf-8")


def policy(days: int) -> Page:
    clause = f"<p>Personal data is deleted {days} days after the end of the agreement.</p>"
    side = "<div class=share>Share this page with friends</div>"
    return page("Data processing agreement", clause * 3 + side)


def test_a_listing_is_tried_with_its_rule_and_the_entry_says_it(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    links = "".join(f'<a href="/dpa-v{n}.html">DPA {n}</a> ' for n in (9, 10, 2))
    for number in (2, 9, 10):
        site.put(f"dpa-v{number}.html", policy(number))
    url = site.put("agreements", page("Agreements", links))
    means = Means(LOOPBACK, follow=r"dpa-v(\d+)", newest="text", remove=(".share",))
    try_url(url, means, as_json=False)
    shown = capsys.readouterr().out
    assert "dpa-v10.html" in shown
    assert "verdict: accepted" in shown
    assert "deleted 10 days after" in shown
    assert "Share this page" not in shown

    entry = shown.partition("# the entry to paste into your documents folder")[2]
    (pasted,) = tomllib.loads(entry)["document"]
    read = DocumentEntry.model_validate(pasted)
    assert read.follow is not None
    assert (read.follow.link, read.follow.newest.value) == (r"dpa-v(\d+)", "text")
    assert read.remove == (".share",)


@pytest.mark.parametrize(
    ("means", "told"),
    [
        (Means(follow="dpa-(", newest="text"), "follow.link"),
        (Means(follow="dpa", newest="biggest"), "follow.newest"),
        (Means(networks=("zz",)), "does not appear to be"),
    ],
)
def test_what_no_entry_could_say_is_told(means: Means, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        try_url("http://policy.example/terms", means, as_json=False)


def test_a_blocked_address_says_how_to_allow_it(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        try_url(site.put("policy", policy(30)), Means(), as_json=False)
    assert ended.value.exit_code == 3
    assert "--allow-network" in capsys.readouterr().out
