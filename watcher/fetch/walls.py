"""What stands in place of a document: login, consent, bots, queues, errors.

Each candidate reason collects points from independent kinds of evidence: what
the page says where a page says what it is (title, first heading, opening
words), what it is made of, where it was found and how it was sent. How many
points are needed grows with the amount of prose, because a long text is a
document whatever it talks about, and a policy about cookies, logins and
maintenance says those words too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import httpx

from watcher.domain.verdicts import Evidence, Refusal
from watcher.fetch.lexicon import Said, fold, headline, phrases_in
from watcher.fetch.page_facts import PageFacts
from watcher.fetch.similarity import word_count

_LEXICAL = (
    Refusal.SOFT_404,
    Refusal.LOGIN_WALL,
    Refusal.CONSENT_WALL,
    Refusal.BOT_WALL,
    Refusal.WAITING_ROOM,
    Refusal.MAINTENANCE,
    Refusal.SCRIPT_SHELL,
)
_STRONG, _WEAK = 2, 1
_PLACED = frozenset(
    ("final_url", "canonical", "header", "password_fields", "challenge", "refresh", "mount")
)
"""Names of the evidence that is of place, manner or making, not of words."""
LITTLE = 40
"""Words of prose below which a page is about its form or its script, not its words."""
_WORDS_ALONE = 25
"""Words of prose below which phrases in the text alone can tell, without a title,
a form or a place that says the same: a short policy about logins uses them too."""
_UNLIKE_ALONE = 120
"""The same where the page shares nothing with the last accepted text."""
_NEED_CONTROLS = frozenset({Refusal.LOGIN_WALL, Refusal.CONSENT_WALL})
"""Walls that a visitor passes by doing something: without anything to do it is a text."""
_BESIDE = 20
"""Words of prose beside the telling ones from which phrases alone never tell: a
short document under a cookie banner is still a document."""

_LOGIN_PATH = re.compile(
    r"(?i)(?:^|[/._-])(?:log-?in|sign-?in|sign-?on|logon|sso|saml2?|oauth2?|oidc|authorize|"
    r"auth(?:enticate|entication)?|session/new|cas|adfs|wp-login\.php|connexion|anmelden|"
    r"iniciar-sesion|accedi|inloggen|logowanie|account/login|users?/sign_in)(?:$|[/._?-])"
)
_LOGIN_QUERY = re.compile(
    r"(?i)[?&](?:return_?(?:to|url|path)?|redirect(?:_to|_uri|_url|url)?|next|continue|goto|target|"
    r"returnurl|redir|back_?url|service|samlrequest|client_id)="
)
_ERROR_PATH = re.compile(
    r"(?i)(?:^|[/._-])(?:404|410|not-?_?found|page-?not-?found|error(?:s|page)?|"
    r"aspxerrorpath|fehler|erreur|errore|nicht-gefunden|introuvable)(?:$|[/._?=-])|aspxerrorpath="
)
_CONSENT_PLACE = re.compile(
    r"(?i)^https?://consent\.|/(?:cookie-?)?consent(?:$|[/?])|/gdpr-?consent"
)
_QUEUE_PLACE = re.compile(
    r"(?i)queue-it\.net|/waiting-?room|/queue(?:$|[/?])|/warteraum|/virtual-?queue"
)
_MAINTENANCE_PLACE = re.compile(r"(?i)/(?:maintenance|wartung|mantenimiento|under-?construction)\b")
_BLOCK_PLACE = re.compile(
    r"(?i)/(?:captcha|challenge|blocked|denied|access-?denied|forbidden)(?:$|[/?.])"
)


@dataclass(slots=True)
class Suspicion:
    """A candidate reason: its points, whether it is situated, and what spoke for it.

    `telling_words` counts the words of the blocks that speak for it. `placed`
    tells that it does not rest on words alone: an address, a header, a password
    or a challenge speaks for it.
    """

    reason: Refusal
    points: int = 0
    situated: bool = False
    telling_words: int = 0
    placed: bool = False
    evidence: list[Evidence] = field(default_factory=list)

    def add(self, points: int, name: str, value: object, *, situated: bool = False) -> None:
        """Add `points`; `situated` evidence is of place or manner, not of words."""
        self.points += points
        self.situated = self.situated or situated
        self.placed = self.placed or name in _PLACED
        self.evidence.append(Evidence(name, str(value)[:200]))

    def only_words_of(self, scene: Scene) -> bool:
        """Tell whether a page only speaks of a wall that takes something to pass."""
        page = scene.page
        passable = page is None or page.controls
        return self.reason in _NEED_CONTROLS and not (self.placed or passable)


@dataclass(frozen=True, slots=True)
class Scene:
    """What walls are told by. `headers` have lowercase names; `text` is canonical."""

    requested_url: str
    final_url: str
    headers: Mapping[str, str]
    title: str
    text: str
    words: int
    page: PageFacts | None


def needed_points(words: int) -> int | None:
    """Return the points that refuse a page of `words` words of prose, None if none do."""
    for limit, points in ((LITTLE, 2), (120, 3), (250, 5), (600, 6)):
        if words < limit:
            return points
    return None


def suspect(scene: Scene, *, unlike_before: bool = False) -> Suspicion | None:
    """Return the strongest reason for which the page is not the document, if enough speaks for it.

    `unlike_before` tells that the page shares nothing with the last accepted
    text, which is evidence in itself.
    """
    needed = needed_points(scene.words)
    best = max(suspicions(scene), key=lambda one: one.points, default=None)
    if needed is None or best is None:
        return None
    if unlike_before:
        needed = max(2, needed - 1)
    if best.points < needed:
        return None
    return best if best.situated or _words_alone(scene, best, unlike_before) else None


def _words_alone(scene: Scene, best: Suspicion, unlike_before: bool) -> bool:
    """Tell whether phrases in the running text are enough by themselves."""
    if scene.words - best.telling_words >= _BESIDE or best.reason in _NEED_CONTROLS:
        return False
    if unlike_before:
        return scene.words < _UNLIKE_ALONE
    return scene.words < _WORDS_ALONE and best.points >= 3 and not named(scene)


def suspicions(scene: Scene) -> list[Suspicion]:
    """Return every reason that anything speaks for, in the order of the closed list."""
    found = {reason: Suspicion(reason) for reason in _LEXICAL}
    _words(scene, found)
    _places(scene, found)
    _sending(scene, found)
    if scene.page is not None:
        _making(scene.page, scene, found)
    return [one for one in found.values() if one.points]


def _words(scene: Scene, found: Mapping[Refusal, Suspicion]) -> None:
    page = scene.page
    headings = page.headings[:2] if page else []
    lead = page.lead if page and page.lead else scene.text[:1200]
    titles = headline([scene.title, *headings])
    opening = fold("" if headings else lead[:100])
    blocks = [(fold(line), word_count(line)) for line in lead.split("\n")]
    blocks.append((fold(page.head.noscript if page else ""), 0))
    titled = named(scene)
    for reason, suspicion in found.items():
        in_titles = phrases_in(titles, reason)
        in_top = in_titles or phrases_in(opening, reason)
        in_body: dict[str, None] = {}
        for block, words in blocks:
            hits = phrases_in(block, reason)
            in_body.update(dict.fromkeys(hits))
            suspicion.telling_words += words if hits else 0
        if in_top and not titled:
            suspicion.add(_STRONG, "headline", in_top[0], situated=bool(in_titles))
        others = [phrase for phrase in in_body if phrase not in in_top[:1] or titled]
        for phrase in others[:3]:
            suspicion.add(_WEAK, "phrase", phrase)


def named(scene: Scene) -> bool:
    """Tell whether the page is titled as a document is."""
    headings = scene.page.headings[:2] if scene.page else []
    return bool(phrases_in(headline([scene.title, *headings]), Said.NAMES))


def _path(url: str) -> str:
    return "/" + url.split("://", 1)[-1].partition("/")[2]


def _places(scene: Scene, found: Mapping[Refusal, Suspicion]) -> None:
    """Judge where the answer was found, as far as it is not where it was sought."""
    asked, got = scene.requested_url, scene.final_url
    for reason, pattern, points in (
        (Refusal.CONSENT_WALL, _CONSENT_PLACE, 3),
        (Refusal.WAITING_ROOM, _QUEUE_PLACE, 3),
        (Refusal.MAINTENANCE, _MAINTENANCE_PLACE, 3),
    ):
        if pattern.search(got) and not pattern.search(asked):
            found[reason].add(points, "final_url", got, situated=True)
    for reason, pattern in (
        (Refusal.LOGIN_WALL, _LOGIN_PATH),
        (Refusal.SOFT_404, _ERROR_PATH),
        (Refusal.BOT_WALL, _BLOCK_PLACE),
    ):
        if pattern.search(_path(got)) and not pattern.search(_path(asked)):
            found[reason].add(3, "final_url", got, situated=True)
    if got != asked and _LOGIN_QUERY.search(got) and not _LOGIN_QUERY.search(asked):
        found[Refusal.LOGIN_WALL].add(_WEAK, "final_url", "names a page to return to")
    canonical = scene.page.head.canonical if scene.page else ""
    if canonical and _ERROR_PATH.search(_path(canonical)) and not _ERROR_PATH.search(_path(asked)):
        found[Refusal.SOFT_404].add(_STRONG, "canonical", canonical, situated=True)


def _sending(scene: Scene, found: Mapping[Refusal, Suspicion]) -> None:
    for reason, value in certain_headers(scene.headers):
        found[reason].add(6, "header", value, situated=True)
    if "retry-after" in scene.headers:
        found[Refusal.MAINTENANCE].add(_WEAK, "header", "retry-after", situated=True)
    if "refresh" in scene.headers:
        found[Refusal.WAITING_ROOM].add(_WEAK, "header", "refresh", situated=True)
    if "noindex" in scene.headers.get("x-robots-tag", "").lower():
        found[Refusal.SOFT_404].add(_WEAK, "header", "x-robots-tag: noindex", situated=True)


def certain_headers(headers: Mapping[str, str]) -> Iterable[tuple[Refusal, str]]:
    """Yield what headers say that only the makers of walls send."""
    if headers.get("cf-mitigated", "").lower() == "challenge":
        yield Refusal.BOT_WALL, "cf-mitigated: challenge"
    if headers.get("x-amzn-waf-action", "").lower() in ("challenge", "captcha"):
        yield Refusal.BOT_WALL, "x-amzn-waf-action"
    if headers.get("x-datadome", "").lower() in ("protected", "blocked") and (
        "x-datadome-cid" in headers or "x-dd-b" in headers
    ):
        yield Refusal.BOT_WALL, "x-datadome"
    if any(name.startswith("cf-waiting-room") for name in headers):
        yield Refusal.WAITING_ROOM, "cf-waiting-room"


def _making(page: PageFacts, scene: Scene, found: Mapping[Refusal, Suspicion]) -> None:
    """Judge what the page is made of."""
    if page.password_fields:
        alone = scene.words < LITTLE
        found[Refusal.LOGIN_WALL].add(
            _STRONG, "password_fields", page.password_fields, situated=alone
        )
    elif page.text_fields and page.words < 120 and len(page.buttons) <= 6:
        alone = scene.words < LITTLE // 2
        fields = f"{page.text_fields} field(s) to fill in"
        found[Refusal.LOGIN_WALL].add(_WEAK, "form", fields, situated=alone)
    if page.checkboxes + len(page.buttons) >= 2:
        choices = ", ".join(filter(None, page.buttons[:4])) or page.checkboxes
        alone = scene.words - found[Refusal.CONSENT_WALL].telling_words < _BESIDE
        found[Refusal.CONSENT_WALL].add(_WEAK, "choices", choices, situated=alone)
    if page.head.noindex:
        found[Refusal.SOFT_404].add(_WEAK, "robots", "noindex")
        found[Refusal.MAINTENANCE].add(_WEAK, "robots", "noindex")
    if page.search_fields and page.words < 150:
        found[Refusal.SOFT_404].add(_WEAK, "form", "a search field")
    challenges = [name for name in page.head.challenges if name != "queue"]
    if challenges:
        marks, alone = ", ".join(challenges), scene.words < LITTLE
        found[Refusal.BOT_WALL].add(_STRONG, "challenge", marks, situated=alone)
    if "queue" in page.head.challenges:
        found[Refusal.WAITING_ROOM].add(_STRONG, "challenge", "queue")
    if page.head.refresh is not None and _same_page(page.head.refresh, scene.final_url):
        found[Refusal.WAITING_ROOM].add(
            _STRONG, "refresh", f"{page.head.refresh_seconds:.0f} s", situated=True
        )
        found[Refusal.MAINTENANCE].add(_WEAK, "refresh", f"{page.head.refresh_seconds:.0f} s")
        found[Refusal.BOT_WALL].add(_WEAK, "refresh", f"{page.head.refresh_seconds:.0f} s")
    if page.head.mount_empty:
        found[Refusal.SCRIPT_SHELL].add(_STRONG, "mount", "the application's element is empty")
    if page.head.script_bytes > 20 * max(1, len(scene.text)):
        found[Refusal.SCRIPT_SHELL].add(_WEAK, "script_bytes", page.head.script_bytes)


def _same_page(target: str, final_url: str) -> bool:
    if not target:
        return True
    try:
        return str(httpx.URL(final_url).join(target)) == final_url
    except (httpx.InvalidURL, UnicodeError):
        return False
