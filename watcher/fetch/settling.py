"""When a rendered page has come to rest.

Scripts never say that they are done. A page counts as settled when nothing is
being loaded for it and, for a while, neither the number of its elements nor
the amount of its text has changed: a clock that ticks does not keep it from
that, and a text that is still arriving does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page

_EVERY = 0.1
_QUIET = 8
"""Looks in a row that must agree."""
_MEASURE = """() => [
  document.readyState,
  document.querySelectorAll('*').length,
  document.body ? document.body.textContent.length : 0,
]"""


class Settling:
    """Watches one page; `under_way` counts the requests that are being answered for it."""

    def __init__(self, page: Page, under_way: Callable[[], int]) -> None:
        self._page = page
        self._under_way = under_way

    async def wait(self) -> None:
        """Return when the page has settled; whoever calls bounds the time."""
        before: list[object] | None = None
        agreed = 0
        while agreed < _QUIET:
            await asyncio.sleep(_EVERY)
            now = await self._measured()
            quiet = self._under_way() == 0 and now is not None and now[0] == "complete"
            agreed = agreed + 1 if quiet and now == before else 0
            before = now

    async def _measured(self) -> list[object] | None:
        """Return what is compared; None while the page is moving to another address."""
        from playwright.async_api import Error as BrowserError  # noqa: PLC0415 - optional

        try:
            found: list[object] = await self._page.evaluate(_MEASURE)
        except BrowserError:
            if self._page.is_closed():
                raise
            return None
        return found
