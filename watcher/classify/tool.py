"""The pure tool behind `watcher classify`: JSON lines in, JSON lines out."""

from __future__ import annotations

import json
from typing import TextIO

from watcher.classify.classifier import classify_passage, failed
from watcher.domain.changes import Classification


def answer(case_id: object, judged: Classification) -> dict[str, object]:
    """Return the answer line of one case."""
    return {
        "id": case_id,
        "class": judged.change_class.value,
        "tier": judged.tier.value,
        "score": judged.score,
        "facets": list(judged.facets),
        "explanation": [judged.headline, *judged.explanation],
    }


_HALF = "the text holds half a character (a lone surrogate, \\ud800 to \\udfff): send whole ones"


def _broken(text: str) -> bool:
    """Tell whether a text holds a code point that is no character, as JSON can."""
    return any("\ud800" <= char <= "\udfff" for char in text)


def answer_line(line: str) -> dict[str, object]:
    """Return the answer to one line; a line that cannot be read fails closed."""
    case_id: object = None
    try:
        case = json.loads(line)
        if not isinstance(case, dict):
            return answer(None, failed(0, 0, "the line is not a JSON object"))
        case_id = case.get("id")
        before, after = case.get("before"), case.get("after")
        if not isinstance(before, str) or not isinstance(after, str):
            return answer(case_id, failed(0, 0, "before and after must both be text"))
        language, context = case.get("lang") or "", case.get("context_before") or ""
        if not isinstance(language, str) or not isinstance(context, str):
            return answer(case_id, failed(0, 0, "lang and context_before must be text"))
        if any(_broken(text) for text in (before, after, context)):
            return answer(case_id, failed(0, 0, _HALF))
        return answer(case_id, classify_passage(before, after, language, context))
    except (ValueError, RecursionError) as error:
        return answer(case_id, failed(0, 0, f"the line is not JSON ({type(error).__name__})"))


def run(cases: TextIO, out: TextIO) -> None:
    """Answer every non-empty line of `cases` on `out`, in order.

    A case is `{"id", "lang", "before", "after", "context_before"}`; an answer
    `{"id", "class", "tier", "score", "facets", "explanation"}`.
    """
    for line in cases:
        if line.strip():
            json.dump(answer_line(line), out, ensure_ascii=False)
            out.write("\n")
