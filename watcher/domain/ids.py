"""Names of documents, versions, citations and changes, and how they are made."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from typing import NewType

from watcher.errors import UsageError

DocumentId = NewType("DocumentId", str)
"""`[a-z0-9][a-z0-9._-]{0,127}`, never reused."""

VersionId = NewType("VersionId", str)
"""`sha256:` and 64 lowercase hex digits: the SHA-256 of the canonical text."""

CitationId = NewType("CitationId", str)
"""`c1` and 32 characters of lowercase base32."""

_DOCUMENT_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_VERSION_ID = re.compile(r"sha256:[0-9a-f]{64}")
_CITATION_ID = re.compile(r"c1[a-z2-7]{32}")


def document_id(value: str) -> DocumentId:
    """Return `value` as a document id.

    Raises:
        UsageError: it is not of the form `[a-z0-9][a-z0-9._-]{0,127}`.
    """
    if not _DOCUMENT_ID.fullmatch(value):
        raise UsageError(
            f"{value[:140]!r} is not a document_id",
            hint="use 1 to 128 of a-z 0-9 . _ - beginning with a letter or a digit",
        )
    return DocumentId(value)


def version_id(value: str) -> VersionId:
    """Return `value` as a version id.

    Raises:
        UsageError: it is not `sha256:` with 64 lowercase hex digits.
    """
    if not _VERSION_ID.fullmatch(value):
        raise UsageError(
            f"{value[:80]!r} is not a version",
            hint="a version is sha256: and 64 lowercase hex digits",
        )
    return VersionId(value)


def version_of(text: bytes) -> VersionId:
    """Return the version that the canonical text `text` is: its own SHA-256."""
    return VersionId("sha256:" + hashlib.sha256(text).hexdigest())


def is_citation_id(value: str) -> bool:
    """Tell whether `value` has the form of a citation id."""
    return _CITATION_ID.fullmatch(value) is not None


def citation_id(document_id: str, version: str, segments: Iterable[tuple[int, int]]) -> CitationId:
    """Return the citation id of `segments` (start, end in UTF-8 bytes, in order).

    The rule is the contract's and can be computed by anyone: `c1`, then the
    RFC 4648 base32 (lowercase, no padding) of the first 20 bytes of SHA-256
    over document_id, version and each segment's start and end in decimal, all
    joined with LF.
    """
    parts = [document_id, version]
    for start, end in segments:
        parts += [str(start), str(end)]
    digest = hashlib.sha256("\n".join(parts).encode()).digest()[:20]
    return CitationId("c1" + base64.b32encode(digest).decode().lower())


def capture_id(document_id: str, ordinal: int, body_sha256: str) -> str:
    """Return the id of a document's `ordinal`-th capture (from 1): `k1-` and 32 hex digits.

    A replay after a crash finds the same ordinal and so the same id; the same
    bytes coming back later are another capture.
    """
    body = f"{document_id}\n{ordinal}\n{body_sha256}"
    return "k1-" + hashlib.sha256(body.encode()).hexdigest()[:32]


def reading_id(capture_id: str, rendition_id: str) -> str:
    """Return the id of one capture read under one rendition: `g1-` and 32 hex digits."""
    return "g1-" + hashlib.sha256(f"{capture_id}\n{rendition_id}".encode()).hexdigest()[:32]


def change_id(document_id: str, from_reading: str, to_reading: str) -> str:
    """Return the key of a change: lowercase hex SHA-256 over its two readings.

    A replay after a crash gives the same key; a real second A -> B has a new
    reading on at least one side and so a new key.
    """
    return hashlib.sha256(f"{document_id}\n{from_reading}\n{to_reading}".encode()).hexdigest()
