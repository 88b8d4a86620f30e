"""The declarations and the generated files of this project, for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from watcher.cli import slo_actions
from watcher.slo import Source

ROOT = Path(__file__).resolve().parents[2]


def declared() -> Source:
    return slo_actions.read(ROOT)


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail(f"{name} is missing: run `make system-deps`")
        pytest.skip(f"needs {name}: run `make system-deps`")
    return found


def run(*command: str, cwd: Path = ROOT) -> str:
    """Return what a program says, and fail with it if the program does."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
