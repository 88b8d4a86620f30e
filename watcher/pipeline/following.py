"""From a page of editions to the newest one: two requests under one document's policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from watcher.domain.newest import Edition, PageLink, editions
from watcher.domain.verdicts import Evidence, Outcome, Refusal, Verdict
from watcher.fetch import Answer, AnswerKind, Fetcher, Request
from watcher.fetch.page_links import page_links
from watcher.fetch.places import same_site
from watcher.fetch.urls import parse, shown
from watcher.pipeline.requests import request_at
from watcher.settings.documents import Follow

_SHOWN = 5
"""Links that a refusal names."""


async def fetch_newest(fetcher: Fetcher, request: Request, follow: Follow) -> Answer:
    """Fetch the page of `request` and then the newest edition that it links to.

    Returns the answer for the edition, with how it was found as its evidence.
    Where the page does not answer, or no link fits, the answer is that of the
    page: refused. Validators are the edition's: the page is always read whole.
    """
    page = await fetcher.fetch(replace(request, validators=None))
    found = (Evidence("page", page.shown_url), *page.evidence)
    if page.kind is not AnswerKind.BODY:
        return replace(page, evidence=found)
    links = page_links(page.body, page.declared_charset, page.final_url)
    fitting = editions(links, follow.rule)
    if not fitting:
        return _refused(page, _none_fits(page, links, follow), found)
    newest = fitting[0]
    found = (*found, *_how(newest, fitting, follow))
    if not _allowed(page.final_url, newest.link.target, follow.sites):
        return _refused(page, _elsewhere(newest.link.target), found)
    answer = await fetcher.fetch(request_at(newest.link.target, request))
    return replace(
        answer,
        raw_bytes=answer.raw_bytes + page.raw_bytes,
        evidence=(*found, *answer.evidence),
    )


def _how(newest: Edition, fitting: Sequence[Edition], follow: Follow) -> tuple[Evidence, ...]:
    return (
        Evidence("edition", shown(newest.link.target)),
        Evidence("link_text", newest.link.text[:200]),
        Evidence("newest_by", f"{follow.newest.value}: {newest.compared[:200]}"),
        Evidence("links_fitting", str(len(fitting))),
    )


def _allowed(page: str, target: str, sites: Sequence[str]) -> bool:
    host = parse(target).host.rstrip(".")
    return same_site(page, target) or any(
        host == site or host.endswith(f".{site}") for site in sites
    )


def _none_fits(page: Answer, links: Sequence[PageLink], follow: Follow) -> Verdict:
    some = ", ".join(shown(link.target) for link in links[:_SHOWN])
    return Verdict(
        Outcome.REFUSED,
        Refusal.SOFT_404,
        f"none of the {len(links)} links of {page.shown_url} is an edition of the document",
        "look at the page in a browser and change follow.link to what its links are now",
        (
            Evidence("link", follow.link),
            Evidence("newest", follow.newest.value),
            Evidence("links", str(len(links))),
            Evidence("first_links", some),
        ),
    )


def _elsewhere(target: str) -> Verdict:
    host = parse(target).host
    return Verdict(
        Outcome.REFUSED,
        Refusal.REDIRECTED_AWAY,
        f"the newest edition is on another site, {shown(target)}",
        f'if it belongs there, add "{host}" to follow.sites',
        (Evidence("site", host),),
    )


def _refused(page: Answer, verdict: Verdict, found: tuple[Evidence, ...]) -> Answer:
    return replace(
        page,
        kind=AnswerKind.REFUSED,
        verdict=verdict,
        body=b"",
        validators=None,
        evidence=found,
    )
