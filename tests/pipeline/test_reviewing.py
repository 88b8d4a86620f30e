"""The review loop: what is drawn, recorded and estimated, and a threshold of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client import generate_latest

from tests.pipeline.deployment import Deployment, ManualClock, html
from tests.store.store_bench import Bench, bench_in, day
from watcher.classify.context import PAGE_SCORE
from watcher.classify.review import drawn
from watcher.domain.changes import ChangeClass, Classification, ScoreComponent, Tier
from watcher.domain.ids import DocumentId
from watcher.domain.reviews import ReviewVerdict
from watcher.errors import UsageError
from watcher.metrics import Metrics
from watcher.pipeline.counting import read_counts
from watcher.pipeline.reviewing import apply_threshold, calibrate, report
from watcher.pipeline.services import Services
from watcher.settings import load
from watcher.store import ReviewError, UnknownChangeError

BASE = "Access logs are kept for 30 days. Partners get reports on request."
NOTICE = "Last updated: {day} May 2026"


def configure(deployment: Deployment, text: str) -> None:
    with deployment.config.open("a", encoding="utf-8") as service:
        service.write(text)


def grow(deployment: Deployment, name: DocumentId, *texts: str) -> None:
    for text in texts:
        deployment.check(name, html(BASE, text))
        deployment.clock.pass_time(minutes=5)


def harmless(deployment: Deployment, number: int) -> DocumentId:
    """Make `number` changes that call nobody."""
    name = deployment.watch("policy", html(BASE, NOTICE.format(day=1)))
    grow(deployment, name, *(NOTICE.format(day=day) for day in range(1, number + 2)))
    return name


def test_what_called_nobody_is_drawn_by_its_seed(deployment: Deployment) -> None:
    configure(deployment, '[review]\nsample_rate = 0.5\nseed = "s"\n')
    name = harmless(deployment, 8)
    changes = deployment.store.changes.list(name)
    queue = deployment.store.reviews.queue()
    expected = {c.change_id for c in changes if drawn("s", c.change_id, 0.5)}
    assert {item.change_id for item in queue} == expected
    assert {(item.chance, item.tier) for item in queue} <= {(0.5, Tier.SILENT)}
    assert len(changes) == 8
    assert deployment.store.reviews.waiting() == len(expected)


def test_a_page_is_not_drawn(deployment: Deployment) -> None:
    configure(deployment, "[review]\nsample_rate = 1\n")
    name = deployment.watch("policy", html(BASE))
    grow(deployment, name, "", "You must not share them.")
    assert deployment.store.reviews.queue() == ()
    (told,) = deployment.store.reviews.unreviewed([Tier.PAGE, Tier.TICKET])
    assert told.document_id == name


def test_verdicts_make_rates_and_metrics(deployment: Deployment) -> None:
    configure(deployment, "[review]\nsample_rate = 1\n")
    harmless(deployment, 3)
    reviews, now = deployment.store.reviews, deployment.clock.now()
    assert report(deployment.services).missed.count == 0
    for number, item in enumerate(reviews.queue()):
        verdict = ReviewVerdict.MISSED if number == 0 else ReviewVerdict.RIGHT
        reviews.record(item.change_id, verdict, at=now, actor="mara", note="n")
    found = report(deployment.services)
    assert found.missed.rate == pytest.approx(1 / 3)
    assert (found.missed.count, found.queue) == (3, 0)
    assert found.missed.within(0.005) is False

    services = deployment.services
    metrics = Metrics(channels=["hook"], read_store=lambda: read_counts(services))
    text = generate_latest(metrics.registry).decode()
    assert 'watcher_reviews{tier="silent",verdict="missed"} 1.0' in text
    assert 'watcher_review_rate{bound="estimate",rate="missed"} 0.3333' in text
    assert 'watcher_review_budget{rate="missed"} 0.005' in text
    assert 'rate="false_page"} 0.05' in text
    assert 'bound="estimate",rate="false_page"' not in text, "nothing is known of pages yet"
    assert "watcher_review_queue 0.0" in text


def test_the_later_verdict_counts_and_the_earlier_stays(deployment: Deployment) -> None:
    configure(deployment, "[review]\nsample_rate = 1\n")
    harmless(deployment, 1)
    reviews, now = deployment.store.reviews, deployment.clock.now()
    (item,) = reviews.queue()
    reviews.record(item.change_id, ReviewVerdict.MISSED, at=now, actor="mara")
    again = reviews.record(item.change_id, ReviewVerdict.RIGHT, at=now, actor="jo", note="looked")
    assert again.review is not None
    assert (again.review.actor, again.review.note) == ("jo", "looked")
    assert report(deployment.services).missed.rate == 0


def test_a_missed_one_found_outside_of_the_sample_makes_no_rate(deployment: Deployment) -> None:
    configure(deployment, "[review]\nsample_rate = 0\n")
    name = harmless(deployment, 1)
    (change,) = deployment.store.changes.list(name)
    now = deployment.clock.now()
    deployment.store.reviews.record(change.change_id, ReviewVerdict.MISSED, at=now, actor="mara")
    found = report(deployment.services)
    assert (found.missed.count, found.missed_outside) == (0, 1)


def test_a_verdict_must_fit_its_tier(deployment: Deployment) -> None:
    name = harmless(deployment, 1)
    (change,) = deployment.store.changes.list(name)
    now, reviews = deployment.clock.now(), deployment.store.reviews
    with pytest.raises(ReviewError, match="silent cannot be false-page"):
        reviews.record(change.change_id, ReviewVerdict.FALSE_PAGE, at=now, actor="a")
    with pytest.raises(UnknownChangeError):
        reviews.record("0" * 64, ReviewVerdict.RIGHT, at=now, actor="a")


def judged_as(bench: Bench, number: int, tier: Tier, score: float) -> str:
    """Store a change that was judged so; return its id."""
    commit = bench.commit(f"Text {number}.\n", day(number))
    assert commit.change_id is not None
    bears = ChangeClass.POLICY_BEARING
    components = (ScoreComponent("unproven", score),)
    judged = Classification(bears, tier, score, components, (), "", (), (), "none")
    bench.store.changes.save_classification(commit.change_id, judged, at=day(number))
    return commit.change_id


def test_a_threshold_is_proposed_from_verdicts_and_written_with_a_record(tmp_path: Path) -> None:
    config = tmp_path / "watcher.toml"
    (tmp_path / "documents").mkdir()
    config.write_text(f'data_dir = "{tmp_path}/var"  # here\n', encoding="utf-8")
    bench = bench_in(tmp_path / "var")
    bench.commit("Text 0.\n", day(0))
    pages = [judged_as(bench, n, Tier.PAGE, 0.8) for n in range(1, 21)]
    tickets = [judged_as(bench, n, Tier.TICKET, 0.6) for n in range(21, 31)]
    quiet = [judged_as(bench, n, Tier.TICKET, 0.4) for n in range(31, 41)]
    by_term = judged_as(bench, 41, Tier.PAGE, 0.1)
    services = Services(load(config), bench.store, ManualClock(), Metrics())
    with pytest.raises(UsageError, match="0 verdicts"):
        apply_threshold(services, config, calibrate(services), actor="mara")
    said = [(pages, ReviewVerdict.RIGHT), (tickets, ReviewVerdict.MISSED)]
    said += [(quiet, ReviewVerdict.RIGHT), ([by_term], ReviewVerdict.FALSE_PAGE)]
    for changes, verdict in said:
        for change in changes:
            bench.store.reviews.record(change, verdict, at=day(50), actor="mara")

    found = calibrate(services)
    assert found.verdicts == 40, "no score decided what was paged for a term"
    assert (found.present.value, found.present.missed) == (PAGE_SCORE, 10)
    assert found.proposed is not None
    assert (found.proposed.value, found.proposed.missed, found.proposed.false_pages) == (0.5, 0, 0)
    assert [item.change_id for item in found.becomes_page] == tickets
    assert found.becomes_ticket == ()

    assert config.read_text(encoding="utf-8").count("\n") == 1, "nothing is written unasked"
    apply_threshold(services, config, found, actor="mara")
    assert load(config).rules.page_threshold == 0.5
    assert "# here" in config.read_text(encoding="utf-8")
    act, *_ = bench.store.acts.list()
    assert (act.actor, act.act) == ("mara", "calibrate")
    assert act.subject == "rules.page_threshold 0.7 -> 0.5"
    bench.store.close()
