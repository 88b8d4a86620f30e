"""What an import gives: drafts of entries, and what could not be taken over."""

from __future__ import annotations

from dataclasses import dataclass, field

from watcher.errors import ConfigError
from watcher.extract import Options, Source, extract

_MAX_SELECTOR = 500


class ImportFileError(ConfigError):
    """The file is not what it was taken for, or not one that is read safely."""

    code = "import"


@dataclass(frozen=True, slots=True)
class Told:
    """Something of the file that has no counterpart: `where` it stands, `what` it is."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Draft:
    """One entry to be; `name` is what its document_id is made from where none is given."""

    where: str
    url: str
    document_id: str = ""
    name: str = ""
    title: str = ""
    urls: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    render: str = ""
    proxy: str = ""
    ignore_robots: str = ""


@dataclass(slots=True)
class Converted:
    """The drafts of one file in its order, and what is told of it."""

    drafts: list[Draft] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def tell(self, where: str, what: str) -> None:
        """Note something that was not taken over."""
        self.told.append(Told(where, what))


def selector_fault(selector: str) -> str:
    """Return why `selector` cannot be used as a CSS selector, "" where it can."""
    if not selector.strip():
        return "it is empty"
    if len(selector) > _MAX_SELECTOR:
        return f"it is longer than {_MAX_SELECTOR} characters"
    page = Source(b"<!doctype html><p>x</p>", "text/html")
    reading = extract(page, Options(remove=(selector,)))
    faults = [problem.message for problem in reading.problems if problem.code == "rules"]
    return faults[0] if faults else ""
