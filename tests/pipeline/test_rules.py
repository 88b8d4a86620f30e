"""The owner's rules: what they silence and raise, for how long, and that it stays explainable."""

from __future__ import annotations

from datetime import date

import pytest
from prometheus_client import generate_latest

from tests.pipeline.deployment import Deployment, html
from watcher.domain.changes import ChangeClass, Classification, Tier
from watcher.domain.ids import DocumentId
from watcher.pipeline.explain import explain
from watcher.pipeline.judging import judge_versions, readings_of
from watcher.pipeline.reminding import pattern_lines, remind
from watcher.pipeline.ruling import read_rules, rules_for
from watcher.pipeline.services import Services
from watcher.store.rows import AlertKind, AlertState

KEPT = "We keep access logs for 30 days and then delete them."
IGNORE = """[[document.rules.ignore]]
name = "handle"
pattern = '(?i)ref\\.? ?[a-z0-9-]+'
expires = 2026-05-31
allow_lowering = {lowering}
"""


def watch(deployment: Deployment, name: str, rules: str = "") -> DocumentId:
    return deployment.watch(name, html(KEPT), rules)


def handled(handle: str, kept: str = KEPT) -> str:
    return f"{kept} The process is described under ref {handle} of the register."


def change(deployment: Deployment, name: DocumentId, *texts: str) -> Classification:
    """Check with each text; return the stored judgement on the last change."""
    for text in texts:
        deployment.check(name, html(text))
        deployment.clock.pass_time(minutes=5)
    newest = deployment.store.changes.list(name, limit=1)[0]
    judged = deployment.store.changes.classification(newest.change_id)
    assert judged is not None
    return judged


def metric(services: Services, name: str) -> float:
    lines = generate_latest(services.metrics.registry).decode().splitlines()
    return float(next(line.rsplit(" ", 1)[1] for line in lines if line.startswith(name)))


def words_of_latest(deployment: Deployment, name: DocumentId) -> Classification:
    """Return the latest judgement as a process that has just started explains it."""
    services = Services(
        deployment.services.settings,
        deployment.store,
        deployment.clock,
        deployment.services.metrics,
    )
    return explain(services, deployment.store.changes.list(name, limit=1)[0])[0]


def test_a_pattern_silences_what_it_covers_and_is_counted(deployment: Deployment) -> None:
    name = watch(deployment, "policy", IGNORE.format(lowering="true"))
    judged = change(deployment, name, handled("ab-7781"), handled("cd-1190"))
    assert judged.tier is Tier.SILENT
    assert [atom.rule for atom in judged.atoms] == ["ignored:handle"]
    assert metric(deployment.services, 'watcher_ignored_matches_total{pattern="handle"}') == 1


def test_a_pattern_covers_no_other_difference(deployment: Deployment) -> None:
    name = watch(deployment, "policy", IGNORE.format(lowering="true"))
    worse = handled("cd-1190", KEPT.replace("30", "90"))
    judged = change(deployment, name, handled("ab-7781"), worse)
    assert judged.change_class is ChangeClass.POLICY_BEARING


def test_a_quantity_is_lowered_only_by_an_explicit_flag(deployment: Deployment) -> None:
    rule = IGNORE.replace("(?i)ref\\.? ?[a-z0-9-]+", "for [0-9]+ days")
    texts = (KEPT, KEPT.replace("30", "90"))
    guarded = watch(deployment, "guarded", rule.format(lowering="false"))
    assert change(deployment, guarded, *texts).change_class is ChangeClass.POLICY_BEARING
    lowered = watch(deployment, "lowered", rule.format(lowering="true"))
    assert change(deployment, lowered, *texts).tier is Tier.SILENT


def test_an_expired_pattern_silences_nothing_and_is_told(deployment: Deployment) -> None:
    name = watch(deployment, "policy", IGNORE.format(lowering="true"))
    deployment.check(name, html(handled("ab-7781")))
    remind(deployment.services)
    assert deployment.store.outbox.list(document_id=name) == ()
    deployment.clock.pass_time(days=10)
    remind(deployment.services)
    remind(deployment.services)
    (told,) = deployment.store.outbox.list(AlertState.PENDING, document_id=name)
    assert (told.kind, told.reason) == (AlertKind.RULE_EXPIRES, "handle")
    deployment.deliver()
    assert "handle" in str(deployment.receiver.bodies[-1])
    assert metric(deployment.services, 'watcher_ignore_patterns{state="expiring"}') == 1

    deployment.clock.pass_time(days=10)
    remind(deployment.services)
    assert metric(deployment.services, 'watcher_ignore_patterns{state="expired"}') == 1
    (line,) = pattern_lines(deployment.services.settings, date(2026, 6, 1))
    assert "'handle' of policy ended on 2026-05-31" in line
    judged = change(deployment, name, handled("cd-1190"))
    assert judged.tier is not Tier.SILENT


def test_terms_and_threshold_raise(deployment: Deployment) -> None:
    texts = ("Our partners get reports on request.", "Our partners get short reports on request.")
    plain = change(deployment, watch(deployment, "plain"), *texts)
    assert plain.tier is Tier.TICKET
    term = watch(deployment, "term", '[document.rules]\nalways_page = ["Reports"]\n')
    assert change(deployment, term, *texts).tier is Tier.PAGE
    eager = watch(deployment, "eager", f"[document.rules]\npage_threshold = {plain.score}\n")
    assert change(deployment, eager, *texts).tier is Tier.PAGE


def test_rules_of_the_service_hold_for_every_document(deployment: Deployment) -> None:
    with deployment.config.open("a", encoding="utf-8") as service:
        service.write('\n[rules]\nalways_page = ["reports"]\npage_threshold = 0.9\n')
    name = watch(deployment, "policy", "[document.rules]\npage_threshold = 0.8\n")
    rules = rules_for(deployment.services, name)
    assert rules.user.always_page == ("reports",)
    assert rules.thresholds.page == 0.8
    assert read_rules(rules.body) == rules


def test_a_judgement_is_explained_under_the_rules_it_was_made_under(
    deployment: Deployment,
) -> None:
    name = watch(deployment, "policy", IGNORE.format(lowering="true"))
    judged = change(deployment, name, handled("ab-7781"), handled("cd-1190"))
    digest = rules_for(deployment.services, name).digest
    assert judged.rules == digest
    before = words_of_latest(deployment, name)
    watch(deployment, "policy", "[document.rules]\nalways_page = ['register']\n")
    assert rules_for(deployment.services, name).digest != digest
    after = words_of_latest(deployment, name)
    assert after == before
    assert after.explanation


def test_no_rules_leave_no_trace(deployment: Deployment) -> None:
    name = watch(deployment, "policy")
    assert change(deployment, name, KEPT, KEPT.replace("30", "90")).rules == ""


@pytest.mark.parametrize("days", [0, 5])
def test_the_same_rules_have_the_same_digest_every_day(deployment: Deployment, days: int) -> None:
    name = watch(deployment, "policy", IGNORE.format(lowering="true"))
    first = rules_for(deployment.services, name).digest
    deployment.clock.pass_time(days=days)
    assert rules_for(deployment.services, name).digest == first


def test_any_two_versions_are_judged_with_the_headings_of_their_readings(
    deployment: Deployment,
) -> None:
    name = watch(deployment, "policy")
    page = "<h2>Access logs</h2><p>We keep them for {} days and then delete them.</p>"
    for days in (30, 90):
        deployment.check(name, html(page.format(days)))
        deployment.clock.pass_time(minutes=5)
    versions = [v.version for v in deployment.store.versions.list(name)]
    old, new = versions[-2], versions[-1]
    readings = readings_of(deployment.services, name, (old, new))
    assert readings is not None
    before, after = (deployment.store.versions.text(name, version) for version in (old, new))
    judged = judge_versions(deployment.services, name, before, after, readings)
    assert judged.headline.startswith("Access logs: the period")
