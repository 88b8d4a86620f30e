"""Dated files: the date in their names, or in a list beside them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from watcher.pipeline.history.model import MAX_BYTES, MAX_STATES, HistoryError, LeftOut, Past

_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<dash>[-_.]?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:[T_. -]?(?P<hour>[01]\d|2[0-3])[-_.:]?(?P<minute>[0-5]\d)"
    r"(?:[-_.:]?(?P<second>[0-5]\d))?Z?(?![-_.:]?\d))?"
    r"(?!\d)"
)
_FIX = "rename it to begin with the date, as in 2024-05-01-privacy.html, or give --dates"


def date_in_name(name: str) -> datetime:
    """Return the one date in a file's name: `2024-05-01`, `20240501`, `2024-05-01T10-30-00Z`.

    A date without a time is the beginning of that day in UTC.

    Raises:
        HistoryError: there is none, or several that differ.
    """
    found = {moment for match in _IN_NAME.finditer(name) if (moment := _moment(match))}
    if len(found) != 1:
        raise HistoryError(
            f"{name!r} has {len(found) or 'no'} date{'s' * (len(found) > 1)} in it", hint=_FIX
        )
    return found.pop()


def _moment(match: re.Match[str]) -> datetime | None:
    try:
        return datetime(
            int(match["year"]),
            int(match["month"]),
            int(match["day"]),
            int(match["hour"] or 0),
            int(match["minute"] or 0),
            int(match["second"] or 0),
            tzinfo=UTC,
        )
    except ValueError:
        return None


def date_in_list(text: str) -> datetime:
    """Return an ISO 8601 date or time; without an offset it is UTC.

    Raises:
        HistoryError: it is none.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise HistoryError(
            f"{text[:40]!r} is not a date", hint="write 2024-05-01 or 2024-05-01T10:30:00Z"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def named_files(files: Sequence[Path]) -> Iterator[Past | LeftOut]:
    """Yield the state of each file under the date in its name, oldest first.

    Raises:
        HistoryError: before anything is yielded, where one name has no date.
    """
    dated = [(date_in_name(file.name), file) for file in files]
    return _states(dated)


def listed_files(listing: Path) -> Iterator[Past | LeftOut]:
    """Yield the states that a CSV lists: `file,date`, files relative to its folder.

    A first line `file,date` is a heading.

    Raises:
        HistoryError: before anything is yielded, where a line is none or a
            file is listed outside of the folder.
    """
    dated = []
    try:
        with listing.open(encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.reader(stream), start=1):
                words = [cell.strip() for cell in row]
                if not any(words) or (number == 1 and words == ["file", "date"]):
                    continue
                if len(words) != 2:
                    raise HistoryError(
                        f"{listing}:{number}: not `file,date`", hint="write two columns"
                    )
                dated.append((date_in_list(words[1]), _inside(listing.parent, words[0])))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HistoryError(f"{listing} cannot be read: {error}", hint="name a CSV file") from None
    return _states(dated)


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise HistoryError(
            f"{name!r} is outside of {folder}", hint="put the list beside the files that it names"
        )
    return path


def _states(dated: list[tuple[datetime, Path]]) -> Iterator[Past | LeftOut]:
    if len(dated) > MAX_STATES:
        raise HistoryError(f"{len(dated)} states are too many", hint=f"at most {MAX_STATES}")
    return _read(sorted(dated))


def _read(dated: list[tuple[datetime, Path]]) -> Iterator[Past | LeftOut]:
    for moment, file in dated:
        try:
            with file.open("rb") as stream:
                body = stream.read(MAX_BYTES + 1)
        except OSError as error:
            yield LeftOut(str(file), f"it cannot be read: {error.strerror}")
            continue
        if len(body) > MAX_BYTES:
            yield LeftOut(str(file), f"it is larger than {MAX_BYTES} bytes")
            continue
        yield Past(str(file), moment, file.name, body)
