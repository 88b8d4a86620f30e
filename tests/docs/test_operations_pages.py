"""The pages for people on call name what exists, and what they promise is computed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client import generate_latest
from pydantic import TypeAdapter

from tests.alert.test_digest import CHANGE, NOTICE, digest
from watcher.alert.channels import Channel, EmailChannel, QuietHours
from watcher.alert.delivery import FIRST_DELAY, LONGEST_DELAY, LONGEST_WISH, MOST_ATTEMPTS
from watcher.alert.message import AlertMessage, Excerpt, Passage
from watcher.alert.notice import NoticeKind
from watcher.alert.render import Json, Message, render_payload
from watcher.alert.webhook import signature
from watcher.collectors import StoreCounts
from watcher.daemon.health import PROBE_SECONDS
from watcher.daemon.supervisor import MOST_REVIVALS, Limits
from watcher.domain.changes import ChangeClass
from watcher.logs import BURST, Event
from watcher.metrics import Metrics
from watcher.pipeline.deliver import STORM

DOCS = Path(__file__).resolve().parents[2] / "docs"
OPERATIONS = (DOCS / "operations.md").read_text(encoding="utf-8")
ALERTS = (DOCS / "alerts.md").read_text(encoding="utf-8")
KINDS = get_args(get_args(Channel)[0])


def test_every_event_is_explained_and_no_other() -> None:
    explained = re.findall(r"^\| `([a-z]+\.[a-z_]+)` \|", OPERATIONS, re.MULTILINE)
    assert sorted(explained) == sorted(event.value for event in Event)


def test_every_metric_is_explained_and_no_other() -> None:
    metrics = Metrics(channels=["ops"], data_directory=Path("/"), read_store=StoreCounts)
    metrics.declare_job("dispatch", 1)
    exported = dict(
        re.findall(
            r"^# TYPE (\S+) (\S+)$", generate_latest(metrics.registry).decode(), re.MULTILINE
        )
    )
    explained = dict(
        re.findall(r"^\| `((?:watcher|process)_\w+)` \| (\w+) \|", OPERATIONS, re.MULTILINE)
    )
    assert explained == exported


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_channel_is_explained(kind: type[EmailChannel]) -> None:
    for key in kind.model_fields:
        assert f"`{key}`" in ALERTS
    name = get_args(kind.model_fields["kind"].annotation)[0]
    assert f"| `{name}` |" in ALERTS


def test_quiet_hours_are_explained() -> None:
    assert all(f"`{key}`" in ALERTS for key in QuietHours.model_fields)


def test_the_example_is_taken_as_it_is() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", ALERTS, re.DOTALL)
    (table,) = tomllib.loads(example)["channels"]
    channel = TypeAdapter[Channel](Channel).validate_python(table)
    assert channel.quiet is not None


def test_the_signatures_are_the_ones_that_are_sent() -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \| `(wa1-\w+)` \| `(\d+)` \| `([^`]+)` \| `(v1,[^`]+)` \|$",
        ALERTS,
        re.MULTILINE,
    )
    assert len(rows) == 2
    for secret, key, timestamp, body, signed in rows:
        assert signature(secret, key, timestamp, body.encode()) == signed


def test_every_kind_of_notice_is_explained() -> None:
    assert all(f"`{kind}`" in ALERTS for kind in NoticeKind)


def keys_of(value: Json) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for part in value.values() for key in keys_of(part)}
    if isinstance(value, list):
        return {key for part in value for key in keys_of(part)}
    return set()


@pytest.mark.parametrize("message", [CHANGE, NOTICE, digest(CHANGE)])
def test_every_key_of_a_payload_is_explained(message: Message) -> None:
    if isinstance(message, AlertMessage):
        passage = Passage(message.from_version, 1, 0, 4, "text")
        excerpt = Excerpt(passage, None, ChangeClass.EDITORIAL)
        message = AlertMessage(
            **{
                name: getattr(message, name)
                for name in AlertMessage.__slots__
                if name != "excerpts"
            },
            excerpts=(excerpt,),
        )
    payload = render_payload(message, "k")
    assert f"**`{payload['schema']}`**" in ALERTS
    for key in keys_of(payload) - {"schema"}:
        assert f"`{key}`" in ALERTS, key


def test_the_numbers_are_those_of_the_code() -> None:
    limits = Limits()
    assert f"begins at {FIRST_DELAY:g} s and doubles to {LONGEST_DELAY / 60:g} minutes" in ALERTS
    assert LONGEST_WISH == 3600
    assert f"After {MOST_ATTEMPTS} attempts" in ALERTS
    assert f"More than {STORM} alerts" in ALERTS
    assert f"asked every {PROBE_SECONDS:g} s" in OPERATIONS
    assert f"stops for {limits.stall:g} s" in OPERATIONS
    assert f"lives {limits.stuck_grace:g} s beyond" in OPERATIONS
    assert f"moves {limits.clock_jump:g} s against" in OPERATIONS
    assert (MOST_REVIVALS, BURST) == (5, 5)
