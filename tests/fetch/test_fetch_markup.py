"""Markup made to keep a parser busy: each of these bodies would do so for minutes."""

from __future__ import annotations

import pytest

from watcher.domain.verdicts import Refusal
from watcher.fetch.markup import is_cheap
from watcher.fetch.page_facts import Head, PageFacts, page_facts
from watcher.fetch.page_links import page_links
from watcher.fetch.status import status_verdict

MANY = 200_000
URL = "https://policy.example/terms"
HOSTILE = {
    "nested": "<div>" * MANY,
    "lists": "<ul><li>" * MANY,
    "attributes": "<p " + " ".join(f"a{n}=b" for n in range(MANY)) + ">",
    "attributes in quotes": "<p " + "".join(f'a{n}=">"' for n in range(MANY)) + ">",
    "attributes between slashes": "<p " + "/".join(f"a{n}" for n in range(MANY)) + ">",
    "formatting": "".join(f"<p><b a{n}>" for n in range(MANY)),
    "other ends": "<div></z>" * MANY,
    "ends in comments": "<div><!--</div>-->" * MANY,
    "ends in attributes": '<div><p a="</div>">' * MANY,
    "ends in scripts": "<div><script></div></script>" * MANY,
    "no ends": "<section><p></p>" * MANY,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE.keys())
def test_costly_markup_is_not_parsed(html: str) -> None:
    assert not is_cheap(html)
    body = html.encode()
    assert page_facts(body) == PageFacts(head=Head())
    assert page_links(body, "utf-8", URL) == ()
    assert status_verdict(URL, 503, {}, body, "utf-8").reason is Refusal.HTTP_ERROR


@pytest.mark.parametrize(
    "html",
    [
        "<main>" + "<div class='a b'><p>We keep <b>logs</b> for <i>30</i> days.</div>" * 8_000,
        "<ul>" + "<li><a href='/a'>one</a>" * 20_000,
        "<table>" + "<tr><td>fee<td>10" * 20_000,
        "<p>one<br>two" * 20_000,
        "<script>" + "if(a<b)c='</b>';" * 20_000 + "</script><p>text</p>",
        "<!--" + "<div>" * 20_000 + "--><p>text</p>",
        "word " * 100_000,
    ],
    ids=["blocks", "list", "table", "open paragraphs", "script", "comment", "text"],
)
def test_long_honest_markup_is_parsed(html: str) -> None:
    assert is_cheap(html)


def test_links_inside_of_links_are_read_once_too_often_at_most() -> None:
    links = "".join(f"<a href='/{n}'><table><tr><td>" for n in range(1_000))
    found = page_links((links + "x" * 1_000_000).encode(), "utf-8", URL)
    assert len(found) == 1_000
    assert found[0].text
    assert not found[-1].text
