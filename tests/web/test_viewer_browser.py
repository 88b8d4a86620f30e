"""The viewer in the system's real Chromium: what is seen, and what a keyboard reaches."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from PIL import Image, ImageChops
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from tests.conftest import REPOSITORY
from tests.extract.made_pdfs import Draw, drawn
from tests.fetch.chromium import require_chromium
from tests.pipeline.deployment import html
from tests.web.conftest import Served, served_deployment
from watcher.demo.site import Page as Source
from watcher.fetch.browser import find_browser
from watcher.pipeline.picturing import place_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHOTS = REPOSITORY / "test-artifacts" / "viewer"
PASSAGES = {
    "ascii": "Security logs must be kept for 365 days.",
    "german": "Prüfprotokolle müssen 365 Tage aufbewahrt werden – größere länger.",
    "japanese": "記録は三百六十五日間保存しなければならない。",
    "emoji": "Keep 🔒 logs 👩‍👩‍👧‍👦 for 🎉 365 days.",
}
FILLER = [f"Clause {n} says that every copy of the record is made with care. 🎉" for n in range(60)]
DARK = {"documents", "version", "change"}
"""Pages looked at in the dark as well: between them they have every colour."""
AFTER = "Security logs must be kept for 30 days."


def pdf(passage: str, font: str) -> Source:
    def first(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(72, 700, "The first page names who is responsible for the record.")

    def second(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(72, 700, "The second page says how long records are kept at least:")
        canvas.setFont(font, 12)
        canvas.drawString(72, 660, passage)

    pages: tuple[Draw, ...] = (first, second)
    return Source(drawn(*pages), "application/pdf")


@dataclass
class Watched:
    """What is served, with the citation of each document."""

    served: Served
    citations: Mapping[str, str]
    change: str


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    require_chromium()
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    fonts = {"ascii": "Helvetica", "german": "Helvetica", "japanese": "HeiseiKakuGo-W5"}
    with served_deployment(tmp_path_factory.mktemp("seen")) as made:
        deployment, citations = made.deployment, {}
        sources: dict[str, Source] = {
            kind: html(*FILLER[:30], passage, *FILLER[30:]) for kind, passage in PASSAGES.items()
        } | {f"{kind}-pdf": pdf(PASSAGES[kind], font) for kind, font in fonts.items()}
        for name, source in sources.items():
            document = deployment.watch(name, source, 'severity = "page"', "confirm = false")
            deployment.check(document)
            cited = deployment.cite(document, PASSAGES[name.removesuffix("-pdf")], f"to-{name}")
            citations[name] = cited.citation.citation_id
        deployment.clock.pass_time(hours=6)
        document = deployment.services.store.documents.list()[0].document_id
        deployment.check(document, html(*FILLER[:30], AFTER, *FILLER[30:]))
        (change,) = deployment.store.changes.list(document)
        yield Watched(made, citations, f"/changes/{change.change_id}")


@pytest.fixture(scope="module")
def page(watched: Watched) -> Iterator[Page]:
    """One page of one browser for all tests: each says where it goes."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - optional

    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_browser()))
        made = browser.new_page(
            base_url=watched.served.url, viewport={"width": 1280, "height": 800}
        )
        made.set_default_timeout(10_000)
        yield made
        browser.close()


def shot(page: Page, name: str) -> Image.Image:
    data = page.screenshot(path=SHOTS / f"{name}.png", animations="disabled")
    return Image.open(io.BytesIO(data)).convert("RGB")


def in_view(page: Page, selector: str) -> bool:
    return bool(
        page.eval_on_selector(
            selector,
            "e => { const r = e.getBoundingClientRect();"
            " return r.width > 0 && r.top >= 0 && r.bottom <= innerHeight; }",
        )
    )


SELECTED = """([start, end]) => {
  const pages = [...document.querySelectorAll(".text")];
  const page = pages.filter(p => Number(p.dataset.start) <= start).pop();
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = Number(page.dataset.start);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const next = at + node.length;
    if (start >= at && start < next) range.setStart(node, start - at);
    if (end > at && end <= next) range.setEnd(node, end - at);
    at = next;
  }
  return range.toString();
}"""


@pytest.mark.parametrize("name", [*PASSAGES, "ascii-pdf", "german-pdf", "japanese-pdf"])
def test_the_passage_is_highlighted_and_in_view(watched: Watched, page: Page, name: str) -> None:
    citation, http = watched.citations[name], watched.served.http
    url = f"/api/v1/citations/{citation}"
    found = http.get(url, params={"unit": "utf-16-code-units"}).json()
    passage, anchor = found["passages"][0], found["anchors"][0]
    page.goto(f"/citations/{citation}")
    assert page.locator("mark").first.text_content() == passage
    assert in_view(page, "mark")
    base = f"/documents/{name}/versions/{found['version']}"
    # With a fragment the browser leads there, without one the script does.
    fragment = "#m1" if name != "emoji" else ""
    page.goto(f"{base}?citation={citation}{fragment}")
    assert page.locator("mark").text_content() == passage
    assert in_view(page, "mark")
    offsets = [anchor["start"], anchor["end"]]
    assert page.evaluate(SELECTED, offsets) == passage, "UTF-16 offsets select the same text"
    marked = page.eval_on_selector("mark", "e => [e.dataset.start, e.dataset.end].map(Number)")
    assert marked == offsets
    shot(page, f"version-{name}")


def test_pixels_differ_where_the_passage_is_and_nowhere_else(watched: Watched, page: Page) -> None:
    page.goto(f"/citations/{watched.citations['ascii']}")
    after = shot(page, "citation-edited")
    box = page.locator("mark").first.bounding_box()
    page.eval_on_selector(
        "mark", "e => { e.style.background = 'none'; e.style.color = 'inherit'; }"
    )
    changed = ImageChops.difference(after, shot(page, "citation-unmarked")).getbbox()
    assert box is not None
    assert changed is not None
    left, top, right, bottom = changed
    assert abs(left - box["x"]) <= 1
    assert abs(right - box["x"] - box["width"]) <= 1
    assert box["y"] - 1 <= top < bottom <= box["y"] + box["height"] + 1


@pytest.mark.parametrize("name", ["ascii-pdf", "japanese-pdf"])
def test_a_pdf_page_is_shown_with_its_words_marked(watched: Watched, page: Page, name: str) -> None:
    pytest.importorskip("pypdfium2")
    services = watched.served.deployment.services
    citation = services.store.citations.get(watched.citations[name]).citation
    page.goto(f"/citations/{watched.citations[name]}")
    image = page.locator("figure img")
    assert image.evaluate("async e => { await e.decode(); return e.naturalWidth; }") > 1000
    picture = watched.served.http.get(str(image.get_attribute("src")))
    pixels = Image.open(io.BytesIO(picture.content)).convert("RGB")
    red, _, blue = pixels.split()
    yellow = ImageChops.subtract(red, blue).getbbox()
    rects = place_of(services, citation).rects
    scale = pixels.width / 595.28
    edges = (
        min(r.x0 for r in rects), min(r.y0 for r in rects),
        max(r.x1 for r in rects), max(r.y1 for r in rects),
    )  # fmt: skip
    assert yellow == pytest.approx([at * scale for at in edges], abs=2)
    shot(page, f"citation-{name}")


@pytest.mark.parametrize("size", [(1280, 800), (375, 812)])
def test_a_change_shows_what_changed_without_scrolling(
    watched: Watched, page: Page, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        for view in ("inline", "side"):
            page.goto(f"{watched.change}?view={view}")
            assert in_view(page, "del")
            assert in_view(page, "ins")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            shot(page, f"change-{view}-{size[0]}")
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until what `selector` names has the focus."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_a_keyboard_is_enough_for_triage(watched: Watched, page: Page) -> None:
    page.goto(watched.change)
    tab_to(page, "form[action$='/ack'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**#triage")
    assert "taken on by local" in (page.locator("#triage").text_content() or "")
    page.goto(watched.change)
    tab_to(page, "input[name=verdict]")
    page.keyboard.press("Space")
    tab_to(page, "form[action$='/verdict'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**#triage")
    page.goto(watched.change)
    tab_to(page, "#assignee")
    page.keyboard.type("mara")
    tab_to(page, "#disposition")
    page.keyboard.type("done")
    tab_to(page, "#due")
    page.keyboard.type("06012026")
    tab_to(page, "#ticket")
    page.keyboard.type("https://tickets.example/7")
    tab_to(page, "#note")
    page.keyboard.type("looked at")
    tab_to(page, "form[action$='/triage'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**#triage")
    (entry,) = watched.served.http.get(f"/api/v1{watched.change}/triage").json()
    told = [entry[f] for f in ("assignee", "disposition", "due", "ticket", "note")]
    assert told == ["mara", "done", "2026-06-01", "https://tickets.example/7", "looked at"]
    shot(page, "triage")


def test_axe_finds_nothing_serious(watched: Watched, page: Page) -> None:
    from axe_playwright_python.sync_playwright import (  # type: ignore[import-untyped]  # noqa: PLC0415 - with playwright
        Axe,
    )

    axe, found = Axe(), {}
    version = watched.served.http.get(f"/api/v1/citations/{watched.citations['ascii-pdf']}").json()
    paths = {
        "documents": "/documents",
        "document": "/documents/ascii",
        "version": f"/documents/ascii-pdf/versions/{version['version']}"
        f"?citation={watched.citations['ascii-pdf']}#m1",
        "citation": f"/citations/{watched.citations['ascii']}",
        "change": watched.change,
        "side": f"{watched.change}?view=side",
        "changes": "/changes",
        "review": "/review",
        "problem": "/documents/nothing",
    }
    try:
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            for name, path in paths.items():
                if scheme == "dark" and name not in DARK:
                    continue
                page.goto(path)
                shot(page, f"{name}-{scheme}")
                violations: list[dict[str, Any]] = axe.run(page).response["violations"]
                for one in violations:
                    if one["impact"] in {"serious", "critical"}:
                        found[name, scheme, one["id"]] = one["nodes"][0]["html"]
    finally:
        page.emulate_media(color_scheme="light")
    assert found == {}


def test_without_scripts_the_fragment_still_leads_to_the_passage(
    watched: Watched, page: Page, tmp_path: Path
) -> None:
    browser = page.context.browser
    assert browser is not None
    with browser.new_context(base_url=watched.served.url, java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto(f"/citations/{watched.citations['emoji']}")
        plain.locator("a[href*='citation=']").first.click()
        plain.wait_for_url("**#m1")
        box = plain.locator("mark").bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= 720 - box["height"]
        plain.emulate_media(media="print")
        assert not plain.locator("header.site").is_visible()
