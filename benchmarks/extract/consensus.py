"""Word F1 of engines against their consensus; the method is in CONSENSUS.md."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_WORD = re.compile(r"\w+")


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).replace("\u00ad", "")))


def f1(found: Counter[str], wanted: Counter[str]) -> float:
    size = found.total() + wanted.total()
    return 2 * (found & wanted).total() / size if size else 1.0


def consensus(pages: Iterable[Counter[str]]) -> Counter[str]:
    counts = list(pages)
    middle = (len(counts) - 1) // 2
    median = {word: sorted(one[word] for one in counts)[middle] for word in set().union(*counts)}
    return Counter({word: count for word, count in median.items() if count})


def referees(path: Path) -> dict[str, list[str]]:
    """The pages of `path` as each other engine that is installed gives them."""
    found = {}
    if shutil.which("pdftotext"):
        done = subprocess.run(
            ["pdftotext", "-enc", "UTF-8", str(path), "-"],
            capture_output=True,
            check=False,
            timeout=120,
        )
        found["pdftotext"] = done.stdout.decode("utf-8", "replace").split("\f")[:-1]
    return found
