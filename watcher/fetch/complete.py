"""Whether bytes reach the end of their format: the last defence against half a body."""

from __future__ import annotations

import re

from watcher.domain.reading import MediaType

_HTML_END = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_TAIL = 4096


def ends_properly(data: bytes, media_type: MediaType | None) -> bool:
    """Tell whether `data` holds the mark that ends its format.

    Formats without one (plain text, Markdown) always end properly. Some good
    HTML has none either, so it only counts where the baseline had it.
    """
    if media_type is MediaType.PDF:
        return b"%%EOF" in data[-_TAIL:] or b"%%EOF" in data[-len(data) // 20 :]
    if media_type is MediaType.DOCX:
        return not data.startswith(b"PK") or b"PK\x05\x06" in data[-66_000:]
    if media_type is MediaType.HTML:
        return _HTML_END.search(data, max(0, len(data) - 65_536)) is not None
    return True
