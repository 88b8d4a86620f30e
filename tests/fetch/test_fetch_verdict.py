"""The verdict: nothing that is not the document passes, and no document is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fetch.short_policies import SHORT_POLICIES, short_page
from tests.fetch.wall_texts import WALLS, Wall, bare, dressed
from tests.fetch.wall_texts_last import LAST
from tests.fetch.wall_texts_later import LATER
from watcher.domain.reading import ExtractVerdict
from watcher.domain.verdicts import Hold, Outcome, Refusal
from watcher.extract.model import Options, Source
from watcher.extract.read import extract
from watcher.fetch import AnswerFacts, Baseline, judge, page_facts
from watcher.fetch.verdict import Made

URL = "https://example.org/legal/privacy"
POLICY = "\n".join(
    f"{n}. We keep {what} for {n * 30} days after the contract ends, unless a law asks for more, "
    f"and we delete {what} within {n + 2} working days after that."
    for n, what in enumerate(
        ("invoices", "support requests", "account data", "server logs", "backups", "contracts",
         "applications", "payment records", "consent records", "newsletters"), start=1
    )
)  # fmt: skip


def facts(html: str | bytes, **fields: object) -> AnswerFacts:
    body = html if isinstance(html, bytes) else html.encode()
    reading = extract(Source(body, "text/html; charset=utf-8"), Options())
    given: dict[str, object] = {
        "requested_url": URL,
        "final_url": URL,
        "media_type": "text/html",
        "text": reading.text.data.decode(),
        "title": reading.title,
        "page": lambda: page_facts(body),
    }
    return AnswerFacts(**(given | fields))  # type: ignore[arg-type]


def baseline(text: str = POLICY, **fields: object) -> Baseline:
    given: dict[str, object] = {"media_type": "text/html", "final_url": URL}
    return Baseline(text, **(given | fields))  # type: ignore[arg-type]


def as_html(text: str, title: str) -> str:
    blocks = (block.strip() for block in re.split(r"\n\s*\n|\f", text))
    body = "".join(
        f"<h2>{escape(one.lstrip('# '))}</h2>" if one.startswith("#") else f"<p>{escape(one)}</p>"
        for one in blocks
        if one
    )
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{escape(title)}</title></head>"
        f"<body><nav><a href='/'>Home</a> <a href='/login'>Log in</a></nav><main>{body}</main>"
        "<div id='cookies'><p>We use cookies.</p><button>Accept all</button>"
        "<button>Reject all</button></div></body></html>"
    )


EVERY_WALL = WALLS + LATER + LAST


def test_there_are_enough_pages_to_mean_something() -> None:
    assert len(EVERY_WALL) >= 100
    assert len({wall.language for wall in EVERY_WALL}) >= 8
    assert len({(wall.title, wall.heading) for wall in EVERY_WALL}) == len(EVERY_WALL)


@pytest.mark.parametrize("page", [bare, dressed])
def test_no_wall_takes_the_place_of_a_document(page: Callable[[Wall], str]) -> None:
    known = baseline()
    for wall in EVERY_WALL:
        verdict = judge(facts(page(wall), baseline=known))
        assert verdict.outcome in (Outcome.REFUSED, Outcome.HELD), wall
        assert verdict.evidence, wall
        assert verdict.message, wall
        assert verdict.hint, wall


@pytest.mark.parametrize("page", [bare, dressed])
def test_hardly_a_wall_becomes_a_first_capture(page: Callable[[Wall], str]) -> None:
    passed = [w for w in EVERY_WALL if judge(facts(page(w))).outcome is Outcome.ACCEPTED]
    assert len(passed) <= len(EVERY_WALL) // 50, passed


def test_walls_are_called_by_their_name() -> None:
    reasons = [(judge(facts(bare(wall))).reason, wall.kind) for wall in EVERY_WALL]
    right = sum(reason == kind for reason, kind in reasons)
    assert right >= 0.9 * len(reasons)


def test_a_page_without_a_sign_of_a_document_is_no_beginning() -> None:
    page = "<title>Acme</title><h1>Acme</h1><p>Ready when you are, whenever that may be.</p>"
    assert judge(facts(page)).reason is Hold.COLLAPSED
    for sign in (
        page.replace("Acme", "Leave policy"),
        page.replace("Acme", "Privacy"),
        page.replace("</p>", " As § 12 has it.</p>"),
        page + "<p>1. Leave is asked for in writing.</p><p>2. Leave is granted in writing.</p>",
        page + "<table>" + "<tr><td>Leave<td>30" * 3 + "</table>",
        page.replace("</p>", " Personal data is deleted 30 days after the end.</p>"),
    ):
        assert judge(facts(sign)).outcome is Outcome.ACCEPTED, sign


@pytest.mark.parametrize(
    "page",
    [
        "<nav><a href=/>Home</a></nav><main><h1>Leave policy</h1><p>&nbsp;</p></main>",
        "<h1>Leave policy</h1><main><iframe src=/embed></iframe></main><p>All of our shops.</p>",
        "<h1>Leave policy</h1><p>This document is being prepared and will be added here soon.</p>",
        "<h1>Leave policy</h1><p>Your e-mail address, please:</p><form><input name=e></form>",
        "<h1>Leave policy</h1><p>We ask you for a password.</p><input type=password>",
    ],
    ids=["nothing", "frame", "stand-in", "form", "password"],
)
def test_a_name_alone_is_no_document(page: str) -> None:
    assert judge(facts(page)).outcome in (Outcome.HELD, Outcome.REFUSED)


@pytest.mark.parametrize("text", ['{"error": "not found"}', "[{}]", "<?xml version='1.0'?><a/>"])
def test_data_for_programs_is_no_document(text: str) -> None:
    held = judge(AnswerFacts(URL, URL, "text/plain", f"{text} {POLICY}"))
    assert held.reason is Hold.COLLAPSED


@pytest.mark.parametrize(("language", "title", "text"), SHORT_POLICIES)
def test_a_short_policy_about_walls_is_no_wall(language: str, title: str, text: str) -> None:
    verdict = judge(facts(short_page(language, title, text)))
    assert verdict.outcome is Outcome.ACCEPTED, verdict


@pytest.mark.shared
def test_no_real_policy_is_refused(shared_data: Path) -> None:
    files = sorted(shared_data.glob("reanchor/corpus/**/*.txt"))
    files += sorted(shared_data.glob("histories/**/*.md"))[::2]
    files += sorted(shared_data.glob("extract/md/**/*.md"))
    files = [file for file in files if file.stat().st_size >= 300]
    assert len(files) >= 300
    for file in files:
        text = file.read_text("utf-8", errors="replace")[:12_000]
        page = as_html(text, file.stem)
        verdict = judge(facts(page))
        assert verdict.outcome is Outcome.ACCEPTED, (file, verdict)


@pytest.mark.shared
def test_no_real_edit_is_refused_or_held(shared_data: Path) -> None:
    for folder in ("basecamp-privacy", "basecamp-terms", "github-privacy-statement"):
        texts = [f.read_text() for f in sorted((shared_data / "histories" / folder).rglob("*.md"))]
        for before, after in list(pairwise(texts))[::3]:
            verdict = judge(
                AnswerFacts(
                    URL,
                    URL,
                    "text/markdown",
                    after,
                    baseline=baseline(before, media_type="text/markdown"),
                )
            )
            assert verdict.outcome is Outcome.ACCEPTED, verdict


def test_a_page_that_still_holds_the_document_is_the_document() -> None:
    page = as_html(POLICY.replace("\n", "\n\n").replace("30 days", "60 days"), "Log in")
    login = '<form><input name="u"><input type="password"><button>Sign in</button></form>'
    verdict = judge(facts(page.replace("<main>", f"{login}<main>"), baseline=baseline()))
    assert verdict.outcome is Outcome.ACCEPTED


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<html><body></body></html>", Refusal.EMPTY_TEXT),
        ("<html><body><p> </p></body></html>", Refusal.EMPTY_TEXT),
        ('<html><body><div id="root"></div></body></html>', Refusal.SCRIPT_SHELL),
        ("<html><body><noscript>Enable JavaScript</noscript></body></html>", Refusal.SCRIPT_SHELL),
        (f"<html><body><script>{'x' * 900}</script></body></html>", Refusal.SCRIPT_SHELL),
        ("", Refusal.EMPTY_TEXT),
    ],
)
@pytest.mark.parametrize("known", [None, baseline()], ids=["first", "later"])
def test_nothing_to_read(html: str, reason: Refusal, known: Baseline | None) -> None:
    assert judge(facts(html, baseline=known)).reason is reason


@pytest.mark.parametrize(
    ("final", "reason"),
    [
        ("https://example.org/", Refusal.REDIRECT_HOME),
        ("https://example.org/de-de/", Refusal.REDIRECT_HOME),
        ("https://example.org/index.html", Refusal.REDIRECT_HOME),
        ("https://www.example.org/legal/privacy/", None),
        ("http://example.org/legal/privacy", None),
    ],
)
def test_where_a_first_capture_comes_from(final: str, reason: Refusal | None) -> None:
    page = as_html("We sell shoes. " * 60, "Shoes")
    assert judge(facts(page, final_url=final)).reason is reason


@pytest.mark.parametrize(
    ("final", "outcome"),
    [
        ("https://example.org/legal/overview", Outcome.REFUSED),
        ("https://elsewhere.example/legal/privacy", Outcome.REFUSED),
    ],
)
def test_another_text_at_another_place_is_away(final: str, outcome: Outcome) -> None:
    page = as_html("Our shoes are made of leather from small farms in the hills. " * 30, "Shoes")
    verdict = judge(facts(page, final_url=final, baseline=baseline()))
    assert (verdict.outcome, verdict.reason) == (outcome, Refusal.REDIRECTED_AWAY)


def test_the_same_text_at_another_place_is_accepted_and_flagged() -> None:
    page = as_html(POLICY.replace("\n", "\n\n"), "Privacy")
    verdict = judge(facts(page, final_url="https://new.example/privacy", baseline=baseline()))
    assert verdict.outcome is Outcome.ACCEPTED
    assert "redirected" in verdict.flags


def test_a_login_at_the_end_of_a_redirect() -> None:
    page = "<title>Acme</title><h1>Acme</h1><form><input name=u><button>Next</button></form><p>Hello again and welcome</p>"
    verdict = judge(facts(page, final_url="https://id.example.org/login?return_to=/legal/privacy"))
    assert verdict.reason is Refusal.LOGIN_WALL


@pytest.mark.parametrize(
    ("text", "hold"),
    [
        (POLICY[: len(POLICY) // 4], Hold.COLLAPSED),
        (POLICY + "\n" + "\n".join(f"{n} {POLICY[::-1]}" for n in range(8)), Hold.EXPLODED),
        ("Wir bewahren die Rechnungen für dreißig Tage auf und löschen sie danach, wenn nicht ein Gesetz es anders will. " * 8, Hold.LANGUAGE_CHANGED),
        ("Our shoes are made of leather from small farms that stand between green hills. " * 12, Hold.COLLAPSED),
    ],
    ids=["shrunk", "grown", "german", "another subject"],
)  # fmt: skip
def test_a_strange_text_is_held(text: str, hold: Hold) -> None:
    verdict = judge(facts(as_html(text.replace("\n", "\n\n"), "Privacy"), baseline=baseline()))
    assert (verdict.outcome, verdict.reason) == (Outcome.HELD, hold)


def test_a_teaser_that_ends_in_a_login_is_held() -> None:
    lines = POLICY.split("\n")
    page = as_html("\n\n".join(lines[:7]), "Privacy").replace(
        "</main>",
        "<p>Please log in to continue reading.</p><form><input type=password></form></main>",
    )
    assert judge(facts(page, baseline=baseline())).reason is Hold.COLLAPSED


@pytest.mark.parametrize(
    ("before", "now", "refused"),
    [
        ("application/pdf", "text/html", True),
        ("text/html", "application/pdf", True),
        ("text/markdown", "text/plain", False),
        ("text/plain", "text/markdown", False),
    ],
)
def test_the_format_is_told_by_bytes(before: str, now: str, refused: bool) -> None:
    text = "The new document is not yet published." if refused else POLICY
    verdict = judge(AnswerFacts(URL, URL, now, text, baseline=baseline(media_type=before)))
    assert (verdict.reason is Refusal.MEDIA_TYPE_CHANGED) is refused


def test_the_same_text_in_another_format_is_accepted_and_flagged() -> None:
    known = baseline(media_type="application/pdf")
    verdict = judge(AnswerFacts(URL, URL, "text/html", POLICY, baseline=known))
    assert verdict.outcome is Outcome.ACCEPTED
    assert "media_type_changed" in verdict.flags


@pytest.mark.parametrize(
    ("extract_verdict", "reason"),
    [
        (ExtractVerdict.NEEDS_OCR, Refusal.NO_TEXT_LAYER),
        (ExtractVerdict.GARBLED, Refusal.NO_TEXT_LAYER),
        (ExtractVerdict.ENCRYPTED, Refusal.DECODE_ERROR),
        (ExtractVerdict.FAILED, Refusal.DECODE_ERROR),
    ],
)
def test_what_cannot_be_read(extract_verdict: ExtractVerdict, reason: Refusal) -> None:
    verdict = judge(
        AnswerFacts(URL, URL, "application/pdf", "", extract_verdict=extract_verdict, pages=3)
    )
    assert verdict.reason is reason


def test_half_a_file_is_truncated_and_a_shared_defect_is_not() -> None:
    known = baseline()
    assert (
        judge(facts(as_html(POLICY, "x"), closed=False, baseline=known)).reason is Refusal.TRUNCATED
    )
    page = facts(as_html(POLICY.replace("\n", "\n\n"), "x"), closed=False)
    assert judge(page).outcome is Outcome.ACCEPTED
    shared = facts(
        as_html(POLICY.replace("\n", "\n\n"), "x"),
        closed=False,
        baseline=baseline(made=lambda: Made(closed=False)),
    )
    assert judge(shared).outcome is Outcome.ACCEPTED
    pdf = AnswerFacts(URL, URL, "application/pdf", POLICY, closed=False)
    assert judge(pdf).reason is Refusal.TRUNCATED


def test_pages_that_lost_their_text_are_held() -> None:
    known = baseline(media_type="application/pdf")
    page = AnswerFacts(
        URL, URL, "application/pdf", POLICY, pages=5, blank_pages=2, baseline=known,
        extract_verdict=ExtractVerdict.PARTIAL,
    )  # fmt: skip
    assert judge(page).reason is Hold.COLLAPSED
