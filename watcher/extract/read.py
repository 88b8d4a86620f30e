"""Bytes to a reading, in this process: the media type decides who reads."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading, Rendition
from watcher.domain.text import CanonicalText
from watcher.extract import canon, charset, docx, html
from watcher.extract.failure import failed
from watcher.extract.foreign import foreign
from watcher.extract.media import declared_type, detect_media_type
from watcher.extract.model import Options, Source
from watcher.extract.parts import is_packed, read_parts
from watcher.extract.pdf import Progress, read_pdf

_SELECTOLAX = version("selectolax")


def extract(
    source: Source, options: Options | None = None, progress: Progress = lambda _: None
) -> Reading:
    """Return the reading of `source`, in this process and without any limit.

    Bad input gives a verdict, never an exception (MemoryError aside). Use
    `extract_isolated` for anything that came from outside.
    """
    options = options or Options()
    if is_packed(source.data):
        return read_parts(source, lambda part: extract(part, options, progress))
    media_type = detect_media_type(source.data, source.media_type, source.name)
    if media_type is None:
        return _unsupported(source)
    if media_type is MediaType.PDF:
        return read_pdf(source, options, progress)
    if media_type is MediaType.DOCX:
        return docx.read_docx(source.data)
    if media_type is MediaType.HTML:
        return _html(source, options)
    return _plain(source, media_type)


def _unsupported(source: Source) -> Reading:
    known = foreign(source.data)
    if known is not None:
        message = f"it is {known.name}, which is not read: {known.fix}"
    else:
        message = "it is none of HTML, PDF, DOCX, Markdown and plain text"
    return failed(ExtractVerdict.UNSUPPORTED, Problem("unsupported", message))


def _decode(source: Source, *, markup: bool) -> charset.Decoded:
    declared = source.charset or charset.charset_of(source.media_type)
    return charset.decode(source.data, declared, markup=markup)


def _notes(decoded: charset.Decoded) -> list[Problem]:
    return [Problem("charset", decoded.note)] if decoded.note else []


def _verdict(decoded: charset.Decoded) -> ExtractVerdict:
    return ExtractVerdict.PARTIAL if decoded.doubtful else ExtractVerdict.OK


def _html(source: Source, options: Options) -> Reading:
    decoded = _decode(source, markup=True)
    found = html.read_html(decoded.text, options.select, options.remove)
    problems = _notes(decoded) + [
        Problem(code, message) for code, message in found.problems + found.notes
    ]
    rules = ""
    if options.select or options.remove:
        body = json.dumps([options.select, options.remove], ensure_ascii=False)
        rules = hashlib.sha256(body.encode()).hexdigest()
    rendition = Rendition(
        "lexbor",
        (
            ("canon", canon.CANON),
            ("charset", charset.CHARSET),
            ("selectolax", _SELECTOLAX),
            ("walk", html.WALK),
        ),
        rules=rules,
    )
    verdict = ExtractVerdict.FAILED if found.problems else _verdict(decoded)
    if not found.text and not found.problems:
        problems.append(Problem("empty", "the page shows no text"))
    return Reading(
        text=CanonicalText(found.text),
        media_type=MediaType.HTML,
        rendition=rendition,
        verdict=verdict,
        page_labels=("1",),
        title=found.title,
        language=found.language,
        charset=decoded.charset,
        headings=found.headings,
        links=found.links,
        struck=found.struck,
        images=found.images,
        landmarks=found.landmarks,
        hidden_characters=found.hidden_characters,
        problems=tuple(problems),
    )


def _plain(source: Source, media_type: MediaType) -> Reading:
    decoded = _decode(source, markup=False)
    form_feed = "\n" if media_type is MediaType.TEXT else " "
    data = canon.decoded(decoded.text, form_feed=form_feed)
    problems = _notes(decoded)
    if not data:
        problems.append(Problem("empty", "the file has no text"))
    return Reading(
        text=CanonicalText(data),
        media_type=media_type,
        rendition=Rendition("plain", (("canon", canon.CANON), ("charset", charset.CHARSET))),
        verdict=_verdict(decoded),
        page_labels=("1",),
        charset=decoded.charset,
        problems=tuple(problems),
    )


def media_type_of(source: Source) -> MediaType | None:
    """Return what a source is, or at least what it was declared to be."""
    return detect_media_type(source.data, source.media_type, source.name) or declared_type(
        source.media_type
    )
