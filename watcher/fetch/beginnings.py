"""What can be the beginning of a document of which nothing is known yet. Pure.

A page that stands in for a document is short, and so are many documents. What
tells them apart is what only documents have: a name of their kind, a title that
the address was asked by, numbered paragraphs, a table, and the subjects of
rules, notices and tariffs. Where none of that is seen, a person looks first.
"""

from __future__ import annotations

import re

from watcher.fetch.lexicon import Said, fold, headline, phrases_in
from watcher.fetch.similarity import word_count
from watcher.fetch.walls import LITTLE, Scene, suspicions

_NOTHING = 6
"""Words beside menus and headings below which there is no text at all."""
_PLENTY = 120
"""Words of content from which a page is taken for a document without a sign of one."""
_TITLE = 10
"""Words of a line that can be a title."""
_STEM = 5
"""Letters that a word of the address and a word of the title must share at their beginning."""
_DATA = re.compile(r"\s*(?:[\[{]\s*[\"{\[\]}]|<\?xml\b)")
_CITED = re.compile(
    r"\u00a7 ?\d|\bart(?:\.|icles?|ikel|[i\u00ed]culos?|icol[oi]|igos?) ?\d"
    r"|\b[nN](?:r|o|um)?[.\u00ba\u00b0] ?\d+/\d{2,4}|\u2116 ?\d|\((?:EU|UE|EG|CE)\)"
    r"|\u7b2c[\d\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341]+\u6761"
    r"|\b(?:GDPR|DSGVO|RGPD|AVG|RODO|KVKK|CCPA|BGB|TTDSG)\b"
)
"""How laws are cited."""
_TEXTS = frozenset(("text/html", "text/plain", "text/markdown"))

Signs = list[tuple[str, object]]


def doubts(scene: Scene, media_type: str) -> Signs:
    """Return what speaks against a first capture, nothing where it may be a document."""
    page = scene.page
    content = page.content_words if page is not None else word_count(scene.text)
    data = _DATA.match(scene.text) is not None
    if media_type not in _TEXTS or (content >= _PLENTY and not data):
        return []
    form: Signs = [("form", "data for programs")] if data else []
    found = form or _hollow(scene, content) or _obstacles(scene) or _signless(scene, content)
    return [("content_words", content), *found] if found else []


def _hollow(scene: Scene, content: int) -> Signs:
    """Return what shows that there is no text: nothing beside menus."""
    if content >= _NOTHING:
        return []
    frames = scene.page.frames if scene.page else 0
    return [("frames", frames), ("form", "nothing beside menus and headings")]


def _signless(scene: Scene, content: int) -> Signs:
    """Return that nothing shows a document, or nothing but a word of the address."""
    signs = signs_of_a_document(scene)
    if [name for name, _ in signs] == ["asked_for"] and content < LITTLE and suspicions(scene):
        # Any page of a site may have a word in common with its address.
        return signs
    return [] if signs else [("document_signs", "none")]


def speaks_as_a_document(scene: Scene) -> bool:
    """Tell whether a page has several signs of a document, the asked-for title aside."""
    content = scene.page.content_words if scene.page else scene.words
    signs = [name for name, _ in signs_of_a_document(scene) if name != "asked_for"]
    return content >= LITTLE // 2 and len(signs) > 1


def signs_of_a_document(scene: Scene) -> Signs:
    """Return what only documents have, with the names of the evidence."""
    page = scene.page
    headings = page.headings[:3] if page else ()
    # A text without headings is titled by its first lines, where they are short.
    lines = [line for line in scene.text[:2_000].split("\n")[:2] if word_count(line) <= _TITLE]
    titles = headline([scene.title, *(headings or lines)])
    lead = fold(page.lead if page and page.lead else scene.text[:2_000])
    cited = _CITED.search(scene.text[:4_000])
    subjects = phrases_in(lead, Said.SUBJECTS)
    clauses = page.clauses if page else 0
    rows = page.rows if page else 0
    return [
        (name, value)
        for name, value in (
            ("named", ", ".join(phrases_in(titles, Said.NAMES)[:1])),
            ("asked_for", _asked_for(scene.requested_url, titles)),
            ("cites", cited[0] if cited else ""),
            ("clauses", clauses if clauses > 1 else 0),
            ("rows", rows if rows > 2 else 0),
            ("subjects", ", ".join(subjects[:3]) if len(subjects) > 1 else ""),
        )
        if value
    ]


def _asked_for(url: str, titles: str) -> str:
    """Return the word that the address and the title of the page have in common."""
    path = fold(url.split("://", 1)[-1].partition("/")[2].partition("?")[0].replace("_", " "))
    stems = {word[:_STEM] for word in path.replace(".", " ").split() if len(word) >= _STEM}
    return next((word for word in titles.split() if word[:_STEM] in stems), "")


def _obstacles(scene: Scene) -> Signs:
    """Return what keeps a visitor out, on a page with little beside it."""
    page = scene.page
    if page is None or page.prose_words >= LITTLE:
        return []
    instead = phrases_in(fold(page.lead), Said.STAND_INS)
    return [
        (name, value)
        for name, value in (
            ("stand_in", ", ".join(instead[:2])),
            ("password_fields", page.password_fields),
            ("challenge", ", ".join(page.head.challenges)),
            ("refresh", page.head.refresh),
            ("text_fields", page.text_fields if page.content_words < LITTLE // 2 else 0),
        )
        if value
    ]
