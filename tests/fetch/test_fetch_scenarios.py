"""Every scenario through the whole loop: what is stored, and what is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fetch.scenario_server import Reply, ScenarioServer, Seen, Step, conditional
from tests.fetch.scenarios import (
    BASE,
    EDITED,
    KEPT,
    LATIN,
    NEW,
    SAME,
    SCENARIOS,
    Scenario,
    html,
    page,
)
from tests.pipeline.deployment import ManualClock
from watcher.domain.changes import ChangeKind, Tier
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome, Verdict
from watcher.fetch import Fetcher
from watcher.metrics import Metrics
from watcher.pipeline.check import Checker
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import load
from watcher.store import Store

EXTRA = ("latin-1", "meta", "lying-header", "utf-8", "lying-304", "error-between", "back-again")


class Stage:
    """Documents of one scenario server, checked by the real pipeline; `/NAME` is NAME's."""

    def __init__(self, folder: Path, server: ScenarioServer) -> None:
        self.server = server
        self.clock = ManualClock()
        shoes = "<p>Our shoes are made of leather from small farms.</p>" * 20
        server.play("/", html(f"<title>Acme</title><h1>Shoes for everybody</h1>{shoes}"))
        login = "<title>Acme</title><form><input name=u><input type=password></form>"
        server.play("/login", html(login))
        (folder / "documents").mkdir()
        config = folder / "watcher.toml"
        config.write_text(f'data_dir = "{folder}/var"\n[fetch]\nspacing = "0s"\n')
        (folder / "documents" / "all.toml").write_text(
            "\n".join(
                f'[[document]]\ndocument_id = "{name}"\nurl = "{server.url(f"/{name}")}"\n'
                'language = "en"\nallowed_networks = ["127.0.0.0/8"]\n'
                for name in (*(one.name for one in SCENARIOS), *EXTRA)
            )
        )
        self.store = Store.open(folder / "var")
        self.services = Services(load(config), self.store, self.clock, Metrics(channels=[]))
        sync_documents(self.services)

    def check(self, document: str, step: Step, *, full: bool = False) -> tuple[Verdict, str]:
        """Serve `step`, check once; return the verdict and what became of it."""
        name = DocumentId(document)
        self.server.play(f"/{document}", step)
        before = self.store.versions.current(name)
        self.clock.pass_time(hours=6)
        verdict, change_id = asyncio.run(self._check(name, full=full))
        if verdict.outcome in (Outcome.REFUSED, Outcome.HELD):
            assert self.store.versions.current(name) == before
            return verdict, KEPT
        return verdict, NEW if change_id and self._told(change_id) else SAME

    def _told(self, change_id: str) -> bool:
        judged = self.store.changes.classification(change_id)
        change = self.store.changes.get(change_id)
        noted = change.kind is ChangeKind.ANNOTATION
        return noted or judged is None or judged.tier is not Tier.SILENT

    async def _check(self, name: DocumentId, *, full: bool) -> tuple[Verdict, str | None]:
        async with Fetcher(fetch_settings(self.services.settings, "test")) as fetcher:
            leased = self.store.documents.claim(
                name, self.clock.now(), lease_seconds=600, owner="test"
            )
            report = await Checker(self.services, fetcher).check(leased, full=full)
        assert report.verdict is not None
        return report.verdict, report.change_id


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with ScenarioServer() as server:
        made = Stage(tmp_path_factory.mktemp("stage"), server)
        yield made
        made.store.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_scenario(stage: Stage, scenario: Scenario) -> None:
    verdict, _ = stage.check(scenario.name, scenario.first)
    assert verdict.outcome is Outcome.ACCEPTED, verdict
    for number, (step, wanted) in enumerate(scenario.then, start=1):
        verdict, came = stage.check(scenario.name, step)
        assert came == wanted, (number, verdict)
        if wanted == KEPT:
            assert verdict.evidence
            assert verdict.hint


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("latin-1", html(page(LATIN, head=""), "latin-1", "text/html")),
        ("meta", html(page(LATIN, head='<meta charset="windows-1252">'), "cp1252", "text/html")),
        ("lying-header", html(page(LATIN, head=""), "cp1252", "text/html; charset=utf-8")),
        ("utf-8", html(page(LATIN))),
    ],
)
def test_characters_are_read_right_whatever_is_declared(
    stage: Stage, name: str, reply: Reply
) -> None:
    stage.check(name, reply)
    version = stage.store.versions.current(DocumentId(name))
    assert version is not None
    stored = stage.store.versions.text(DocumentId(name), version.version)
    assert "L'accès à, «Größe» and façade" in stored.data.decode()


def test_a_server_that_lies_with_304_is_found_out_by_a_full_check(stage: Stage) -> None:
    def lying(reply: Reply) -> Step:
        def answer(seen: Seen) -> Reply:
            if "if-none-match" in seen.headers:
                return Reply(status=304, content_type=None)
            return reply.with_headers(("ETag", '"always"'))

        return answer

    stage.check("lying-304", lying(BASE))
    verdict, came = stage.check("lying-304", lying(EDITED))
    assert verdict.outcome is Outcome.NOT_MODIFIED
    _, came = stage.check("lying-304", lying(EDITED), full=True)
    assert came == NEW


def test_an_error_between_two_equal_answers_leaves_304_usable(stage: Stage) -> None:
    same = conditional(BASE, '"v1"')
    stage.check("error-between", same)
    stage.check("error-between", Reply(status=500))
    verdict, _ = stage.check("error-between", same)
    assert verdict.outcome is Outcome.NOT_MODIFIED


def test_there_and_back_again_is_two_versions_and_three_captures(stage: Stage) -> None:
    for step in (BASE, EDITED, BASE):
        verdict, _ = stage.check("back-again", step)
        assert verdict.outcome is Outcome.ACCEPTED
    name = DocumentId("back-again")
    assert len(stage.store.versions.list(name)) == 2
    assert len(stage.store.captures.list(name)) == 3
