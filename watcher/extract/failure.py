"""Readings of what could not be read."""

from __future__ import annotations

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading, Rendition
from watcher.domain.text import CanonicalText

NO_RENDITION = Rendition("none", ())
"""Where nothing was read there is no recipe."""


def failed(
    verdict: ExtractVerdict,
    problem: Problem,
    media_type: MediaType | None = None,
    rendition: Rendition = NO_RENDITION,
) -> Reading:
    """Return a reading without text that says why."""
    return Reading(
        text=CanonicalText(b""),
        media_type=media_type,
        rendition=rendition,
        verdict=verdict,
        problems=(problem,),
    )
