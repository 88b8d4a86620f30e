"""The written set: changes of every kind of the labelling guide, in 15 languages.

All of it was written for this project; nothing is taken from a data set. A
row of `fresh/LABEL.tsv` is language, kind, before, after, separated by tabs.
Half of the (language, kind) pairs are for looking at failures ("tune"); the
other half ("held") is only counted, so that a rule fitted to one language or
phrase shows as a gap between the two.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_ROOM = Path(__file__).resolve().parent / "fresh"
LABELS = {"cosmetic": "cosmetic", "editorial": "editorial", "policy": "policy-bearing"}
"""Label of each file, by its stem."""
_ESCAPE = re.compile(r"\\(?:n|u[0-9a-fA-F]{4})")


class Row(NamedTuple):
    """One written change; `held` tells whether its half is never looked at."""

    lang: str
    label: str
    kind: str
    before: str
    after: str
    held: bool


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda m: json.loads(f'"{m[0]}"'), text)


def is_held(lang: str, kind: str) -> bool:
    """Tell in which half all rows of a language and kind are."""
    return sha256(f"{lang}:{kind}".encode()).digest()[0] % 2 == 1


def rows() -> list[Row]:
    """Return all written changes in the order of the files."""
    return [
        Row(lang, label, kind, _plain(before), _plain(after), is_held(lang, kind))
        for stem, label in LABELS.items()
        for line in (_ROOM / f"{stem}.tsv").read_text("utf-8").splitlines()
        for lang, kind, before, after in [line.split("\t")]
    ]
