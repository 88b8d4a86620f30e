"""The system's Chromium: required where skips are forbidden, else a reason to skip."""

from __future__ import annotations

import os

import pytest

from watcher.fetch.browser import BrowserMissingError, find_browser


def require_chromium() -> None:
    """Skip by name where there is no Chromium; fail where skips are forbidden."""
    try:
        find_browser()
    except BrowserMissingError as error:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail(f"{error} (skips are forbidden here)")
        pytest.skip(str(error))
