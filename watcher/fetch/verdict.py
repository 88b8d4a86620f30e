"""The verdict on a body: is it the document, may it be, or is it something else?

`judge` is pure. Everything that decided is in the verdict's evidence. A page
that still holds most of the last accepted text is the document, whatever it
talks about; only then is it asked what else it might be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from watcher.domain.reading import ExtractVerdict
from watcher.domain.verdicts import Evidence, Hold, Outcome, Refusal, Verdict
from watcher.fetch.beginnings import doubts, speaks_as_a_document
from watcher.fetch.language import guess_language
from watcher.fetch.lexicon import fold, phrases_in
from watcher.fetch.model import refused
from watcher.fetch.page_facts import PageFacts
from watcher.fetch.places import is_home, same_place, same_site
from watcher.fetch.similarity import containment, prose, shared_words, word_count
from watcher.fetch.urls import shown
from watcher.fetch.walls import Scene, suspect, suspicions

_SAME = 0.5
"""Share of the baseline's prose that makes an answer the document."""
_STRANGE = 0.05
_STRANGE_WORDS = 0.35
_COLLAPSED = 0.4
_EXPLODED = 4.0
_SHORTENED = 0.8
_TAIL = 600
_ENOUGH = 50
"""Words below which proportions say nothing."""
_A_FEW = 12
_STRANGE_FEW = 0.2
"""Words from which a text that shares nothing at all is strange, and what is nothing."""


@dataclass(frozen=True, slots=True)
class Made:
    """What bytes are made of.

    `closed` tells whether they reach the end of their format, `page` are the
    page facts where they are HTML.
    """

    closed: bool = True
    page: PageFacts | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """The last accepted capture: its text, and what its bytes were made of.

    `made` is asked for only by verdicts that need it: most end before.
    `blank_pages` counts pages without text.
    """

    text: str
    media_type: str
    final_url: str = ""
    title: str = ""
    blank_pages: int = 0
    made: Callable[[], Made] = Made


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """What is known of an answer with a body.

    `media_type` is what the bytes are ("" unknown), `declared_type` the
    Content-Type as sent, `text` the canonical text after select and remove
    rules, `page` gives the facts of the whole HTML page, None where it is none:
    what still holds the last accepted text is judged without. `closed` tells
    whether the bytes reach the end of their format (`complete.ends_properly`).
    """

    requested_url: str
    final_url: str
    media_type: str
    text: str
    extract_verdict: ExtractVerdict = ExtractVerdict.OK
    problem: str = ""
    """What stood in the way of the reading, in words; "" where nothing did."""
    headers: Mapping[str, str] = field(default_factory=dict)
    declared_type: str = ""
    title: str = ""
    pages: int = 1
    blank_pages: int = 0
    closed: bool = True
    page: Callable[[], PageFacts | None] = lambda: None
    baseline: Baseline | None = None


def judge(facts: AnswerFacts) -> Verdict:
    """Return accepted, held or refused, with one reason and its evidence."""
    retained = containment(facts.baseline.text, facts.text) if facts.baseline else 0.0
    for look in (_type, _ending, _extraction, _emptiness):
        verdict = look(facts, retained)
        if verdict is not None:
            return verdict
    if retained >= _SAME:
        return _shape(facts, retained) or _accepted(facts, retained)
    for look in (_wall, _place, _strangeness, _shape, _doubtfulness):
        verdict = look(facts, retained)
        if verdict is not None:
            return verdict
    return _accepted(facts, retained)


# --- one look each: None where there is nothing to say -----------------------


def _type(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Judge what the bytes are against what they were and what they are said to be."""
    before = facts.baseline.media_type if facts.baseline else ""
    evidence: list[tuple[str, object]] = [
        ("media_type", facts.media_type or "unknown"),
        ("declared_type", facts.declared_type or "none"),
    ]
    if before and _family(before) != _family(facts.media_type) and retained < _SAME:
        stand_in = suspect(_scene(facts), unlike_before=True)
        if stand_in is not None:
            evidence.append(("looks_like", stand_in.reason.value))
            evidence += [(one.name, one.value) for one in stand_in.evidence]
        return refused(
            Refusal.MEDIA_TYPE_CHANGED,
            f"{shown(facts.final_url)} was {before} and now is {facts.media_type or 'unreadable'}",
            "look at it in a browser; if the document moved to another format, accept it",
            ("baseline_media_type", before),
            *evidence,
        )
    if not facts.media_type:
        return refused(
            Refusal.MEDIA_TYPE_CHANGED,
            f"{shown(facts.final_url)} is nothing that can be read as a document",
            "watch an HTML, PDF, DOCX, Markdown or text version of it",
            *evidence,
        )
    return None


def _family(media_type: str) -> str:
    """Plain text and Markdown are one family: only the sender tells them apart."""
    return "text/plain" if media_type == "text/markdown" else media_type


def _ending(facts: AnswerFacts, _retained: float) -> Verdict | None:
    """Judge whether all of it is here."""
    if facts.closed:
        return None
    html = facts.media_type == "text/html"
    if (html and facts.baseline is None) or (facts.baseline and not facts.baseline.made().closed):
        return None
    return refused(
        Refusal.TRUNCATED,
        f"{shown(facts.final_url)} stops before the end of its format",
        "nothing to do unless it lasts; then the site publishes a damaged file",
        ("media_type", facts.media_type),
        ("end_mark", "missing"),
        ("baseline_end_mark", "there" if facts.baseline else "no baseline"),
    )


def _extraction(facts: AnswerFacts, _retained: float) -> Verdict | None:
    """Judge how the reading went."""
    verdict = facts.extract_verdict
    where = shown(facts.final_url)
    evidence = ("extract_verdict", verdict.value), ("pages", facts.pages)
    if verdict in (ExtractVerdict.NEEDS_OCR, ExtractVerdict.GARBLED):
        return refused(
            Refusal.NO_TEXT_LAYER,
            f"{where} shows text that is not in the file ({verdict.value})",
            "ask the publisher for a file with a text layer, or switch ocr on for this document",
            *evidence,
        )
    if verdict in (ExtractVerdict.ENCRYPTED, ExtractVerdict.FAILED, ExtractVerdict.UNSUPPORTED):
        return refused(
            Refusal.DECODE_ERROR,
            f"{where} cannot be read ({facts.problem or verdict.value})",
            "open it in a browser; if it opens there, report the file",
            *evidence,
        )
    baseline = facts.baseline
    lost = facts.blank_pages - baseline.blank_pages if baseline else 0
    if baseline and baseline.media_type == facts.media_type and lost > max(0, facts.pages // 10):
        return _held(
            Hold.COLLAPSED,
            f"{where}: {lost} pages that held text are without any",
            ("blank_pages", facts.blank_pages),
            ("baseline_blank_pages", baseline.blank_pages),
        )
    return None


def _emptiness(facts: AnswerFacts, _retained: float) -> Verdict | None:
    """Judge a page that shows nothing, or nothing without its scripts."""
    words = word_count(facts.text)
    if words >= 5:
        return None
    page = facts.page()
    had = word_count(facts.baseline.text) if facts.baseline else 0
    if words and had < _ENOUGH and not (page and page.head.mount_empty):
        return None
    scripted = page is not None and (
        page.head.mount_empty
        or page.head.script_bytes > 500
        or any(one.reason is Refusal.SCRIPT_SHELL for one in suspicions(_scene(facts)))
    )
    if scripted and page is not None:
        return refused(
            Refusal.SCRIPT_SHELL,
            f"{shown(facts.final_url)} shows nothing until its scripts have run",
            'set render = "browser" in its entry, or find a page without scripts',
            ("words", words),
            ("script_bytes", page.head.script_bytes),
            ("noscript", page.head.noscript[:100]),
        )
    return refused(
        Refusal.EMPTY_TEXT,
        f"{shown(facts.final_url)} holds no text",
        "check the document's select and remove rules, and the page in a browser",
        ("words", words),
        ("page_words", page.words if page else words),
        ("baseline_words", had),
    )


def _wall(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Judge what stands in the document's place."""
    unlike = facts.baseline is not None and retained < _STRANGE * 4
    scene = _scene(facts)
    found = suspect(scene, unlike_before=unlike)
    if found is None or (not found.placed and speaks_as_a_document(scene)):
        return None
    if facts.baseline is None and found.only_words_of(scene):
        return None
    similarity = [("retained", f"{retained:.2f}")] if facts.baseline else []
    return refused(
        found.reason,
        f"{shown(facts.final_url)} is not the document: {_WALLS[found.reason]}",
        _WALL_HINTS.get(found.reason, "nothing to do unless it lasts"),
        *((one.name, one.value) for one in found.evidence),
        ("words", _prose_words(facts)),
        *similarity,
    )


_WALLS = {
    Refusal.SOFT_404: "an error page with a status of success",
    Refusal.LOGIN_WALL: "a login",
    Refusal.CONSENT_WALL: "a consent page",
    Refusal.BOT_WALL: "a page that keeps programs out",
    Refusal.WAITING_ROOM: "a waiting room",
    Refusal.MAINTENANCE: "a maintenance notice",
    Refusal.SCRIPT_SHELL: "an empty shell for scripts",
}
_WALL_HINTS = {
    Refusal.SOFT_404: "look where the document is now and change its url",
    Refusal.LOGIN_WALL: "give the document credentials, or watch a public copy",
    Refusal.CONSENT_WALL: "send the cookie that records a choice as a header of the document",
    Refusal.BOT_WALL: "ask the site to let this User-Agent in",
    Refusal.SCRIPT_SHELL: 'set render = "browser" in its entry',
}


def _place(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Judge where the answer was found."""
    asked, got = facts.requested_url, facts.final_url
    page = facts.page()
    target = page.head.refresh if page else None
    if target and _prose_words(facts) < 40:
        got = _joined(got, target)
    known = facts.baseline is not None and same_place(facts.baseline.final_url, got)
    if same_place(asked, got) or known:
        return None
    evidence = ("requested_url", shown(asked)), ("final_url", shown(got))
    if is_home(got) and not is_home(asked):
        return refused(
            Refusal.REDIRECT_HOME,
            f"{shown(asked)} leads to the front page {shown(got)}",
            "look where the document is now and change its url",
            *evidence,
        )
    away = facts.baseline is not None and retained < _STRANGE * 4
    if away or (got != facts.final_url):
        site = "another page" if same_site(asked, got) else "another site"
        return refused(
            Refusal.REDIRECTED_AWAY,
            f"{shown(asked)} leads to {site}, {shown(got)}",
            "look whether the document moved there, and change its url if it did",
            *evidence,
            ("retained", f"{retained:.2f}"),
        )
    return None


def _joined(base: str, target: str) -> str:
    try:
        return str(httpx.URL(base).join(target))
    except (httpx.InvalidURL, UnicodeError):
        return base


def _doubtfulness(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Hold a short text that nothing shows to be a document, and that holds none."""
    found = doubts(_scene(facts), facts.media_type)
    if not found:
        return None
    similarity = [("retained", f"{retained:.2f}")] if facts.baseline else []
    return _held(
        Hold.COLLAPSED,
        f"{shown(facts.final_url)} has few words, and nothing that shows it to be a document",
        *found,
        *similarity,
    )


def _strangeness(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Hold a text that shares neither sentences nor language nor subject with the last one."""
    baseline = facts.baseline
    had = word_count(baseline.text) if baseline else 0
    if baseline is None or had < _A_FEW:
        return None
    before, now = guess_language(baseline.text), guess_language(facts.text)
    if before and now and before != now:
        return _held(
            Hold.LANGUAGE_CHANGED,
            f"{shown(facts.final_url)} was in {before!r} and now is in {now!r}",
            ("language", now),
            ("baseline_language", before),
            ("retained", f"{retained:.2f}"),
        )
    subject = shared_words(baseline.text, facts.text)
    if retained < _STRANGE and subject < (_STRANGE_WORDS if had >= _ENOUGH else _STRANGE_FEW):
        return _held(
            Hold.COLLAPSED,
            f"{shown(facts.final_url)}: nothing of the last accepted text is left",
            ("retained", f"{retained:.2f}"),
            ("shared_words", f"{subject:.2f}"),
        )
    return None


def _shape(facts: AnswerFacts, retained: float) -> Verdict | None:
    """Hold a text that shrank or grew out of proportion."""
    baseline = facts.baseline
    if baseline is None:
        return None
    before, now = word_count(prose(baseline.text)), word_count(prose(facts.text))
    evidence = ("words", now), ("baseline_words", before), ("retained", f"{retained:.2f}")
    where = shown(facts.final_url)
    if before >= _ENOUGH and now < before * _COLLAPSED:
        return _held(Hold.COLLAPSED, f"{where} shrank from {before} to {now} words", *evidence)
    if now > max(before, _ENOUGH) * _EXPLODED and now - before > 500:
        return _held(Hold.EXPLODED, f"{where} grew from {before} to {now} words", *evidence)
    if before >= _ENOUGH and now < before * _SHORTENED and (teaser := _teaser(facts, baseline)):
        return _held(
            Hold.COLLAPSED,
            f"{where} shrank from {before} to {now} words and now ends in a login",
            *evidence,
            teaser,
        )
    return None


def _teaser(facts: AnswerFacts, baseline: Baseline) -> tuple[str, object] | None:
    """Return the login that replaces the rest of a text, where the baseline had none."""
    page, before_page = facts.page(), baseline.made().page
    fields = page.password_fields if page else 0
    if fields and before_page is not None and not before_page.password_fields:
        return "password_fields", fields
    before = phrases_in(fold(baseline.text[-_TAIL:]), Refusal.LOGIN_WALL)
    fresh = [
        phrase
        for phrase in phrases_in(fold(facts.text[-_TAIL:]), Refusal.LOGIN_WALL)
        if phrase not in before
    ]
    return ("phrase", fresh[0]) if fresh else None


# --- helpers ------------------------------------------------------------------


def _scene(facts: AnswerFacts) -> Scene:
    page = facts.page()
    return Scene(
        requested_url=facts.requested_url,
        final_url=facts.final_url,
        headers=facts.headers,
        title=facts.title or (page.head.title if page else ""),
        text=facts.text,
        words=_prose_words(facts),
        page=page,
    )


def _prose_words(facts: AnswerFacts) -> int:
    words, page = word_count(facts.text), facts.page()
    return min(words, page.prose_words) if page else words


def _held(reason: Hold, message: str, *evidence: tuple[str, object]) -> Verdict:
    return Verdict(
        Outcome.HELD,
        reason,
        message,
        "wait for agreeing checks, or decide with `watcher accept` or `watcher reject`",
        tuple(Evidence(name, str(value)) for name, value in evidence),
    )


def _accepted(facts: AnswerFacts, retained: float) -> Verdict:
    flags = []
    if facts.extract_verdict is ExtractVerdict.PARTIAL:
        flags.append("partial")
    if not same_place(facts.requested_url, facts.final_url):
        flags.append("redirected")
    if facts.baseline and _family(facts.baseline.media_type) != _family(facts.media_type):
        flags.append("media_type_changed")
    evidence = [Evidence("words", str(word_count(facts.text)))]
    if facts.baseline:
        evidence.append(Evidence("retained", f"{retained:.2f}"))
    return Verdict(Outcome.ACCEPTED, evidence=tuple(evidence), flags=tuple(flags))
