"""Job lists of urlwatch and webchanges: one YAML document for each job.

Taken over: `url`, `name`, `headers`, the proxies, whether a browser is needed,
and filters that choose or leave out elements. Turning HTML or PDF into text is
what reading does anyway. Everything else is told, job by job.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from watcher.pipeline.importing.model import Converted, Draft, ImportFileError, selector_fault
from watcher.pipeline.importing.safe_yaml import documents

_READING = frozenset({"html2text", "pdf2text", "strip", "strip_each_line", "beautify"})
"""Filters that only make text out of a page, or lay it out."""
_TAKEN = frozenset(
    {"kind", "filter", "filters", "url", "navigate", "use_browser", "name", "note", "index_number"}
)
"""Keys that are taken over, or mean nothing here."""
_SECRET_HEADER = re.compile(r"auth|cookie|token|secret|session|api-?key|password", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_OF_THE_CLIENT = frozenset({"accept-encoding", "host", "connection", "content-length"})
_XPATH = re.compile(
    r"//(?P<tag>\*|[a-z][a-z0-9]*)(?:\[@(?P<name>[a-z-]+)=(?P<quote>['\"])(?P<value>[^'\"]*)(?P=quote)\])?"
)
_BY_ELEMENT = {"element-by-id": "id", "element-by-class": "class", "element-by-tag": "tag"}


def from_urlwatch(text: str) -> Converted:
    """Return the jobs of a urlwatch or webchanges file.

    Raises:
        ImportFileError: it is not YAML that is read here, or no list of jobs.
    """
    found = Converted()
    for number, job in enumerate(_jobs(text), start=1):
        name = str(job.get("name") or "")
        where = f"job {number}" + (f" ({name[:60]})" if name else "")
        draft = _Job(found, where, job).draft()
        if draft is not None:
            found.drafts.append(draft)
    return found


def _jobs(text: str) -> Iterator[dict[str, object]]:
    for document in documents(text):
        for job in document if isinstance(document, list) else [document]:
            if job is None:
                continue
            if not isinstance(job, dict):
                raise ImportFileError(
                    f"{str(job)[:60]!r} is no job", hint="a job is a mapping with a url"
                )
            if "job_defaults" in job or "report" in job:
                raise ImportFileError(
                    "this is the tool's own configuration, not its list of jobs",
                    hint="name the file of jobs (urls.yaml, jobs.yaml)",
                )
            yield {str(key): value for key, value in job.items()}


@dataclass(slots=True)
class _Job:
    """One job on its way to a draft."""

    found: Converted
    where: str
    job: dict[str, object]
    select: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)

    def draft(self) -> Draft | None:
        """Return the entry, or None where the job watches what is no document."""
        url = self._address()
        if url is None:
            return None
        for key in ("filter", "filters"):
            self._filters(self.job.get(key))
        headers = tuple(self._headers(self.job.get("headers")))
        proxy = self._proxy(url)
        for key in sorted(set(self.job) - _TAKEN - {"headers"}):
            if key not in ("http_proxy", "https_proxy"):
                self._tell(f"{key} has no counterpart: left out")
        return Draft(
            self.where,
            url,
            name=str(self.job.get("name") or ""),
            title=" ".join(str(self.job.get("name") or "").split())[:200],
            select=tuple(dict.fromkeys(self.select)),
            remove=tuple(dict.fromkeys(self.remove)),
            headers=headers,
            render="browser" if self.job.get("navigate") or self.job.get("use_browser") else "",
            proxy=proxy,
        )

    def _address(self) -> str | None:
        url = self.job.get("url") or self.job.get("navigate")
        if self.job.get("command") or self.job.get("kind") == "shell":
            self._tell("it runs a command, which is never imported: left out")
            return None
        if not isinstance(url, str) or not url.lower().startswith(("http://", "https://")):
            self._tell("it has no http or https url: left out")
            return None
        if self.job.get("data") or str(self.job.get("method") or "GET").upper() != "GET":
            self._tell("it sends a form, and documents are only ever fetched with GET: left out")
            return None
        return url

    # --- filters -----------------------------------------------------------

    def _filters(self, value: object) -> None:
        if value is None:
            return
        steps = value if isinstance(value, list) else [value]
        if isinstance(value, str):
            steps = [_legacy(part) for part in value.split(",") if part.strip()]
        for step in steps:
            if isinstance(step, str):
                self._filter(step, None)
            elif isinstance(step, dict):
                for name, option in step.items():
                    self._filter(str(name), option)
            else:
                self._tell(f"the filter {str(step)[:80]!r} is none: left out")

    def _filter(self, name: str, option: object) -> None:
        options = option if isinstance(option, dict) else {}
        wanted = options.get("selector", options.get("path")) if options else option
        if name in _READING:
            return
        if name in ("css", "xpath"):
            self._choose(name, wanted, self.select)
            for excluded in _listed(options.get("exclude")):
                self._choose(name, excluded, self.remove)
            for key in sorted(set(map(str, options)) - {"selector", "path", "exclude", "method"}):
                self._tell(f"{key} of the filter {name} has no counterpart: left out")
        elif name in _BY_ELEMENT and isinstance(wanted, str):
            self._choose("css", _element(_BY_ELEMENT[name], wanted), self.select)
        else:
            told = name if option is None else f"{name}: {json.dumps(option, default=str)}"
            self._tell(f"the filter {told[:160]} has no counterpart: left out")

    def _choose(self, kind: str, wanted: object, into: list[str]) -> None:
        """Take a selector over; a second choice would widen the first instead of narrowing it."""
        text = str(wanted or "").strip()
        selector = css_of_xpath(text) if kind == "xpath" else text
        if not selector:
            self._tell(f"the {kind} {text[:120]!r} has no counterpart in CSS: left out")
        elif fault := selector_fault(selector):
            self._tell(f"the selector {selector[:120]!r} cannot be used ({fault}): left out")
        elif into is self.select and self.select:
            self._tell(f"the second selection {selector[:120]!r} within the first: left out")
        else:
            into.append(selector)

    # --- the rest ------------------------------------------------------------

    def _headers(self, value: object) -> Iterator[tuple[str, str]]:
        if value is None:
            return
        pairs = value.items() if isinstance(value, dict) else ()
        if not pairs:
            self._tell("headers is no mapping: left out")
        for name, content in pairs:
            key, text = str(name), str(content)
            if _SECRET_HEADER.search(key):
                self._tell(
                    f"the header {key[:64]} looks like a secret and is not copied:"
                    " put it into a file and name that under credentials"
                )
            elif key.lower() in _OF_THE_CLIENT or not _HEADER_NAME.fullmatch(key):
                self._tell(f"the header {key[:64]!r} is not for a document to set: left out")
            elif not text.isprintable():
                self._tell(f"the header {key[:64]} has control characters: left out")
            else:
                yield key, text

    def _proxy(self, url: str) -> str:
        proxy = self.job.get(url.split(":", maxsplit=1)[0].lower() + "_proxy")
        if not proxy:
            return ""
        if "@" in str(proxy) or not str(proxy).startswith(("http://", "https://")):
            self._tell("its proxy has a password or is none: set proxy in the entry by hand")
            return ""
        return str(proxy)

    def _tell(self, what: str) -> None:
        self.found.tell(self.where, what)


def _legacy(part: str) -> str | dict[str, str]:
    """Return one filter of the old one-line form, `css:main,html2text`."""
    name, colon, option = part.strip().partition(":")
    return {name: option} if colon else name


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _element(kind: str, value: str) -> str:
    if kind == "tag":
        return value
    operator = "=" if kind == "id" else "~="
    return f"[{kind}{operator}{json.dumps(value, ensure_ascii=False)}]"


def css_of_xpath(path: str) -> str:
    """Return the CSS selector of a simple XPath, "" where it is not one.

    Simple is `//tag`, `//tag[@name='value']` and steps of these.
    """
    selector, position = "", 0
    while position < len(path):
        match = _XPATH.match(path, position)
        if match is None:
            return ""
        step = match["tag"]
        if match["name"]:
            step = ("" if step == "*" else step) + (
                f"[{match['name']}={json.dumps(match['value'], ensure_ascii=False)}]"
            )
        selector += (" " if selector else "") + step
        position = match.end()
    return selector
