"""Alerts as messages in Slack, by an incoming webhook."""

from __future__ import annotations

import json
from collections.abc import Iterator

from watcher.alert.delivery import Delivery
from watcher.alert.http import HttpEndpoint, post
from watcher.alert.message import AlertMessage, Excerpt
from watcher.alert.render import Json, Message, clip, one_line, render_text, visible, web_link

_MOST_EXCERPTS = 5
_HEADER = 150
_SECTION = 2900
_PASSAGE = 1200


class SlackSender:
    """POSTs blocks of plain and preformatted text, in which nothing is markup."""

    def __init__(self, endpoint: HttpEndpoint) -> None:
        self._endpoint = endpoint

    async def send(self, message: Message, key: str) -> Delivery:
        """POST one message and judge the answer."""
        body = json.dumps(slack_message(message, key)).encode()
        return await post(self._endpoint, body, {"Content-Type": "application/json"})


def slack_message(message: Message, key: str) -> dict[str, Json]:
    """Return the message: a header, what is known, the passages, a button.

    Texts of documents only stand where Slack reads no markup, so a passage
    cannot mention a channel or dress up as a link.
    """
    first = one_line(message.first_line, _SECTION)
    return {"text": _escaped(first), "unfurl_links": False, "blocks": list(_blocks(message, key))}


def _blocks(message: Message, key: str) -> Iterator[Json]:
    yield {"type": "header", "text": _plain(one_line(message.first_line, _HEADER))}
    if isinstance(message, AlertMessage):
        yield _section(_facts(message))
        shown = message.excerpts[:_MOST_EXCERPTS]
        for excerpt in shown:
            yield from _excerpt_blocks(excerpt)
        if left := len(message.excerpts) - len(shown):
            yield _section(f"... and {left} more, see the link")
    else:
        yield _section(render_text(message, key))
    if link := web_link(message):
        button: Json = {"type": "button", "text": _plain("Open the passage"), "url": link}
        yield {"type": "actions", "elements": [button]}
    else:
        yield _section(f"open {message.link}")


def _facts(message: AlertMessage) -> str:
    touched = f"citations touched: {len(message.citations)}"
    lines = [
        f"{message.change_class.value}, {message.severity.value}; {message.document_id}",
        f"observed {message.observed_at}; {touched}, answers affected: {message.answers_affected}",
        *(f"- {one_line(reason, 300)}" for reason in message.reasons),
    ]
    if message.unconfirmed:
        lines.append("No second fetch agreed in time: look at the source before you act.")
    return "\n".join(lines)


def _excerpt_blocks(excerpt: Excerpt) -> Iterator[Json]:
    for side, passage in (("before", excerpt.before), ("after", excerpt.after)):
        if passage is None:
            continue
        place = f"{side}, page {passage.page}, bytes {passage.start}:{passage.end}"
        yield _section(f"{place} of {passage.version}")
        if passage.text is not None:
            text: Json = {"type": "text", "text": visible(clip(passage.text, _PASSAGE))}
            preformatted: Json = {"type": "rich_text_preformatted", "elements": [text]}
            yield {"type": "rich_text", "elements": [preformatted]}


def _section(text: str) -> Json:
    return {"type": "section", "text": _plain(text[:_SECTION])}


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def _escaped(text: str) -> str:
    """Escape the three characters that mean something in Slack's `text`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
