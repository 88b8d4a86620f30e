"""Bytes to characters: byte order mark, header, declaration, validity.

The order is the WHATWG Encoding and HTML standards' one, with one correction
that their authors leave to the reader: a declared single-byte encoding is not
believed where the bytes are valid UTF-8 beyond ASCII, and UTF-8 is not
believed where they are not. Real policies come with such headers, and text
decoded by a wrong one would be hashed, stored and cited for ever.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from watcher.extract.charset_guess import guess

CHARSET = "3"
"""The version of these rules; part of the rendition of text and HTML. 2 knows UTF-16 and
ISO-2022-JP that say nothing, 3 guesses legacy encodings by what they would spell."""

_LABELS: dict[str, str] = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5",
    "iso8859-6": "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
    "iso-ir-127 iso8859-6 iso88596 iso_8859-6",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 "
    "iso88597 iso_8859-7 sun_eu_greek",
    "iso8859-8": "csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 logical visual csiso88598i",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk "
    "gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
_NAMES = {
    "utf-16-le": "utf-16le", "utf-16-be": "utf-16be", "cp1252": "windows-1252",
    "cp932": "shift_jis", "cp949": "euc-kr", "big5hkscs": "big5", "cp874": "windows-874",
}  # fmt: skip
"""How an encoding is called where the codec has another name."""

_MULTI_BYTE = {"gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"}
_BY_LANGUAGE = {
    "ja": "cp932", "zh": "gb18030", "zh-tw": "big5hkscs", "zh-hk": "big5hkscs", "ko": "cp949",
    "ru": "cp1251", "uk": "cp1251", "bg": "cp1251", "sr": "cp1251", "el": "iso8859-7",
    "he": "cp1255", "ar": "cp1256", "fa": "cp1256", "tr": "cp1254", "th": "cp874",
    "cs": "cp1250", "hu": "iso8859-2", "pl": "iso8859-2", "sk": "cp1250", "sl": "iso8859-2",
    "lt": "cp1257", "lv": "cp1257", "et": "cp1257", "vi": "cp1258",
}  # fmt: skip
"""The HTML standard's fallback for a page that declares a language and no encoding."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_HEAD = 4096
"""Bytes searched for a declaration. The standard says 1,024; browsers go on
while the head is open, and pages with long heads rely on that."""
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SWITCH = re.compile(rb"\x1b\$[@B]")
_UNWRITTEN = frozenset(["Cc", "Cn", "Co", "Cs"])
_MARK = re.compile("[ \t\n\u3000-\u30ff\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]")
_LEAST_MARKS = 0.02
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta[\s/][^>]*>", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_LANGUAGE = re.compile(
    rb"<html[^>]{0,500}?\slang\s*=\s*[\"']?([A-Za-z]{2,3}(?:-[A-Za-z]+)?)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters, the encoding's name, and what was odd ("" where nothing was).

    `doubtful` tells that nothing proves the encoding: the text may be spelt wrong.
    """

    text: str
    charset: str
    note: str = ""
    doubtful: bool = False


def decode(data: bytes, declared: str | None = None, *, markup: bool = False) -> Decoded:
    """Return the characters of `data`; never fails.

    Args:
        data: the bytes.
        declared: the charset that the sender named, if any.
        markup: whether a declaration in the first bytes counts (HTML).
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _with(codec, data[len(bom) :])
    said = _codec(declared)
    if said is None and markup:
        said = _declared_inside(data)
    guess = _wide(data)
    if guess:
        return _with(guess, data, _overruled(said, guess))
    if _is_japanese_mail(data):
        return _with("iso2022_jp", data, _overruled(said, "iso2022_jp"))
    if said and said.startswith("utf-16"):
        return _with(said, data)
    return _by_validity(data, said, markup=markup)


def charset_of(content_type: str | None) -> str | None:
    """Return the charset parameter of a Content-Type value, if it has one."""
    found = _META_CHARSET.search((content_type or "").encode("ascii", "replace"))
    return found[1].decode() if found else None


def _by_validity(data: bytes, said: str | None, *, markup: bool) -> Decoded:
    if _is_utf8(data):
        ambiguous = said in _MULTI_BYTE and _decodes(data, said or "")
        if said is None or said == "utf-8" or not (data.isascii() or ambiguous):
            return _with("utf-8", data, _overruled(said, "utf-8"))
        return _with(said, data)
    if said is None:
        return _undeclared(data, markup=markup)
    if said != "utf-8":
        return _with(said, data)
    if _mostly_utf8(data):
        return _with("utf-8", data, "some bytes are not UTF-8")
    inside = _declared_inside(data) if markup else None
    other = inside if inside not in (None, "utf-8") else "cp1252"
    return _with(other or "cp1252", data, _overruled("utf-8", other or "cp1252"))


def _undeclared(data: bytes, *, markup: bool) -> Decoded:
    """Read what no declaration explains: by what it spells, else by its language, in doubt."""
    said = "no encoding is declared and the bytes are not UTF-8"
    found = guess(data)
    if found is not None:
        return _with(found, data, f"{said}: read as {_name(found)}, which alone makes sense")
    fallback = _by_language(data) if markup else "cp1252"
    decoded = _with(fallback, data, f"{said}: {_name(fallback)} is taken, and may be wrong")
    return replace(decoded, doubtful=True)


def _codec(label: str | None) -> str | None:
    return _CODECS.get(label.strip().strip("\"'").lower()) if label else None


def _declared_inside(data: bytes) -> str | None:
    head = data[:_HEAD]
    if found := _XML.match(head):
        return _never_wide(_codec(found[1].decode("ascii")))
    for tag in _META.findall(_COMMENT.sub(b"", head)):
        if (found := _META_CHARSET.search(tag)) and (codec := _codec(found[1].decode("ascii"))):
            return _never_wide(codec)
    return None


def _never_wide(codec: str | None) -> str | None:
    """Whoever could read the declaration byte by byte is not reading UTF-16."""
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def _by_language(data: bytes) -> str:
    found = _LANGUAGE.search(data[:_HEAD])
    language = found[1].decode("ascii").lower() if found else ""
    codec = _BY_LANGUAGE.get(language) or _BY_LANGUAGE.get(language.split("-")[0], "cp1252")
    return codec if codec not in _MULTI_BYTE or _decodes(data, codec) else "cp1252"


def _wide(data: bytes) -> str | None:
    """Return the UTF-16 codec of text without a mark.

    Every other byte is NUL; or, without any ASCII, the bytes hold controls that
    no text of single bytes has, and one byte order makes characters of them all.
    """
    head = data[:1024]
    if len(head) < 4 or not _CONTROL.search(head):
        return None
    even, odd = head[::2], head[1::2]
    if odd.count(0) > 0.4 * len(odd) and even.count(0) < 0.05 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.4 * len(even) and odd.count(0) < 0.05 * len(odd):
        return "utf-16-be"
    if len(data) % 2 or len(_CONTROL.findall(head)) * 50 < len(head) or _is_utf8(data):
        return None
    little, big = (_marks(head, codec) for codec in ("utf-16-le", "utf-16-be"))
    if max(little, big) < _LEAST_MARKS * len(head) or little == big:
        return None
    return "utf-16-le" if little > big else "utf-16-be"


def _marks(head: bytes, codec: str) -> int:
    """Count what every text has under its own byte order and hardly any under the other.

    Blanks, line ends, East Asian punctuation and kana; none where some of it is no text.
    """
    text = head[: len(head) & ~1].decode(codec, "ignore")
    if any(unicodedata.category(c) in _UNWRITTEN and c not in "\t\n\r" for c in text):
        return 0
    return len(_MARK.findall(text))


def _is_japanese_mail(data: bytes) -> bool:
    """Tell whether seven-bit bytes switch character sets as ISO-2022-JP does; nothing else does."""
    return data.isascii() and _SWITCH.search(data) is not None and _decodes(data, "iso2022_jp")


def _is_utf8(data: bytes) -> bool:
    return _decodes(data, "utf-8")


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(data: bytes) -> bool:
    """Tell whether most characters beyond ASCII are valid UTF-8."""
    text = data.decode("utf-8", "replace")
    beyond = sum(1 for char in text if char > "\x7f")
    return text.count("\ufffd") * 2 < beyond


def _overruled(said: str | None, taken: str) -> str:
    if said is None or said == taken:
        return ""
    return f"declared {_name(said)}, but the bytes are {_name(taken)}"


def _name(codec: str) -> str:
    return _NAMES.get(codec, codec.replace("iso8859", "iso-8859").replace("cp125", "windows-125"))


def _with(codec: str, data: bytes, note: str = "") -> Decoded:
    text = data.decode(codec, "replace")
    if not note and "\ufffd" in text and not _decodes(data, codec):
        note = f"some bytes are not {_name(codec)}"
    return Decoded(text, _name(codec), note)
