"""The phrases of pages that are not the document, in many languages.

They live in `phrases.toml` as data, and what documents say in
`documents.toml`. Text and phrases are folded alike (case, accents,
punctuation), so a missing accent or another apostrophe does not hide a phrase.
A phrase in a script that is written without spaces, or with spaces that vary,
is searched in the text without any.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib.resources import files

from watcher.domain.verdicts import Refusal

_COMPACT = re.compile(
    "[\u0900-\u0d7f\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
)
_BREAKS = re.compile(r"[.!?…:;|\n\f\u3002\uff01\uff1f\u061f\u06d4\u0964·•»«—–]+|\s-\s")
_BLANKS = re.compile(r"[^\w.]+")
_STROKES = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that no decomposition takes apart; a writer without them types these."""
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("compact", _COMPACT),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("latin", re.compile("[a-z0-9]")),
)


def fold(text: str) -> str:
    """Return `text` without case, accents and punctuation.

    Words are separated by one space, sentences by ` . `; it begins and ends
    with ` . `, so that a phrase can ask for the start of one.
    """
    parts = _BREAKS.split(_plain(text))
    sentences = (" ".join(_BLANKS.sub(" ", part).split()) for part in parts)
    return " . " + " . ".join(filter(None, sentences)) + " . "


class Said(StrEnum):
    """What a document says, or what says that there is none, as `documents.toml` has it."""

    NAMES = "names"
    SUBJECTS = "subjects"
    STAND_INS = "stand_ins"


def phrases_in(text: str, kind: Refusal | Said) -> tuple[str, ...]:
    """Return the distinct phrases of `kind` found in the folded `text`."""
    found: dict[str, None] = {}
    compact = text.replace(" ", "")
    for script, present in _SCRIPTS:
        if not present.search(text):
            continue
        pattern = _patterns().get((kind, script))
        if pattern is not None:
            subject = compact if script == "compact" else text
            found.update(dict.fromkeys(m[0].strip(" .") for m in pattern.finditer(subject)))
    return tuple(found)


@cache
def _patterns() -> dict[tuple[str, str], re.Pattern[str]]:
    rendered: dict[tuple[str, str], list[str]] = {}
    for data in ("phrases.toml", "documents.toml"):
        source = (files("watcher.fetch") / data).read_text("utf-8")
        for kind, languages in tomllib.loads(source).items():
            for phrase in (one for phrases in languages.values() for one in phrases):
                script = next(name for name, present in _SCRIPTS if present.search(phrase))
                pattern = _Phrase(_fold_phrase(phrase), compact=script == "compact").pattern
                rendered.setdefault((kind, script), []).append(pattern)
    return {key: re.compile("|".join(patterns)) for key, patterns in rendered.items()}


def _fold_phrase(phrase: str) -> str:
    return re.sub(r"['’\-]", " ", _plain(phrase))


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in letters if unicodedata.category(char)[0] != "M")
    return unicodedata.normalize("NFC", bare).translate(_STROKES)


class _Phrase:
    """One phrase as a regular expression over folded text."""

    def __init__(self, source: str, *, compact: bool) -> None:
        self._compact = compact
        self._gap = "[^.]{0,12}" if compact else "(?: [^ .]+){0,6}"
        anchored = source.startswith("^")
        self._rest = source.removeprefix("^").strip()
        if compact:
            self._rest = self._rest.replace(" ", "")
        body = self._alternatives()
        if self._rest:
            raise ValueError(f"cannot read the phrase {source!r} at {self._rest!r}")
        if compact:
            self.pattern = rf"\.{body}[^.]{{0,6}}(?=\.)" if anchored else body
        elif anchored:
            self.pattern = rf"\. {body}(?: [^ .]+){{0,2}}(?= \.)"
        else:
            self.pattern = rf"(?<= ){body}(?= )"

    def _alternatives(self) -> str:
        options = [self._sequence()]
        while self._rest.startswith("|"):
            self._rest = self._rest[1:]
            options.append(self._sequence())
        return "(?:" + "|".join(options) + ")"

    def _sequence(self) -> str:
        """Read items up to `|`, `)` or the end; each brings the blank before it."""
        blank = "" if self._compact else " "
        rendered, started = "", False
        while self._rest and self._rest[0] not in "|)":
            item, optional = self._item()
            if item == "~":
                rendered += self._gap if started or self._compact else "(?:[^ .]+ ){0,6}"
            elif not started:
                rendered += f"(?:{item}{blank})?" if optional else item
                started = not optional
            else:
                rendered += f"(?:{blank}{item})?" if optional else blank + item
        return rendered

    def _item(self) -> tuple[str, bool]:
        """Read one word, group or gap, and the blanks after it."""
        if self._rest[0] == "~":
            self._rest = self._rest[1:].lstrip()
            return "~", False
        item, optional = "", False
        while self._rest and self._rest[0] not in " |)~":
            head, self._rest = self._rest[0], self._rest[1:]
            if head == "(":
                item += self._alternatives()
                self._rest = self._rest.removeprefix(")")
                if self._rest.startswith("?"):
                    self._rest = self._rest[1:]
                    alone = item.startswith("(?:") and self._rest[:1] in ("", " ", "|", ")")
                    optional = alone and not self._compact
                    item += "" if optional else "?"
            elif head == "*":
                item += "[^ .]*"
            elif head == "?":
                item += "?"
            else:
                item += re.escape(head)
        self._rest = self._rest.lstrip()
        return item, optional


def headline(parts: Iterable[str]) -> str:
    """Return the folded text of titles and headings, each a sentence of its own."""
    return fold("\n".join(parts))
