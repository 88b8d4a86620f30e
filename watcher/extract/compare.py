"""How far two PDF engines agree on the ink of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import Indel

from watcher.domain.keys import KeyKind, fold
from watcher.domain.reading import Problem, Reading
from watcher.domain.text import CanonicalText
from watcher.extract.model import HAS_PDFIUM, Options, Source
from watcher.extract.pdf import read_pdf

LOW_AGREEMENT = 0.98
"""Below this share of equal ink the reading is flagged."""


def compared(reading: Reading, source: Source, options: Options) -> Reading | None:
    """Return `reading` with its agreement, or None where no second engine is installed.

    Runs pdfium in this process: only a worker may call it.
    """
    if not HAS_PDFIUM:
        return None
    other = "pypdf" if reading.rendition.engine == "pdfium" else "pdfium"
    second = read_pdf(
        source, replace(options, pdf_engine="pypdf" if other == "pypdf" else "pdfium")
    )
    share = agreement(reading.text, second.text)
    if share >= LOW_AGREEMENT:
        return replace(reading, agreement=share)
    problem = Problem("low_agreement", f"{other} reads {share:.1%} of the same characters")
    return replace(reading, agreement=share, problems=(*reading.problems, problem))


def agreement(first: CanonicalText, second: CanonicalText) -> float:
    """Return the share of ink, 0 to 1, that both texts have in the same order, page by page.

    It is 1 - d/n with d the insertions and deletions that turn one page's ink
    into the other's, and n the ink of both, summed over all pages.
    """
    ours, theirs = _inks(first), _inks(second)
    total = different = 0
    for number in range(max(len(ours), len(theirs))):
        one = ours[number] if number < len(ours) else ""
        two = theirs[number] if number < len(theirs) else ""
        total += len(one) + len(two)
        if one != two:
            different += Indel.distance(one, two)
    return 1.0 if not total else round(1 - different / total, 6)


def _inks(text: CanonicalText) -> Sequence[str]:
    return [fold(page, KeyKind.INK) for page in text.data.decode().split("\f")]
