"""`watcher diff --html`: a change as one file for a browser, without scripts or requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources

from watcher.alert.render import visible
from watcher.cli.output import when
from watcher.domain.changes import ChangeClass
from watcher.pipeline.judged import Judged
from watcher.pipeline.redline import Mark, Piece, ShownHunk, places

_ELEMENTS = {
    Mark.SAME: ("", ""),
    Mark.REMOVED: ("<del>", "</del>"),
    Mark.ADDED: ("<ins>", "</ins>"),
    Mark.MOVED: ('<span class="moved">', "</span>"),
    Mark.SKIPPED: ('<span class="skipped">', "</span>"),
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Of the page itself: even if something were to slip through, nothing would run or load."""


def diff_page(judged: Judged, hunks: Sequence[ShownHunk], title: str) -> str:
    """Return the page; whatever comes from a document is escaped and spelled out."""
    name = title or judged.document_id
    language = judged.readings[1].language if judged.readings else ""
    style = resources.files("watcher.pipeline").joinpath("redline.css").read_text("utf-8")
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(name)}: {_text(judged.classification.headline)}</title>",
        f"<style>\n{style}</style>\n</head>\n<body>",
        *_head(judged, name),
        *_contents(hunks),
        "<main>",
        *(
            line
            for number, hunk in enumerate(hunks, 1)
            for line in _article(number, hunk, language)
        ),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _text(text: str) -> str:
    return escape(visible(text))


def _head(judged: Judged, name: str) -> Iterator[str]:
    found, change = judged.classification, judged.change
    seen = f", seen {when(change.at)}" if change else ""
    yield f"<header>\n<h1>{_text(name)}</h1>"
    yield f'<p class="dim">{judged.document_id}{seen}</p>'
    yield f'<section class="card {found.change_class.value}">'
    yield f'<span class="class">{found.change_class.value}</span>, {found.tier.value}'
    yield f'<p class="headline">{_text(found.headline)}</p>\n<dl>'
    parts = ", ".join(f"{_text(c.name)} {c.value:g}" for c in found.components)
    rows = [
        ("score", f"{found.score:.2f}" + (f" ({parts})" if parts else "")),
        ("touches", _text(", ".join(found.facets))),
        ("before", f"<code>{judged.old.version}</code>"),
        ("after", f"<code>{judged.new.version}</code>"),
        ("change", f"<code>{change.change_id}</code>" if change else ""),
        ("language pack", f"<code>{_text(found.pack)}</code>"),
        ("owner's rules", f"<code>{found.rules}</code>" if found.rules else ""),
    ]
    yield from (f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows if value)
    yield "</dl>\n</section>\n</header>"


def _contents(hunks: Sequence[ShownHunk]) -> Iterator[str]:
    counts = Counter(hunk.change_class for hunk in hunks)
    said = ", ".join(f"{counts[c]} {c.value}" for c in reversed(ChangeClass) if counts[c])
    yield '<nav class="card" aria-label="Passages">'
    yield f"<h2>{len(hunks)} passage{'s' * (len(hunks) != 1)}: {said or 'nothing differs'}</h2>"
    yield (
        '<p class="dim">Read <del>removed</del> <ins>added</ins>'
        ' <span class="moved">moved, otherwise the same</span></p>\n<ol>'
    )
    for number, hunk in enumerate(hunks, 1):
        under = f" under {_text(hunk.heading[-1])}" if hunk.heading else ""
        yield (
            f'<li class="{hunk.change_class.value}"><a href="#p{number}">{hunk.kind.value}{under}'
            f'</a>, <span class="class">{hunk.change_class.value}</span></li>'
        )
    yield "</ol>\n</nav>"


def _article(number: int, hunk: ShownHunk, language: str) -> Iterator[str]:
    """Yield one passage; what is cosmetic is folded, so that the rest is read."""
    label = f'<span class="class">{hunk.change_class.value}</span>'
    title = f"<h2>{number}. {hunk.kind.value}, {label}</h2>"
    folded = hunk.change_class is ChangeClass.COSMETIC
    yield f'<article class="card {hunk.change_class.value}" id="p{number}">'
    yield f"<details><summary>{title}</summary>" if folded else title
    yield f'<p class="place dim">{"<br>".join(map(_text, places(hunk)))}</p>'
    tongue = f' lang="{_text(language)}"' if language else ""
    yield f'<p class="redline" dir="auto"{tongue}>{"".join(map(_piece, hunk.pieces)).strip()}</p>'
    if hunk.reasons:
        yield '<ul class="why dim">'
        yield from (f"<li>{_text(reason)}</li>" for reason in hunk.reasons)
        yield "</ul>"
    yield "</details>\n</article>" if folded else "</article>"


def _piece(piece: Piece) -> str:
    before, after = _ELEMENTS[piece.mark]
    return f"{before}{_text(piece.text)}{after}"
