"""Read text rightly that was read in a wrong encoding."""

from __future__ import annotations

import re

_MOJIBAKE = re.compile(r"[\u00c2\u00c3\u00c5\u00c4\u00e2\u00cb\u0192]")


def repaired(text: str) -> str | None:
    """Return UTF-8 text that was read as Windows-1252, read rightly; None if it is not."""
    if not _MOJIBAKE.search(text):
        return None
    for codec in ("cp1252", "latin-1"):
        try:
            return text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
    return None


def lost_letters(broken: str, whole: str) -> bool:
    """Tell whether `broken` is `whole` with "?" or U+FFFD for letters beyond ASCII."""
    if len(broken) != len(whole) or not any(c in "?\ufffd" for c in broken):
        return False
    return all(
        a == b or (a in "?\ufffd" and b.isalpha() and not b.isascii())
        for a, b in zip(broken, whole, strict=True)
    )
