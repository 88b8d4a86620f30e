"""How the strings of a composite font fall into character codes (ISO 32000-2, 9.7.5).

A predefined CMap whose codes are those of a character set is read by that
set's codec. One that is embedded says how long its codes are; what they mean
only a ToUnicode table knows. Any other gives glyph numbers, which mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, StreamObject

CMAPS = "1"
"""The version of these rules; part of the rendition of what pypdf reads."""

_CODECS: dict[str, str] = {
    name: codec
    for codec, listed in {
        "gbk": "GB-EUC GBpc-EUC GBK-EUC GBKp-EUC",
        "gb18030": "GBK2K",
        "cp950": "B5pc ETen-B5 ETenms-B5",
        "big5hkscs": "HKscs-B5",
        "cp932": "83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ Ext-RKSJ",
        "euc_jp": "EUC",
        "cp949": "KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC",
        "utf-8": "UniGB-UTF8 UniCNS-UTF8 UniJIS-UTF8 UniJIS2004-UTF8 UniKS-UTF8",
        "utf-32-be": "UniGB-UTF32 UniCNS-UTF32 UniJIS-UTF32 UniJIS2004-UTF32 UniKS-UTF32 "
        "UniJISPro-UTF32 UniJISX0213-UTF32 UniJISX02132004-UTF32",
        "utf-16-be": "UniGB-UCS2 UniGB-UTF16 UniCNS-UCS2 UniCNS-UTF16 UniJIS-UCS2 UniJIS-UTF16 "
        "UniJIS-UCS2-HW UniJIS2004-UTF16 UniJISPro-UCS2 UniJISPro-UCS2-HW UniKS-UCS2 UniKS-UTF16",
    }.items()
    for name in listed.split()
} | {"": "jis", "Add": "jis", "Ext": "jis"}
_DIRECTION = re.compile(r"/(.*?)-?([HV])")
_RANGES = re.compile(rb"begincodespacerange(.*?)endcodespacerange", re.DOTALL)
_CODE = re.compile(rb"<\s*([0-9A-Fa-f]{2,8})\s*>")
_LONGEST = 4
_MOST_RANGES = 256

Split = Callable[[bytes], list[bytes]]


@dataclass(frozen=True, slots=True)
class CodeMap:
    """`split` cuts a string into codes; `codec` names the set that they belong to, if any."""

    split: Split
    codec: str = ""
    vertical: bool = False

    def character(self, code: bytes) -> str:
        """Return the character of a code, "" where the CMap does not tell."""
        if not self.codec:
            return ""
        try:
            if self.codec == "jis":
                return bytes(byte | 0x80 for byte in code).decode("euc_jp")
            return code.decode(self.codec)
        except UnicodeDecodeError:
            return ""


def code_map(encoding: object) -> CodeMap:
    """Return how a composite font's /Encoding reads strings."""
    if isinstance(encoding, StreamObject):
        return _embedded(encoding)
    found = _DIRECTION.fullmatch(str(encoding))
    name, vertical = (found[1], found[2] == "V") if found else ("Identity", False)
    codec = _CODECS.get(name, "")
    return CodeMap(_SPLITS.get(codec, _pairs), codec, vertical)


def _pairs(codes: bytes) -> list[bytes]:
    return [codes[at : at + 2] for at in range(0, len(codes), 2)]


def _wide(codes: bytes) -> list[bytes]:
    """Cut UTF-16: a pair of surrogates is one code."""
    found = _pairs(codes)
    for at in range(len(found) - 1, 0, -1):
        if found[at - 1][:1] in _HIGH and found[at][:1] in _LOW:
            found[at - 1 : at + 1] = [found[at - 1] + found[at]]
    return found


_HIGH = frozenset(bytes([byte]) for byte in range(0xD8, 0xDC))
_LOW = frozenset(bytes([byte]) for byte in range(0xDC, 0xE0))


def _by_lead(length: Callable[[int, bytes, int], int]) -> Split:
    """Return a cut by what the first byte of each code says of its length."""

    def split(codes: bytes) -> list[bytes]:
        found, at = [], 0
        while at < len(codes):
            size = max(1, length(codes[at], codes, at))
            found.append(codes[at : at + size])
            at += size
        return found

    return split


def _is_kana_or_ascii(lead: int) -> bool:
    return lead < 0x81 or 0xA0 <= lead <= 0xDF


_SPLITS: dict[str, Split] = {
    "utf-16-be": _wide,
    "utf-32-be": lambda codes: [codes[at : at + 4] for at in range(0, len(codes), 4)],
    "utf-8": _by_lead(lambda lead, _, __: 1 if lead < 0x80 else 2 + (lead > 0xDF) + (lead > 0xEF)),
    "cp932": _by_lead(lambda lead, _, __: 1 if _is_kana_or_ascii(lead) or lead > 0xFC else 2),
    "euc_jp": _by_lead(lambda lead, _, __: 1 if lead < 0x8E else 3 if lead == 0x8F else 2),
    "gb18030": _by_lead(
        lambda lead, codes, at: 1 if lead < 0x81 else 4 if codes[at + 1 : at + 2].isdigit() else 2
    ),
} | dict.fromkeys(
    ["gbk", "cp950", "big5hkscs", "cp949"], _by_lead(lambda lead, _, __: 1 + (lead > 0x80))
)


def _embedded(stream: StreamObject) -> CodeMap:
    """Return the cut by the code space ranges that an embedded CMap (or its base) declares."""
    ranges: list[tuple[bytes, bytes]] = []
    vertical = False
    at: object = stream
    for _ in range(_LONGEST):
        if not isinstance(at, StreamObject):
            break
        vertical = vertical or at.get("/WMode") == 1
        ranges += _code_spaces(at)
        base = at.get("/UseCMap")
        at = base.get_object() if base is not None else None
    if isinstance(at, str) and not ranges:
        return code_map(at)
    lengths = {len(low) for low, _ in ranges}
    if lengths <= {2}:
        return CodeMap(_pairs, "", vertical)
    if lengths == {1}:
        return CodeMap(lambda codes: [bytes([code]) for code in codes], "", vertical)
    ordered = sorted(ranges, key=lambda pair: len(pair[0]))

    def length(_: int, codes: bytes, start: int) -> int:
        for low, high in ordered:
            code = codes[start : start + len(low)]
            if len(code) == len(low) and all(
                least <= byte <= most for least, byte, most in zip(low, code, high, strict=True)
            ):
                return len(low)
        return len(ordered[0][0])

    return CodeMap(_by_lead(length), "", vertical)


def _code_spaces(stream: StreamObject) -> list[tuple[bytes, bytes]]:
    try:
        body = stream.get_data()
    except (PyPdfError, ValueError):
        return []
    found = []
    for block in _RANGES.findall(body):
        codes = [
            bytes.fromhex(code.decode().zfill(-(-len(code) // 2) * 2))
            for code in _CODE.findall(block)
        ]
        found += [(low, high) for low, high in list(pairwise(codes))[::2] if len(low) == len(high)]
    return found[:_MOST_RANGES]


def is_unicode_collection(resource: DictionaryObject) -> bool:
    """Tell whether a composite font's glyph numbers are Unicode by declaration."""
    if str(resource.get("/ToUnicode")).startswith("/Identity"):
        return True
    try:
        descendants = resource["/DescendantFonts"].get_object()
        info = descendants[0].get_object()["/CIDSystemInfo"].get_object()  # type: ignore[index]
        return str(info.get("/Ordering")) == "UCS"
    except (KeyError, IndexError, TypeError, AttributeError, PyPdfError):
        return False
