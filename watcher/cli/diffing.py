"""`watcher diff`: a redline in the terminal, judged hunk by hunk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from watcher.alert.render import visible
from watcher.cli.diff_page import diff_page
from watcher.cli.opening import chosen_version, opened
from watcher.cli.output import Row, show_json, show_lines
from watcher.domain.changes import ChangeClass, HunkKind
from watcher.domain.ids import DocumentId, document_id
from watcher.errors import UsageError
from watcher.pipeline.judged import Judged, judged_change, judged_versions
from watcher.pipeline.redline import Mark, Piece, ShownHunk
from watcher.pipeline.services import Services
from watcher.pipeline.views import find_change

_STYLES = {
    Mark.SAME: "",
    Mark.REMOVED: "red strike",
    Mark.ADDED: "green underline",
    Mark.MOVED: "cyan",
    Mark.SKIPPED: "dim",
}
_CLASS_STYLES = {
    ChangeClass.POLICY_BEARING: "bold red",
    ChangeClass.EDITORIAL: "yellow",
    ChangeClass.COSMETIC: "dim",
}
_BRACKETS = {
    Mark.REMOVED: ("[-", "-]"),
    Mark.ADDED: ("{+", "+}"),
    Mark.MOVED: ("{>", "<}"),
}


def diff(
    config: Path,
    document: str,
    versions: tuple[str | None, str | None],
    change: str | None,
    *,
    as_json: bool,
    html: Path | None = None,
) -> None:
    """Print the redline of a change, or of any two versions; or write it as a page."""
    name = document_id(document)
    with opened(config) as services:
        services.store.documents.get(name)
        if change is None and versions == (None, None):
            latest = services.store.changes.list(name, limit=1)
            if not latest:
                raise UsageError("the document has not changed yet", document_id=name)
            change = latest[0].change_id
        judged = _judged(services, name, versions, change)
        hunks = judged.hunks()
        title = services.store.documents.get(judged.document_id).title
        if html is not None:
            _write(html, diff_page(judged, hunks, title))
        elif as_json:
            show_json(_row(judged, hunks))
        else:
            _print(judged, hunks)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror})", hint="name a file that can be"
        ) from error
    show_lines([f"wrote {path}"])


def _judged(
    services: Services,
    name: DocumentId,
    versions: tuple[str | None, str | None],
    change: str | None,
) -> Judged:
    if change is not None:
        return judged_change(services, find_change(services, change))
    old, new = (chosen_version(services, name, version) for version in versions)
    return judged_versions(services, name, old, new)


def _print(judged: Judged, hunks: Sequence[ShownHunk]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    found = judged.classification
    console.print(
        Text(f"{judged.document_id}  {judged.old.version[7:19]} -> {judged.new.version[7:19]}")
    )
    console.print(
        Text(found.change_class.value, style=_CLASS_STYLES[found.change_class]),
        Text(f"({found.tier.value}, score {found.score:.2f})"),
        Text(visible(found.headline)),
    )
    for hunk in hunks:
        console.print()
        console.print(_header(hunk))
        for reason in hunk.reasons:
            console.print(Text(f"  {visible(reason)}", style="dim"))
        console.print(_redline_text(hunk.pieces, colour=console.is_terminal))


def _header(hunk: ShownHunk) -> Text:
    line = Text(f"{hunk.kind.value}, ")
    line.append(hunk.change_class.value, style=_CLASS_STYLES[hunk.change_class])
    places = f", page {hunk.old_page} -> {hunk.new_page}"
    if hunk.kind is HunkKind.INSERTED:
        places = f", page {hunk.new_page}"
    line.append(f"{places}, bytes {hunk.new.start}:{hunk.new.end}")
    if hunk.kind is HunkKind.MOVED and hunk.old_heading != hunk.heading:
        line.append(" from under " + visible(" > ".join(hunk.old_heading) or "no heading"))
    if hunk.heading:
        line.append(" under " + visible(" > ".join(hunk.heading)))
    return line


def _redline_text(pieces: Sequence[Piece], *, colour: bool) -> Text:
    """Return the marked text; without colours the marks are written as brackets."""
    shown = Text("  ")
    for piece in pieces:
        before, after = ("", "") if colour else _BRACKETS.get(piece.mark, ("", ""))
        text = visible(piece.text).replace("\n", "\n  ")
        shown.append(before + text + after, style=_STYLES[piece.mark])
    return shown


def _row(judged: Judged, hunks: Sequence[ShownHunk]) -> Row:
    found = judged.classification
    return {
        "document_id": judged.document_id,
        "change_id": judged.change.change_id if judged.change else None,
        "from_version": judged.old.version,
        "to_version": judged.new.version,
        "class": found.change_class.value,
        "tier": found.tier.value,
        "score": found.score,
        "components": {c.name: c.value for c in found.components},
        "facets": list(found.facets),
        "headline": found.headline,
        "explanation": list(found.explanation),
        "hunks": [
            {
                "kind": hunk.kind.value,
                "class": hunk.change_class.value,
                "old": list(hunk.old),
                "new": list(hunk.new),
                "old_page": hunk.old_page,
                "new_page": hunk.new_page,
                "old_heading": list(hunk.old_heading),
                "heading": list(hunk.heading),
                "reasons": list(hunk.reasons),
                "pieces": [{"mark": p.mark.value, "text": p.text} for p in hunk.pieces],
            }
            for hunk in hunks
        ],
    }
