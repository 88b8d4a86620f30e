"""What servers do to documents: one scenario for each behaviour, with what is wanted.

A scenario is a first answer, the answers of the following checks, and for
each of those what it must come to: `SAME` (nothing new, or a version that
nobody is told of), `NEW` (a version that is told), `KEPT` (refused or held,
the last version stays).
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.fetch.scenario_server import Reply, Seen, Step, conditional
from tests.fetch.wall_texts import WALLS, dressed

SAME, NEW, KEPT = "same", "new", "kept"


class Scenario(NamedTuple):
    name: str
    first: Step
    then: tuple[tuple[Step, str], ...]


CLAUSES = (
    "We keep invoices for 30 days after the contract ends and delete them within two working days.",
    "The customer may object to a new sub-processor within fourteen days of the notice.",
    "Access to personal data is given to named employees who have signed a duty of confidence.",
    "We notify the customer of a personal data breach without undue delay.",
    "Backups are encrypted and stored in the European Union.",
    "Requests for erasure are answered within one month of receipt.",
    "The processor shall make available all information necessary to demonstrate compliance.",
    "Support staff in “tier two” don't see payment records unless the customer asks for help.",
    "Server logs are removed after ninety days by an automatic job that is tested every quarter.",
    "An audit may take place once a year during business hours with notice of three weeks.",
)


def text(*changes: tuple[str, str]) -> tuple[str, ...]:
    """The clauses with replacements; each must hit."""
    whole = "\n".join(CLAUSES)
    for old, new in changes:
        assert old in whole, old
        whole = whole.replace(old, new)
    return tuple(whole.split("\n"))


def page(
    clauses: tuple[str, ...] = CLAUSES,
    *,
    head: str = '<meta charset="utf-8">',
    top: str = "",
    bottom: str = "",
    attributes: str = "",
) -> str:
    paragraphs = "\n".join(f"<p{attributes}>{clause}</p>" for clause in clauses)
    return (
        f'<!doctype html><html lang="en"><head>{head}<title>Data Processing Policy</title></head>'
        '<body><nav><a href="/">Home</a> <a href="/legal">Legal</a></nav>'
        f"<main><h1>Data Processing Policy</h1>{top}\n{paragraphs}\n</main>"
        f"<footer>{bottom}<p>Acme Ltd</p></footer></body></html>"
    )


def html(source: str, charset: str = "utf-8", content_type: str | None = None) -> Reply:
    declared = content_type if content_type is not None else f"text/html; charset={charset}"
    return Reply(body=source.encode(charset), content_type=declared or None)


def pdf(clauses: tuple[str, ...] = CLAUSES, *, producer: str = "one") -> bytes:
    target = BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.setProducer(producer)
    for at in range(0, len(clauses), 5):
        for line, clause in enumerate(clauses[at : at + 5]):
            canvas.setFont("Helvetica", 9)
            canvas.drawString(50, 780 - 40 * line, clause)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def pdf_reply(data: bytes, content_type: str | None = "application/pdf") -> Reply:
    return Reply(body=data, content_type=content_type)


def coded(data: bytes) -> Reply:
    return Reply(body=data, headers=(("Content-Encoding", "gzip"),))


def counted(make: Callable[[int], Reply]) -> Callable[[Seen], Reply]:
    """A reply that differs at every request."""
    count = 0

    def answer(_seen: Seen) -> Reply:
        nonlocal count
        count += 1
        return make(count)

    return answer


def wall(kind: str, language: str = "en") -> Reply:
    return html(dressed(next(w for w in WALLS if (w.language, w.kind) == (language, kind))))


def to(location: str) -> Reply:
    return Reply(status=302, headers=(("Location", location),))


BASE = html(page())
PACKED = gzip.compress(page().encode() * 3)
EDITED = html(page(text(("30 days", "60 days"))))
NEGATED = html(page(text(("may object", "may not object"))))
LATIN = text(("Access to", "L'accès à, «Größe» and façade: access to"), ("“tier two”", "tier two"))
JAPANESE = text(("Backups are", "個人情報は契約終了後三十日間保管します。Backups are"))
OLD = "Wed, 21 Oct 2015 07:28:00 GMT"
NEWER = "Thu, 05 Mar 2026 10:00:00 GMT"

SCENARIOS: tuple[Scenario, ...] = (
    Scenario("real_edit", BASE, ((EDITED, NEW), (EDITED, SAME))),
    Scenario("identical", BASE, ((BASE, SAME), (BASE, SAME))),
    Scenario("soft404_200", BASE, ((wall("soft_404"), KEPT), (wall("soft_404"), KEPT), (BASE, SAME))),
    Scenario("consent_wall_200", BASE, ((wall("consent_wall"), KEPT), (wall("consent_wall"), KEPT))),
    Scenario("login_redirect", BASE, ((to("/login?next=/doc"), KEPT), (to("/login?next=/doc"), KEPT))),
    Scenario("home_redirect", BASE, ((to("/"), KEPT), (to("/"), KEPT), (BASE, SAME))),
    Scenario("empty_200", BASE, ((Reply(), KEPT), (Reply(), KEPT), (BASE, SAME))),
    Scenario("blank_html_200", BASE, ((html("<html><body>  </body></html>"), KEPT),) * 2),
    Scenario("maintenance_200", BASE, ((wall("maintenance"), KEPT),) * 2),
    Scenario("waiting_room_200", BASE, ((wall("waiting_room"), KEPT),) * 2),
    Scenario("cloudflare_challenge_403", BASE, ((Reply(status=403, body=dressed(WALLS[11]).encode(), headers=(("cf-mitigated", "challenge"),)), KEPT), (BASE, SAME))),
    Scenario("e500", BASE, ((Reply(status=500, body=b"oops"), KEPT), (BASE, SAME))),
    Scenario("e503_retry_after", BASE, ((Reply(status=503, headers=(("Retry-After", "30"),)), KEPT), (BASE, SAME))),
    Scenario("e429_retry_after", BASE, ((Reply(status=429, headers=(("Retry-After", "30"),)), KEPT), (BASE, SAME))),
    Scenario("e404_then_back", BASE, ((Reply(status=404, body=b"gone"), KEPT), (BASE, SAME))),
    Scenario("csrf_nonce", counted(lambda n: html(page(top=f'<form><input type="hidden" name="csrf" value="{n * 7919}"></form>'))), ((counted(lambda n: html(page(top=f'<form><input type="hidden" name="csrf" value="{n * 104729}"></form>'))), SAME),) * 2),
    Scenario("hashed_classes", html(page(attributes=' class="css-1ab2"')), ((html(page(attributes=' class="css-9zx8"')), SAME),)),
    Scenario("footer_clock", html(page(bottom="<p>Page generated at 10:42:31</p>")), ((html(page(bottom="<p>Page generated at 11:03:07</p>")), SAME), (html(page(bottom="<p>Page generated at 12:55:59</p>")), SAME))),
    Scenario("whitespace_only", BASE, ((html(page().replace("\n", "\n\n   \n").replace(" the ", "  the ")), SAME),)),
    Scenario("nbsp_for_space", BASE, ((html(page().replace("the contract", "the&nbsp;contract")), SAME),)),
    Scenario("smart_quotes", BASE, ((html(page(text(("“tier two” don't", '"tier two" don’t')))), SAME),)),
    Scenario("nfc_nfd", html(page(LATIN)), ((html(unicodedata.normalize("NFD", page(LATIN))), SAME),)),
    Scenario("link_tracking_param", html(page(bottom='<a href="/dpa.pdf?utm_source=a&sid=1">DPA</a>')), ((html(page(bottom='<a href="/dpa.pdf?utm_source=b&sid=2">DPA</a>')), SAME),)),
    Scenario("cf_email_protection", html(page(bottom='<a href="/cdn-cgi/l/email-protection#a1b2">Mail us</a>')), ((html(page(bottom='<a href="/cdn-cgi/l/email-protection#c3d4">Mail us</a>')), SAME),)),
    Scenario("moved_section", BASE, ((html(page((*CLAUSES[4:], *CLAUSES[:4]))), NEW),)),
    Scenario("attr_link_target_change", html(page(bottom='<a href="/dpa-2025.pdf">DPA</a>')), ((html(page(bottom='<a href="/dpa-2026.pdf">DPA</a>')), NEW),)),
    Scenario("hidden_text_change", html(page(bottom='<p style="display:none">build 17</p>')), ((html(page(bottom='<p style="display:none">build 18</p>')), SAME),)),
    Scenario("number_word_change", BASE, ((html(page(text(("fourteen days", "seven days")))), NEW),)),
    Scenario("negation_insert", BASE, ((NEGATED, NEW), (NEGATED, SAME))),
    Scenario("latin1_no_charset", html(page(LATIN, head=""), "latin-1", "text/html"), ((html(page(LATIN, head=""), "latin-1", "text/html"), SAME),)),
    Scenario("meta_1252_header_none", html(page(LATIN, head='<meta charset="windows-1252">'), "cp1252", "text/html"), ((html(page(LATIN)), SAME),)),
    Scenario("header_utf8_body_1252", html(page(LATIN, head=""), "cp1252", "text/html; charset=utf-8"), ((html(page(LATIN)), SAME),)),
    Scenario("sjis_meta", html(page(JAPANESE, head='<meta charset="shift_jis">').replace("“", "「").replace("”", "」"), "shift_jis", "text/html"), ((html(page(JAPANESE).replace("“", "「").replace("”", "」")), SAME),)),
    Scenario("gzip_same_etag_suffix", conditional(BASE, '"v1"'), ((conditional(coded(gzip.compress(page().encode())), '"v1-gzip"'), SAME),)),
    Scenario("weak_etag", conditional(BASE, 'W/"v1"'), ((conditional(EDITED, 'W/"v2"'), NEW), (conditional(EDITED, 'W/"v2"'), SAME))),
    Scenario("lm_clock_skew", conditional(BASE, last_modified=NEWER), ((conditional(EDITED, last_modified=OLD), NEW),)),
    Scenario("truncated_body", BASE, ((Reply(body=page().encode(), cut=700), KEPT), (BASE, SAME))),
    Scenario("truncated_chunked", BASE, ((Reply(body=page().encode(), chunked=True, cut=700), KEPT), (BASE, SAME))),
    Scenario("truncated_silently", BASE, ((Reply(body=page().encode()[:900]), KEPT), (BASE, SAME))),
    Scenario("bad_gzip", BASE, ((coded(PACKED[:-20]), KEPT), (BASE, SAME))),
    Scenario("gzip_claim_plain", BASE, ((coded(page().encode()), KEPT), (BASE, SAME))),
    Scenario("gzip_bomb", BASE, ((coded(gzip.compress(bytes(80_000_000))), KEPT), (BASE, SAME))),
    Scenario("redirect_loop", BASE, ((lambda seen: to(seen.path), KEPT), (BASE, SAME))),
    Scenario("redirect_to_metadata_ip", BASE, ((to("http://169.254.169.254/latest/"), KEPT), (BASE, SAME))),
    Scenario("no_content_type", html(page(), content_type=""), ((html(page(), content_type=""), SAME),)),
    Scenario("content_type_comes_and_goes", BASE, ((html(page(), content_type=""), SAME), (BASE, SAME))),
    Scenario("pdf_same", pdf_reply(pdf()), ((pdf_reply(pdf()), SAME),)),
    Scenario("pdf_regenerated", pdf_reply(pdf()), ((pdf_reply(pdf(producer="two")), SAME),)),
    Scenario("pdf_edit", pdf_reply(pdf()), ((pdf_reply(pdf(text(("30 days", "60 days")))), NEW),)),
    Scenario("pdf_becomes_html_200", pdf_reply(pdf()), ((html("<h1>Not yet</h1><p>The new version of this document will be here on Monday.</p>"), KEPT),) * 2),
    Scenario("pdf_octet_stream", pdf_reply(pdf()), ((pdf_reply(pdf(), "application/octet-stream"), SAME), (pdf_reply(pdf(), None), SAME))),
    Scenario("pdf_charset_param", pdf_reply(pdf()), ((pdf_reply(pdf(), "application/pdf;charset=utf-8"), SAME), (pdf_reply(pdf(), "Application/PDF"), SAME))),
    Scenario("pdf_truncated", pdf_reply(pdf()), ((pdf_reply(pdf()[: len(pdf()) // 2]), KEPT),) * 2),
    Scenario("login_200_german", BASE, ((wall("login_wall", "de"), KEPT),) * 2),
    Scenario("script_shell", BASE, ((html('<html><body><div id="root"></div><script src="/app.js"></script></body></html>'), KEPT),) * 2),
    Scenario("json_error", BASE, ((Reply(body=b'{"error":"not found","status":404}', content_type="application/json"), KEPT),) * 2),
    Scenario("wrong_language", BASE, ((html(page(("Wir bewahren die Rechnungen für dreißig Tage auf und löschen sie danach, wenn nicht ein Gesetz es anders will.",) * 9).replace('lang="en"', 'lang="de"')), KEPT), (BASE, SAME))),
)  # fmt: skip

assert len(SCENARIOS) >= 53
assert all(re.fullmatch(r"[a-z0-9_]+", scenario.name) for scenario in SCENARIOS)
