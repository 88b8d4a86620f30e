"""Lists of addresses: one a line, then optionally its document_id and its title."""

from __future__ import annotations

from watcher.domain.ids import document_id
from watcher.errors import UsageError
from watcher.pipeline.importing.model import Converted, Draft


def from_url_list(text: str) -> Converted:
    """Return the addresses of `text`; empty lines and `#` comments stand for nothing.

    A line is `URL [document_id] [title]`, divided by white space. A second
    word that is no document_id begins the title.
    """
    found = Converted()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        where = f"line {number}"
        if not words or words[0].startswith("#"):
            continue
        url, rest = words[0], words[1:]
        if not url.lower().startswith(("http://", "https://")):
            found.tell(where, f"{url[:80]!r} is not an http or https address: left out")
            continue
        name = rest[0] if rest and _is_id(rest[0]) else ""
        found.drafts.append(
            Draft(where, url, document_id=name, title=" ".join(rest[1:] if name else rest))
        )
    return found


def _is_id(word: str) -> bool:
    try:
        document_id(word)
    except UsageError:
        return False
    return True
