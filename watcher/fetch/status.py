"""What an answer without success means: its status, and what its page adds."""

from __future__ import annotations

from collections.abc import Mapping

from watcher.domain.verdicts import Refusal, Verdict
from watcher.fetch.model import refused
from watcher.fetch.page_facts import page_facts
from watcher.fetch.walls import Scene, certain_headers, suspect

_MOST = 64 * 1024
"""Bytes of an error's page that are looked at."""
_TELLING = frozenset({403, 429, 503})
"""Statuses under which a site also sends challenges, queues and maintenance notices."""
_TOLD_BY_PAGE = frozenset({Refusal.BOT_WALL, Refusal.WAITING_ROOM, Refusal.MAINTENANCE})

_HINTS = {
    401: "give the document credentials",
    403: "give the document credentials, or ask the site to let this User-Agent in",
    404: "look where the document is now and change its url",
    407: "give the proxy's URL with its user and password",
    410: "the site says that it is gone for good: change the url or retire the document",
    429: "nothing to do: it is asked less often for a while",
    451: "the site may not show it here for legal reasons: watch another copy",
}


def status_verdict(
    url: str, status: int, headers: Mapping[str, str], body: bytes, charset: str
) -> Verdict:
    """Return the refusal of an answer whose status is no success.

    Args:
        url: the shown form of the URL that answered.
        status: its status.
        headers: its headers, names in lower case.
        body: as much of its body as was read, decoded.
        charset: what it declares, "" where it does not.
    """
    evidence: list[tuple[str, object]] = [("status", status)]
    reason = Refusal.LOGIN_WALL if status == 401 else Refusal.HTTP_ERROR
    certain = next(iter(certain_headers(headers)), None)
    if certain is not None:
        reason = certain[0]
        evidence.append(("header", certain[1]))
    elif status in _TELLING and body:
        page = page_facts(body[:_MOST], charset or None)
        scene = Scene(url, url, headers, page.head.title, page.lead, page.prose_words, page)
        found = suspect(scene)
        if found is not None and found.reason in _TOLD_BY_PAGE:
            reason = found.reason
            evidence += [(one.name, one.value) for one in found.evidence]
    return refused(
        reason,
        f"{url} answered {status}",
        _HINTS.get(status, "nothing to do unless it lasts"),
        *evidence,
    )
