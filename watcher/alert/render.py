"""The forms of an alert: lines for a person, an object for a program.

Documents are untrusted. In what a person reads, controls, bidirectional marks
and invisible characters are written as `<U+202E>`, so that a passage can
neither move the cursor nor reorder its neighbours. The object keeps the text
exactly.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from watcher.alert.digest import Digest, DigestEntry
from watcher.alert.message import AlertMessage, Excerpt, Passage, TouchedCitation
from watcher.alert.notice import Notice

PAYLOAD_SCHEMA = "watcher.alert/1"
NOTICE_SCHEMA = "watcher.notice/1"
DIGEST_SCHEMA = "watcher.digest/1"
Message = AlertMessage | Notice | Digest
"""Everything that a channel may be asked to carry."""

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_TEXT_PASSAGE = 700
_TEXT_EXCERPTS = 8
_TEXT_CITATIONS = 10
_TEXT_ANSWERS = 5
_PAYLOAD_PASSAGE = 4000
_PAYLOAD_EXCERPTS = 40
_PAYLOAD_ANSWERS = 1000
_TEXT_ENTRIES = 50
_PAYLOAD_ENTRIES = 500


def visible(text: str) -> str:
    """Return `text` with every control and invisible character spelled out.

    LF and TAB stay, soft hyphens and joiners of words stay: they are part of
    how scripts are written and cannot reorder or hide anything.
    """
    return "".join(
        f"<U+{ord(char):04X}>"
        if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
        and char not in "\n\t\u00ad\u200c\u200d"
        else char
        for char in text
    )


def one_line(text: str, limit: int) -> str:
    """Return `text` visible, on one line and at most `limit` characters long."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def web_link(message: Message) -> str:
    """Return the link if a browser can open it, else nothing.

    Without a viewer's address an alert names the command to run instead.
    """
    return message.link if message.link.startswith(("https://", "http://")) else ""


def render_text(message: Message, key: str) -> str:
    """Return the message as lines; the first says what to do."""
    match message:
        case AlertMessage():
            lines = _lines(message, key)
        case Notice():
            lines = _notice_lines(message, key)
        case Digest():
            lines = _digest_lines(message, key)
    return "\n".join(lines) + "\n"


def subject(message: Message) -> str:
    """Return the document that a message is about, or how many."""
    return message.subject if isinstance(message, Digest) else message.document_id


def _digest_lines(digest: Digest, key: str) -> Iterator[str]:
    yield one_line(digest.first_line, 400)
    shown = digest.by_urgency[:_TEXT_ENTRIES]
    for entry in shown:
        message = entry.message
        yield f"- {message.severity.value}: {one_line(message.first_line, 300)}"
        yield f"  {message.document_id}, observed {message.observed_at}, open {message.link}"
    if left := len(digest.entries) - len(shown):
        yield f"... and {left} more"
    yield f"open {digest.link}"
    yield f"key  {key}"


def _notice_lines(notice: Notice, key: str) -> Iterator[str]:
    yield one_line(notice.first_line, 400)
    owner = f", owner {one_line(notice.owner, 80)}" if notice.owner else ""
    about = f"{notice.kind.value} ({notice.reason}), {notice.severity.value}"
    yield f"{about}; {notice.document_id}{owner}"
    if notice.hint:
        yield f"-> {one_line(notice.hint, 300)}"
    yield f"observed {notice.observed_at}"
    yield f"open {notice.link}"
    yield f"key  {key}"


def _lines(message: AlertMessage, key: str) -> Iterator[str]:
    yield one_line(message.first_line, 400)
    raised = ", raised because live answers cite it" if message.raised else ""
    yield (
        f"{message.change_class.value}, {message.severity.value}{raised}; {message.document_id}"
        + (f", owner {one_line(message.owner, 80)}" if message.owner else "")
    )
    yield f"from {message.from_version}"
    yield f"to   {message.to_version}, observed {message.observed_at}"
    if message.unconfirmed:
        yield "No second fetch agreed in time: look at the source before you act."
    for reason in message.reasons:
        yield f"- {one_line(reason, 300)}"
    shown = message.excerpts[:_TEXT_EXCERPTS]
    for number, excerpt in enumerate(shown, start=1):
        yield ""
        yield from _excerpt_lines(number, excerpt)
    if left := len(message.excerpts) - len(shown):
        yield f"... and {left} more, see the link"
    if message.citations:
        yield ""
        yield from _citation_lines(message.citations)
    yield ""
    yield f"open {message.link}"
    yield f"key  {key}"


def _excerpt_lines(number: int, excerpt: Excerpt) -> Iterator[str]:
    why = f": {one_line(excerpt.why, 300)}" if excerpt.why else ""
    yield f"{number}. {excerpt.change_class.value}{why}"
    for side, passage in (("before", excerpt.before), ("after", excerpt.after)):
        if passage is None:
            yield f"   {side}: nothing"
            continue
        place = f"page {passage.page}, bytes {passage.start}:{passage.end}"
        yield f"   {side}, {place} of {passage.version}"
        if passage.text is None:
            yield "   (this channel carries no text of documents)"
            continue
        for line in visible(clip(passage.text, _TEXT_PASSAGE)).split("\n"):
            yield f"   | {line}"


def _citation_lines(citations: tuple[TouchedCitation, ...]) -> Iterator[str]:
    yield f"citations touched: {len(citations)}"
    for citation in citations[:_TEXT_CITATIONS]:
        names = [
            one_line(f"{answer.caller}/{answer.answer_id}", 120)
            for answer in citation.answers[:_TEXT_ANSWERS]
        ]
        if left := len(citation.answers) - len(names):
            names.append(f"and {left} more")
        yield f"- {citation.citation_id} {citation.status.value}: {', '.join(names)}"
    if (left := len(citations) - _TEXT_CITATIONS) > 0:
        yield f"... and {left} more, see the link"


def render_payload(message: Message, key: str) -> dict[str, Json]:
    """Return an object of schema watcher.alert/1, notice/1 or digest/1, bounded in size.

    What does not fit is counted in `excerpts_left_out`, `answers_left_out` or
    `entries_left_out`; a clipped passage says so with `clipped`.
    """
    match message:
        case AlertMessage():
            return _alert_object(message, key)
        case Notice():
            return _notice_object(message, key)
        case Digest():
            return _digest_object(message, key)


def _digest_object(digest: Digest, key: str) -> dict[str, Json]:
    shown = digest.by_urgency[:_PAYLOAD_ENTRIES]
    return {
        "schema": DIGEST_SCHEMA,
        "key": key,
        "reason": digest.reason.value,
        "summary": one_line(digest.first_line, 400),
        "severity": digest.severity.value,
        "entries": [_entry_object(entry) for entry in shown],
        "entries_left_out": len(digest.entries) - len(shown),
        "answers_affected": digest.answers_affected,
        "link": digest.link,
    }


def _entry_object(entry: DigestEntry) -> Json:
    message = entry.message
    return {
        "key": entry.key,
        "document_id": message.document_id,
        "severity": message.severity.value,
        "summary": one_line(message.first_line, 400),
        "observed_at": message.observed_at,
        "link": message.link,
    }


def _alert_object(message: AlertMessage, key: str) -> dict[str, Json]:
    excerpts = message.excerpts[:_PAYLOAD_EXCERPTS]
    citations, left_out = _citation_objects(message.citations)
    return {
        "schema": PAYLOAD_SCHEMA,
        "key": key,
        "change_id": message.change_id,
        "summary": one_line(message.first_line, 400),
        "document_id": message.document_id,
        "title": message.title,
        "owner": message.owner,
        "class": message.change_class.value,
        "tier": message.tier.value,
        "severity": message.severity.value,
        "confirmed": not message.unconfirmed,
        "headline": message.headline,
        "reasons": list(message.reasons),
        "facets": list(message.facets),
        "from_version": message.from_version,
        "to_version": message.to_version,
        "observed_at": message.observed_at,
        "excerpts": [_excerpt_object(excerpt) for excerpt in excerpts],
        "excerpts_left_out": len(message.excerpts) - len(excerpts),
        "citations": citations,
        "answers_affected": message.answers_affected,
        "answers_left_out": left_out,
        "link": message.link,
    }


def _notice_object(notice: Notice, key: str) -> dict[str, Json]:
    return {
        "schema": NOTICE_SCHEMA,
        "key": key,
        "event_id": notice.event_id,
        "kind": notice.kind.value,
        "summary": one_line(notice.first_line, 400),
        "document_id": notice.document_id,
        "title": notice.title,
        "owner": notice.owner,
        "severity": notice.severity.value,
        "reason": notice.reason,
        "message": notice.message,
        "hint": notice.hint,
        "observed_at": notice.observed_at,
        "link": notice.link,
    }


def _excerpt_object(excerpt: Excerpt) -> Json:
    return {
        "class": excerpt.change_class.value,
        "why": excerpt.why,
        "before": _passage_object(excerpt.before),
        "after": _passage_object(excerpt.after),
    }


def _passage_object(passage: Passage | None) -> Json:
    if passage is None:
        return None
    found: dict[str, Json] = {
        "version": passage.version,
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
        "unit": "utf-8-bytes",
    }
    if passage.text is not None:
        found["text"] = passage.text[:_PAYLOAD_PASSAGE]
        found["clipped"] = len(passage.text) > _PAYLOAD_PASSAGE
    return found


def _citation_objects(citations: tuple[TouchedCitation, ...]) -> tuple[list[Json], int]:
    """Return the citations with at most `_PAYLOAD_ANSWERS` answers, and how many are left out."""
    found: list[Json] = []
    room, left_out = _PAYLOAD_ANSWERS, 0
    for citation in citations:
        answers = citation.answers[:room]
        left_out += len(citation.answers) - len(answers)
        room -= len(answers)
        if not answers and citation.answers:
            continue
        found.append(
            {
                "citation_id": citation.citation_id,
                "status": citation.status.value,
                "answers": [
                    {"caller": a.caller, "answer_id": a.answer_id, "ordinal": a.ordinal}
                    for a in answers
                ],
            }
        )
    return found, left_out


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters: the beginning and the end, and what lies between."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} [… {len(text) - 2 * half} characters …] {text[-half:]}"
