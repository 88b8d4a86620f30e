"""Declarations of Open Terms Archive: one JSON file for each service.

A service declares its terms, each with `fetch`, `select` and `remove`. Terms
combined from several pages, ranges between two elements and filter functions
have no counterpart and are told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from watcher.pipeline.importing.model import Converted, Draft, ImportFileError, selector_fault

_MAX_CHARACTERS = 2 * 1024 * 1024
_TAKEN = frozenset({"fetch", "select", "remove", "filter", "executeClientScripts", "combine"})


def from_open_terms(text: str) -> Converted:
    """Return the terms of a declaration.

    Raises:
        ImportFileError: it is not JSON, or no declaration.
    """
    service, terms = _declaration(text)
    found = Converted()
    for kind, declared in terms.items():
        where = str(kind)
        if not isinstance(declared, dict):
            found.tell(where, "it is no declaration: left out")
            continue
        draft = _draft(found, where, service, declared)
        if draft is not None:
            found.drafts.append(draft)
    return found


def _declaration(text: str) -> tuple[str, dict[str, object]]:
    if len(text) > _MAX_CHARACTERS:
        raise ImportFileError(
            f"it has {len(text)} characters, over the limit of {_MAX_CHARACTERS}",
            hint="a declaration is a few lines for each of a service's terms",
        )
    try:
        declared = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ImportFileError(f"it is not JSON: {error}", hint="mend it") from None
    terms = None
    if isinstance(declared, dict):
        terms = declared.get("terms", declared.get("documents"))
    if not isinstance(terms, dict) or not isinstance(declared.get("name"), str):
        raise ImportFileError(
            "it is no declaration of a service",
            hint='a declaration has "name" and "terms" (formerly "documents")',
        )
    return declared["name"], terms


def _draft(found: Converted, where: str, service: str, declared: dict[str, object]) -> Draft | None:
    combined = declared.get("combine")
    if combined:
        pages = len(combined) if isinstance(combined, list) else 1
        found.tell(where, f"it is combined from {pages} pages, which one entry cannot be: left out")
        return None
    url = declared.get("fetch")
    if not isinstance(url, str) or not url.lower().startswith(("http://", "https://")):
        found.tell(where, "it has no http or https address to fetch: left out")
        return None
    for name in _filters(declared.get("filter")):
        found.tell(where, f"the filter {name} is a function, which has no counterpart: left out")
    for key in sorted(set(map(str, declared)) - _TAKEN):
        found.tell(where, f"{key} has no counterpart: left out")
    return Draft(
        where,
        url,
        name=f"{service} {where}",
        title=f"{service} {where}"[:200],
        render="browser" if declared.get("executeClientScripts") is True else "",
        select=tuple(_selectors(found, where, "select", declared.get("select"))),
        remove=tuple(_selectors(found, where, "remove", declared.get("remove"))),
    )


def _selectors(found: Converted, where: str, key: str, value: object) -> Iterator[str]:
    if value is None:
        return
    for selector in value if isinstance(value, list) else [value]:
        if not isinstance(selector, str):
            shown = json.dumps(selector, ensure_ascii=False)[:160]
            found.tell(where, f"{key} between two elements has no counterpart: left out: {shown}")
        elif fault := selector_fault(selector):
            found.tell(where, f"{key} {selector[:120]!r} cannot be used ({fault}): left out")
        else:
            yield selector


def _filters(value: object) -> Iterator[str]:
    if value is None:
        return
    for step in value if isinstance(value, list) else [value]:
        if isinstance(step, dict):
            yield from (str(name)[:80] for name in step)
        else:
            yield str(step)[:80]
