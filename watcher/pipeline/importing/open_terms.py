"""Declarations of Open Terms Archive: one JSON file for each service.

A service declares its terms, each with `fetch`, `select` and `remove`, or
combined from several pages. Pages with selections of their own, ranges between
two elements and filter functions have no counterpart and are told.
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
    addresses = _addresses(declared)
    if not addresses:
        found.tell(where, "it has no http or https address to fetch: left out")
        return None
    declared = _combined(found, where, declared)
    for name in _filters(declared.get("filter")):
        found.tell(where, f"the filter {name} is a function, which has no counterpart: left out")
    for key in sorted(set(map(str, declared)) - _TAKEN):
        found.tell(where, f"{key} has no counterpart: left out")
    return Draft(
        where,
        addresses[0],
        urls=addresses[1:],
        name=f"{service} {where}",
        title=f"{service} {where}"[:200],
        render="browser" if declared.get("executeClientScripts") is True else "",
        select=tuple(_selectors(found, where, "select", declared.get("select"))),
        remove=tuple(_selectors(found, where, "remove", declared.get("remove"))),
    )


def _addresses(declared: dict[str, object]) -> tuple[str, ...]:
    """Return the addresses of a declaration in order; none where one of them is no URL."""
    combined = declared.get("combine")
    pages = combined if isinstance(combined, list) and combined else [declared]
    urls = [page.get("fetch") if isinstance(page, dict) else None for page in pages]
    good = [u for u in urls if isinstance(u, str) and u.lower().startswith(("http://", "https://"))]
    return tuple(good) if len(good) == len(urls) else ()


def _combined(found: Converted, where: str, declared: dict[str, object]) -> dict[str, object]:
    """Return what holds for all pages of a combined declaration; tell what holds for one alone."""
    combined = declared.get("combine")
    if not isinstance(combined, list):
        return declared
    whole = dict(declared)
    for key in ("select", "remove", "filter", "executeClientScripts"):
        values = [page.get(key) for page in combined if isinstance(page, dict)]
        own = [value for value in values if value is not None]
        if not own:
            continue
        if key not in declared and len(own) == len(combined) and all(v == own[0] for v in own):
            whole[key] = own[0]
        else:
            found.tell(where, f"{key} of single pages has no counterpart: left out")
    for page in combined:
        if isinstance(page, dict):
            for key in sorted(set(map(str, page)) - _TAKEN):
                found.tell(where, f"{key} of a page has no counterpart: left out")
    return whole


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
