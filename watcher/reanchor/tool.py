"""`watcher reanchor --cases FILE --root DIR`: JSON lines in, JSON lines out."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TextIO

from watcher.align import align
from watcher.domain.ranges import Range
from watcher.domain.statements import Statement, Status
from watcher.reanchor.reanchor import reanchor


class _Case:
    """One line of the input: a passage of a text pair, or what is wrong with the line."""

    def __init__(self, line: str, root: Path) -> None:
        self.case_id: object = None
        self.problem = ""
        try:
            self._read(json.loads(line), root)
        except KeyError as error:
            self.problem = f"the field {error} is missing"
        except (ValueError, TypeError, RecursionError, OSError) as error:
            self.problem = str(error) or type(error).__name__

    def _read(self, given: object, root: Path) -> None:
        if not isinstance(given, dict):
            raise TypeError("the line is not a JSON object")
        self.case_id = given.get("case_id")
        self.old = _below(root, given["old_text_ref"])
        self.new = _below(root, given["new_text_ref"])
        start, end = given["start"], given["end"]
        if type(start) is not int or type(end) is not int or not 0 <= start < end:
            raise ValueError("start and end are not whole numbers with 0 <= start < end")
        self.passage = Range(start, end)


def _below(root: Path, reference: object) -> Path:
    if not isinstance(reference, str) or not reference:
        raise ValueError("a text reference is not a path")
    path = (root / reference).resolve()
    if not path.is_relative_to(root):
        raise ValueError(f"{reference!r} is not below the root directory")
    return path


def run(cases: TextIO, root: Path, out: TextIO) -> None:
    """Answer every line of `cases` with one line on `out`, in the order of the input."""
    root = root.resolve()
    todo = [_Case(line, root) for line in cases if line.strip()]
    pairs: defaultdict[tuple[Path, Path], list[int]] = defaultdict(list)
    for index, case in enumerate(todo):
        if not case.problem:
            pairs[case.old, case.new].append(index)
    answers: list[dict[str, object]] = [_problem(case) for case in todo]
    for (old_path, new_path), indexes in pairs.items():
        try:
            old, new = old_path.read_bytes(), new_path.read_bytes()
        except OSError as error:
            for index in indexes:
                todo[index].problem = f"cannot read {error.filename}: {error.strerror}"
                answers[index] = _problem(todo[index])
            continue
        good = []
        for index in indexes:
            if todo[index].passage.end > len(old):
                todo[index].problem = f"the range ends after the text ({len(old)} bytes)"
                answers[index] = _problem(todo[index])
            else:
                good.append(index)
        statements = reanchor(old, new, align(old, new), [todo[i].passage for i in good])
        for index, statement in zip(good, statements, strict=True):
            answers[index] = _answer(todo[index].case_id, statement)
    out.writelines(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)


def _problem(case: _Case) -> dict[str, object]:
    return {
        "case_id": case.case_id,
        "status": "invalid",
        "start": None,
        "end": None,
        "ranges": [],
        "similarity": 0.0,
        "candidates": [],
        "problem": case.problem,
    }


def _answer(case_id: object, statement: Statement) -> dict[str, object]:
    """Return the answer line: a split has its largest part in start and end.

    Any other place that was cut at page breaks is told from its first to its last byte.
    """
    parts = statement.ranges
    start = end = None
    if parts:
        largest = max(parts, key=lambda part: part.length)
        whole = Range(parts[0].start, parts[-1].end)
        start, end = largest if statement.status is Status.SPLIT else whole
    return {
        "case_id": case_id,
        "status": statement.status.value,
        "start": start,
        "end": end,
        "ranges": [list(part) for part in parts],
        "similarity": round(statement.similarity, 4),
        "candidates": [list(part) for part in statement.candidates],
    }
