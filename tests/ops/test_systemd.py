"""The units: what they allow, what they start, and what their guide says."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNIT = SYSTEMD / "watcher.service"


@pytest.fixture(scope="module")
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("systemd-analyze is missing: run `make system-deps`")
        pytest.skip("needs systemd-analyze: run `make system-deps`")
    return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def exposure(analyze: str, unit: Path) -> float:
    done = run(analyze, "security", "--offline=true", "--threshold=12", str(unit))
    assert done.returncode == 0, done.stdout
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None
    return float(found[1])


def settings(section: str, path: Path = UNIT) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return dict(parser[section])


def installed(folder: Path, *drop_ins: str) -> Path:
    """Return the unit with its program replaced by one that exists, and drop-ins merged in."""
    program = folder / "watcher"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    parts = [UNIT, *(SYSTEMD / "watcher.service.d" / name for name in drop_ins)]
    text = "\n".join(part.read_text() for part in parts)
    unit = folder / "watcher.service"
    unit.write_text(text.replace("/opt/watcher/.venv/bin/watcher", str(program)))
    shutil.copy(SYSTEMD / "watcher.socket", folder)
    return unit


@pytest.mark.system
def test_the_unit_is_hardened_as_the_guide_says(analyze: str, tmp_path: Path) -> None:
    guide = (SYSTEMD / "README.md").read_text()
    alone = exposure(analyze, installed(tmp_path))
    behind_proxy = exposure(analyze, installed(tmp_path, "20-egress-proxy.conf"))
    assert alone <= 1.2
    assert behind_proxy < alone
    assert f"gives this unit {alone} " in guide.replace("\n", " ")
    assert f"{behind_proxy} with `20-egress-proxy.conf`" in guide


@pytest.mark.system
def test_the_backup_needs_no_network_and_little_else(analyze: str, tmp_path: Path) -> None:
    program = tmp_path / "watcher"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in ("watcher-backup.service", "watcher-backup.timer"):
        text = (SYSTEMD / name).read_text()
        (tmp_path / name).write_text(text.replace("/opt/watcher/.venv/bin/watcher", str(program)))
    assert exposure(analyze, tmp_path / "watcher-backup.service") <= 0.5
    units = [str(tmp_path / f"watcher-backup.{kind}") for kind in ("service", "timer")]
    done = run(analyze, "verify", "--man=no", *units)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.system
@pytest.mark.parametrize(
    "drop_ins", [(), ("20-egress-proxy.conf",), ("30-socket.conf",)], ids=["alone", "20", "30"]
)
def test_systemd_finds_no_mistake(analyze: str, tmp_path: Path, drop_ins: tuple[str, ...]) -> None:
    unit = installed(tmp_path, *drop_ins)
    done = run(analyze, "verify", "--man=no", str(unit), str(tmp_path / "watcher.socket"))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_service_survives_what_it_should_and_stops_where_a_person_is_needed() -> None:
    service = settings("Service")
    assert service["Type"] == "notify"
    assert service["NotifyAccess"] == "main"
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "78"
    assert service["OOMPolicy"] == "continue"
    assert service["KillMode"] == "mixed"
    assert int(service["TimeoutStopSec"]) > 30
    assert int(service["WatchdogSec"]) >= 30


def test_it_starts_the_command_that_exists() -> None:
    command = settings("Service")["ExecStart"].split()
    assert command == [
        "/opt/watcher/.venv/bin/watcher",
        "run",
        "--config",
        "/etc/watcher/watcher.toml",
    ]


def test_the_data_directory_is_the_one_that_systemd_makes() -> None:
    service = settings("Service")
    assert service["StateDirectory"] == "watcher"
    assert "Environment=WATCHER_DATA_DIR=/var/lib/watcher" in UNIT.read_text()


def test_the_guide_names_every_file_beside_it() -> None:
    guide = (SYSTEMD / "README.md").read_text()
    for path in SYSTEMD.rglob("*"):
        if path.is_file() and path.name != "README.md":
            assert path.name in guide, path


@pytest.mark.system
def test_user_and_folders_are_accepted_by_systemd(analyze: str, tmp_path: Path) -> None:
    sysusers, tmpfiles = shutil.which("systemd-sysusers"), shutil.which("systemd-tmpfiles")
    assert sysusers
    assert tmpfiles
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    users = run(sysusers, f"--root={root}", str(SYSTEMD / "watcher.sysusers.conf"))
    if "not permitted" in users.stderr.lower():
        pytest.skip("needs root")
    assert users.returncode == 0, users.stderr
    assert "watcher:" in (root / "etc" / "passwd").read_text()
    done = run(tmpfiles, f"--root={root}", "--create", str(SYSTEMD / "watcher.tmpfiles.conf"))
    assert done.returncode == 0, done.stderr
    assert (root / "etc/watcher/credentials").stat().st_mode & 0o777 == 0o700
