"""Judge a link target that differs while the words stay."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from watcher.classify.rules import Tried

_DOCUMENT = re.compile(r"\.(?:pdf|docx?|odt|rtf|xlsx?|ods|pptx?|csv|txt|zip|epub)$", re.IGNORECASE)
_EDITION = re.compile(
    r"(?<![0-9a-z])(?:v(?:ersion)?[-_.]?\d+(?:[._-]\d+)*|(?:19|20)\d\d(?:[-_./]?\d\d){0,2})(?![0-9])",
    re.IGNORECASE,
)
_TRACKING = re.compile(
    r"utm_\w+|gclid|fbclid|msclkid|dclid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl|_hs\w+|mkt_tok|"
    r"s_?id|session_?id|phpsessid|jsessionid|csrf|nonce|cache_?bust|cb|ref_src|optimizely_user_id|"
    r"openaicom-did|trk\w*|vero_\w+|wt_mc|pk_\w+|mtm_\w+|icid|cmpid|cid|spm|scid|oly_\w+",
    re.IGNORECASE,
)
_CONTACT = ("mailto:", "tel:", "sms:", "callto:")


def normal(url: str) -> str:
    """Return `url` without tracking parameters, default slash and letter case of the host."""
    try:
        parts = urlsplit(url)
        query = [
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if not _TRACKING.fullmatch(name)
        ]
        return parts._replace(
            scheme=parts.scheme.lower().replace("https", "http"),
            netloc=parts.netloc.lower(),
            path=parts.path.rstrip("/"),
            query=urlencode(query),
        ).geturl()
    except ValueError:
        return url


def is_document(url: str) -> bool:
    """Tell whether `url` names a document file."""
    return _DOCUMENT.search(_path(url)) is not None


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return url


def _contact(url: str) -> str:
    return (
        unquote(url.split("?", maxsplit=1)[0]).lower() if url.lower().startswith(_CONTACT) else ""
    )


def _number_marks(url: str) -> list[str]:
    """Return the numbers in path and query: what tells one edition from another."""
    plain = normal(url)
    rest = plain.partition("//")[2] or plain
    return re.findall(r"\d+", rest.partition("/")[2] or rest)


def link_change(old: str, new: str, words: str = "") -> Tried:  # noqa: PLR0911
    """Judge a target that became another one (`""`: no link) under the same `words`."""
    if normal(old) == normal(new):
        return Tried("link-tracking", True, "")
    if contact := _contact(old) or _contact(new):
        visible = contact.partition(":")[2] in words.lower()
        if visible and not (old and new):
            return Tried("link-target", True, "")
        return Tried("link-target", False, "the target is an address to contact")
    if not old or not new:
        return Tried("link-target", True, "")
    names = [_path(url).rsplit("/", 1)[-1].lower() for url in (old, new)]
    documents = [is_document(old), is_document(new)]
    editions = [_EDITION.findall(_path(url)) for url in (old, new)]
    if all(documents) and (names[0] != names[1] or _number_marks(old) != _number_marks(new)):
        return Tried("link-target", False, "the linked document is another one or another edition")
    if any(documents) and editions[0] != editions[1]:
        return Tried("link-target", False, "the linked document lost or changed its edition")
    if editions[0] != editions[1] and _EDITION.sub("", _path(old)) == _EDITION.sub("", _path(new)):
        return Tried("link-target", False, "the target is another edition of the same page")
    return Tried("link-target", True, "")
