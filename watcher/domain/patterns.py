r"""Patterns that owners write: matched in time linear in the text, whatever they say.

`re` backtracks: `(a+)+$` on fifty letters takes longer than a check may last.
RE2 does not, and so knows no look-around and no back-references. In it, `\w`,
`\d` and `\b` are of ASCII; letters of all languages are `\pL`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import re2

from watcher.errors import ConfigError

MAX_PATTERN = 500
"""Characters of a pattern at most."""
_MEMORY = 8_000_000
"""Bytes that one compiled pattern may take."""


@dataclass(frozen=True, slots=True)
class OwnPattern:
    """One pattern, checked; make it with `own_pattern`."""

    text: str

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return int(_compiled(self.text).groups)

    def matches_nothing(self) -> bool:
        """Tell whether the empty text fits it."""
        return _compiled(self.text).match("") is not None

    def search(self, text: str) -> tuple[str, tuple[str | None, ...]] | None:
        """Return the first match in `text` and what its groups caught, or None."""
        match = _compiled(self.text).search(text)
        return (str(match[0]), tuple(match.groups())) if match else None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of every match in `text`, in characters."""
        for match in _compiled(self.text).finditer(text):
            yield match.start(), match.end()


@cache
def _compiled(text: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return re2.compile(text, options)


def own_pattern(text: str, name: str) -> OwnPattern:
    """Return the pattern `text`, which `name` stands for in messages.

    Raises:
        ConfigError: it is too long, or no pattern that can be matched in bounded time.
    """
    if len(text) > MAX_PATTERN:
        raise ConfigError(
            f"the pattern {name!r} has {len(text)} characters",
            hint=f"use at most {MAX_PATTERN}; split it into several",
        )
    try:
        _compiled(text)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ConfigError(
            f"the pattern {name!r} is no regular expression that is read here: {why}",
            hint="correct it; a literal sign such as ( or . needs a backslash, and there is no"
            " look-around (?=...) and no back-reference \\1",
        ) from None
    except UnicodeError:
        raise ConfigError(
            f"the pattern {name!r} holds half a character", hint="write it in UTF-8"
        ) from None
    return OwnPattern(text)
