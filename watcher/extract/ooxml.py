"""OOXML packages: parts and relationships, from a ZIP or one flat XML file.

Everything that a package can do to its reader is bounded here: the number of
parts, the size of each and of all, the compression ratio, document types.
"""

from __future__ import annotations

import binascii
import io
import posixpath
import zipfile
import zlib
from typing import IO, NoReturn
from xml.etree import ElementTree as ET

MIB = 1024 * 1024
_MOST_PARTS = 5_000
_LARGEST_PART = 64 * MIB
_LARGEST_SUM = 160 * MIB
_HIGHEST_RATIO = 200
_RATIO_FROM = MIB
"""Below this size the ratio says nothing: a page of blanks packs very well."""

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r:",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a:",
    "http://purl.oclc.org/ooxml/drawingml/main": "a:",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c:",
    "http://purl.oclc.org/ooxml/drawingml/chart": "c:",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm:",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm:",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp:",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": "wp:",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel:",
    "http://schemas.microsoft.com/office/2006/xmlPackage": "pkg:",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14:",
    "urn:schemas-microsoft-com:vml": "v:",
    "urn:schemas-microsoft-com:office:office": "o:",
}
"""Both editions of the standard, transitional and strict, by one prefix."""


class PackageError(Exception):
    """The package is damaged, or refuses to be read within bounds."""


class LockedError(PackageError):
    """The package is encrypted."""


class _Builder(ET.TreeBuilder):
    def doctype(self, _name: str, _public: str, _system: str) -> NoReturn:
        # Entities can only be declared here; no Office program writes one.
        raise PackageError("an XML part declares a document type")


def parse_xml(data: bytes) -> ET.Element:
    """Return the root of an XML part.

    Raises:
        PackageError: it is not well formed or declares a document type.
    """
    parser = ET.XMLParser(target=_Builder())  # noqa: S314 - document types are refused above
    try:
        parser.feed(data)
        return parser.close()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise PackageError(f"an XML part is damaged: {error}") from error


def short(tag: str) -> str:
    """Return `tag` with the usual prefix, or its local name where the namespace is none of ours."""
    if not tag.startswith("{"):
        return tag
    space, _, local = tag[1:].partition("}")
    return _PREFIXES.get(space, "") + local


def attributes(element: ET.Element) -> dict[str, str]:
    """Return the attributes of `element` by their short names."""
    return {short(name): value for name, value in element.attrib.items()}


class Relationship:
    """Where a relationship of a part leads."""

    __slots__ = ("external", "kind", "target")

    def __init__(self, kind: str, target: str, *, external: bool) -> None:
        self.kind = kind
        self.target = target
        self.external = external


class Package:
    """The parts of a document by name, without a leading slash.

    Raises:
        LockedError: it is encrypted.
        PackageError: it is damaged or out of bounds.
    """

    def __init__(self, data: bytes) -> None:
        self._sum = 0
        self._flat: dict[str, ET.Element] | None = None
        self._zip: zipfile.ZipFile | None = None
        if data.startswith(b"PK"):
            try:
                self._zip = zipfile.ZipFile(io.BytesIO(data))
            except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
                raise PackageError(f"the ZIP file is damaged: {error}") from error
            if len(self._zip.infolist()) > _MOST_PARTS:
                raise PackageError(f"it has more than {_MOST_PARTS} parts")
        else:
            root = parse_xml(data)
            self._flat = {
                attributes(part).get("pkg:name", "").lstrip("/"): part
                for part in root
                if short(part.tag) == "pkg:part"
            }

    def xml(self, name: str) -> ET.Element | None:
        """Return the root element of the XML part `name`, None where there is none."""
        if self._flat is not None:
            part = self._flat.get(name)
            body = next((c for c in part if short(c.tag) == "pkg:xmlData"), None) if part else None
            return next(iter(body), None) if body is not None else None
        data = self.raw(name)
        return parse_xml(data) if data is not None else None

    def raw(self, name: str) -> bytes | None:
        """Return the bytes of the part `name`, None where there is none."""
        if self._flat is not None:
            return self._flat_binary(name)
        assert self._zip is not None
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            return None
        if info.flag_bits & 1:
            raise LockedError("its parts are encrypted")
        if info.file_size > _LARGEST_PART:
            raise PackageError(f"{name} would unpack to {info.file_size // MIB} MiB")
        if info.file_size > max(_RATIO_FROM, _HIGHEST_RATIO * max(1, info.compress_size)):
            raise PackageError(f"{name} is packed more than {_HIGHEST_RATIO} times: a ZIP bomb")
        try:
            with self._zip.open(info) as part:
                data = _bounded(part, name)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise PackageError(f"{name} is damaged: {error}") from error
        self._sum += len(data)
        if self._sum > _LARGEST_SUM:
            raise PackageError(f"it would unpack to more than {_LARGEST_SUM // MIB} MiB")
        return data

    def relationships(self, name: str) -> dict[str, Relationship]:
        """Return the relationships of the part `name` ("" for the package's own) by id."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", base + ".rels"))
        found: dict[str, Relationship] = {}
        for element in root if root is not None else ():
            given = element.attrib
            external = given.get("TargetMode") == "External"
            target = given.get("Target", "")
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = given.get("Type", "").rsplit("/", 1)[-1]
            found[given.get("Id", "")] = Relationship(kind, target, external=external)
        return found

    def _flat_binary(self, name: str) -> bytes | None:
        assert self._flat is not None
        part = self._flat.get(name)
        for child in part if part is not None else ():
            if short(child.tag) == "pkg:binaryData":
                try:
                    return binascii.a2b_base64("".join((child.text or "").split()))
                except (binascii.Error, ValueError):
                    return None
        return None


def _bounded(part: IO[bytes], name: str) -> bytes:
    """Read a part whose declared size may be a lie."""
    data = part.read(_LARGEST_PART + 1)
    if len(data) > _LARGEST_PART:
        raise PackageError(f"{name} unpacks to more than {_LARGEST_PART // MIB} MiB")
    return data
