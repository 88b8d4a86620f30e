"""Between the domain's values and what columns hold.

Packed ranges are pairs of unsigned variable-length integers (LEB128), each a
difference to the number before it, zigzag-coded: a statement of one range takes
a few bytes.
"""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Select
from sqlalchemy.engine import RowMapping

from watcher.align.model import TextMap
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    ScoreComponent,
    Tier,
)
from watcher.domain.ranges import Range
from watcher.domain.reading import (
    ExtractVerdict,
    Heading,
    Landmark,
    LandmarkRange,
    Link,
    MediaType,
    Problem,
    Reading,
    Rendition,
)
from watcher.domain.resolution import HashMismatchError
from watcher.domain.statements import How, Statement, Status, TextEdit
from watcher.domain.text import CanonicalText
from watcher.domain.verdicts import Evidence, Hold, Outcome, Refusal, Verdict

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
Values = dict[str, Any]
"""One row to insert, by column."""
Found = RowMapping
"""One row that was read, by column."""
Query = Select[*tuple[Any, ...]]
"""A query for rows of any columns."""


def wellformed(values: Values) -> Values:
    """Return a row whose words any database takes.

    What comes from outside may hold lone surrogates, which are not UTF-8, or
    NUL, which PostgreSQL has not: each becomes U+FFFD.
    """
    return {
        name: _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value)
        if isinstance(value, str)
        else value
        for name, value in values.items()
    }


def pairs(value: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return name-value pairs as JSON holds them."""
    return [[name, content] for name, content in value]


def unpairs(value: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Return what `pairs` was given."""
    return tuple((name, content) for name, content in value)


def verdict_values(verdict: Verdict) -> Values:
    """Return the columns of an observation that hold its verdict."""
    return {
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value if verdict.reason else "",
        "flags": list(verdict.flags),
        "message": verdict.message,
        "hint": verdict.hint,
        "evidence": [[fact.name, fact.value] for fact in verdict.evidence],
    }


def verdict_of(row: Found) -> Verdict:
    """Return the verdict that `verdict_values` was given."""
    outcome, reason = Outcome(row["outcome"]), row["reason"]
    kind = Hold if outcome is Outcome.HELD else Refusal
    return Verdict(
        outcome,
        kind(reason) if reason else None,
        row["message"],
        row["hint"],
        tuple(Evidence(name, value) for name, value in row["evidence"]),
        tuple(row["flags"]),
    )


def rendition_values(rendition: Rendition) -> Values:
    """Return the row of a rendition."""
    return {
        "rendition_id": rendition.rendition_id,
        "engine": rendition.engine,
        "versions": pairs(sorted(rendition.versions)),
        "options": pairs(sorted(rendition.options)),
        "rules": rendition.rules,
    }


def rendition_of(row: Found) -> Rendition:
    """Return the rendition of a row."""
    return Rendition(row["engine"], unpairs(row["versions"]), unpairs(row["options"]), row["rules"])


def detail_values(reading: Reading) -> Values:
    """Return what a reading holds beside its text: ranges, labels, targets, hashes."""
    return {
        "title": reading.title,
        "language": reading.language,
        "charset": reading.charset,
        "page_labels": list(reading.page_labels),
        "headings": [[*h.range, h.level, h.element_id] for h in reading.headings],
        "links": [[*link.range, link.target] for link in reading.links],
        "struck": [list(struck) for struck in reading.struck],
        "images": list(reading.images),
        "landmarks": [[*mark.range, mark.kind.value] for mark in reading.landmarks],
        "hidden_characters": reading.hidden_characters,
        "agreement": reading.agreement,
        "problems": [[p.page, p.code, p.message] for p in reading.problems],
    }


def reading_of(row: Found, text: CanonicalText, rendition: Rendition) -> Reading:
    """Return the reading of a row joined with its detail."""
    return Reading(
        text=text,
        media_type=MediaType(row["media_type"]) if row["media_type"] else None,
        rendition=rendition,
        verdict=ExtractVerdict(row["verdict"]),
        page_labels=tuple(row["page_labels"]),
        title=row["title"],
        language=row["language"],
        charset=row["charset"],
        headings=tuple(Heading(Range(a, b), level, name) for a, b, level, name in row["headings"]),
        links=tuple(Link(Range(a, b), target) for a, b, target in row["links"]),
        struck=tuple(Range(a, b) for a, b in row["struck"]),
        images=tuple(row["images"]),
        landmarks=tuple(
            LandmarkRange(Landmark(kind), Range(a, b)) for a, b, kind in row["landmarks"]
        ),
        hidden_characters=row["hidden_characters"],
        agreement=row["agreement"],
        problems=tuple(Problem(code, message, page) for page, code, message in row["problems"]),
    )


def classification_values(judged: Classification) -> Values:
    """Return the row of a classification, without its sentences."""
    return {
        "change_class": judged.change_class.value,
        "tier": judged.tier.value,
        "score": judged.score,
        "components": [[part.name, part.value] for part in judged.components],
        "facets": list(judged.facets),
        "pack": judged.pack,
        "rules": judged.rules,
        "hunks": len(judged.hunks),
    }


def hunk_values(hunk: Hunk) -> Values:
    """Return the row of a hunk; sentences that quote the text are left out."""
    return {
        "kind": hunk.kind.value,
        "old_start": hunk.old.start,
        "old_end": hunk.old.end,
        "new_start": hunk.new.start,
        "new_end": hunk.new.end,
        "change_class": hunk.change_class.value,
        "atoms": [
            [*a.old, *a.new, a.change_class.value, a.rule, list(a.facets), a.weight]
            for a in hunk.atoms
        ],
    }


def hunk_of(row: Found) -> Hunk:
    """Return the hunk of a row."""
    return Hunk(
        HunkKind(row["kind"]),
        Range(row["old_start"], row["old_end"]),
        Range(row["new_start"], row["new_end"]),
        ChangeClass(row["change_class"]),
        tuple(
            Atom(Range(a, b), Range(c, d), ChangeClass(judged), rule, tuple(facets), weight)
            for a, b, c, d, judged, rule, facets, weight in row["atoms"]
        ),
    )


def classification_of(row: Found, hunks: Iterable[Found]) -> Classification:
    """Return a classification; headline and explanation are for the reader to make anew."""
    return Classification(
        ChangeClass(row["change_class"]),
        Tier(row["tier"]),
        row["score"],
        tuple(ScoreComponent(name, value) for name, value in row["components"]),
        tuple(row["facets"]),
        "",
        (),
        tuple(map(hunk_of, hunks)),
        row["pack"],
        row["rules"],
    )


def statement_values(statement: Statement) -> Values:
    """Return the columns of a statement."""
    runner_up = (statement.runner_up,) if statement.runner_up is not None else ()
    return {
        "algorithm": statement.algorithm,
        "status": statement.status.value,
        "how": statement.how.value if statement.how else "",
        "material": statement.material,
        "context_changed": statement.context_changed,
        "absent_between": statement.absent_between,
        "carries": statement.carries,
        "similarity": statement.similarity,
        "coverage": statement.coverage,
        "margin": statement.margin,
        "method": statement.method,
        "ranges": pack_ranges(statement.ranges),
        "candidates": pack_ranges(statement.candidates),
        "runner_up": pack_ranges(runner_up),
        "edits": pack_ranges([r for edit in statement.edits for r in (edit.old, edit.new)]),
    }


def statement_of(row: Found) -> Statement:
    """Return the statement of a row."""
    edits = unpack_ranges(row["edits"])
    return Statement(
        status=Status(row["status"]),
        ranges=unpack_ranges(row["ranges"]),
        candidates=unpack_ranges(row["candidates"]),
        how=How(row["how"]) if row["how"] else None,
        material=row["material"],
        context_changed=row["context_changed"],
        similarity=row["similarity"],
        coverage=row["coverage"],
        margin=row["margin"],
        runner_up=next(iter(unpack_ranges(row["runner_up"])), None),
        method=row["method"],
        edits=tuple(map(TextEdit, edits[::2], edits[1::2])),
        absent_between=row["absent_between"],
        algorithm=row["algorithm"],
    )


def map_values(text_map: TextMap) -> Values:
    """Return the row of a map: its columns one after the other, compressed, and their SHA-256."""
    count = len(text_map.kinds)
    head = (text_map.old_size, text_map.new_size, int(text_map.complete), count)
    sides = (text_map.old_starts, text_map.old_ends, text_map.new_starts, text_map.new_ends)
    packed = text_map.kinds + b"".join(map(_to_words, (head, *sides)))
    return {
        "algorithm": text_map.algorithm,
        "sha256": hashlib.sha256(packed).hexdigest(),
        "runs": count,
        "packed": zstd.compress(packed),
    }


def map_of(row: Found) -> TextMap:
    """Return the map of a row.

    Raises:
        HashMismatchError: the stored map is damaged.
    """
    try:
        packed = zstd.decompress(row["packed"])
    except (zstd.ZstdError, MemoryError):
        packed = b""
    if hashlib.sha256(packed).hexdigest() != row["sha256"]:
        raise HashMismatchError(
            "the stored map of a change is damaged", hint="restore the database from a backup"
        )
    count = row["runs"]
    words = _from_words(packed[count:])
    old_size, new_size, complete, _ = words[:4]
    sides = [words[4 + side * count : 4 + (side + 1) * count] for side in range(4)]
    return TextMap(
        old_size,
        new_size,
        packed[:count],
        sides[0],
        sides[1],
        sides[2],
        sides[3],
        row["algorithm"],
        bool(complete),
    )


def _to_words(numbers: Iterable[int]) -> bytes:
    """Return numbers as unsigned 64-bit little-endian words."""
    words = array("Q", numbers)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()


def _from_words(data: bytes) -> tuple[int, ...]:
    words = array("Q", data)
    if sys.byteorder == "big":
        words.byteswap()
    return tuple(words)


def pack_ranges(ranges: Collection[Range]) -> bytes:
    """Return ranges as packed integers; nothing for none, which is most often."""
    if not ranges:
        return b""
    out = bytearray()
    before = 0
    for offset in (offset for range_ in ranges for offset in range_):
        step = offset - before
        before = offset
        coded = step << 1 if step >= 0 else (-step << 1) - 1
        while coded > 0x7F:
            out.append(coded & 0x7F | 0x80)
            coded >>= 7
        out.append(coded)
    return bytes(out)


def unpack_ranges(packed: bytes) -> tuple[Range, ...]:
    """Return what `pack_ranges` was given."""
    numbers: list[int] = []
    coded = shift = before = 0
    for byte in packed:
        coded |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            before += -(coded + 1 >> 1) if coded & 1 else coded >> 1
            numbers.append(before)
            coded = shift = 0
    return tuple(map(Range, numbers[::2], numbers[1::2]))
