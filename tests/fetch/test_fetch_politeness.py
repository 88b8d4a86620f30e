"""How often hosts are asked, on a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fetch.fetching import LIMITS, SETTINGS, fetch, fetch_all, request
from tests.fetch.scenario_server import Reply, ScenarioServer, Seen
from watcher.domain.verdicts import Refusal
from watcher.fetch import AnswerKind, Backoff, Fetcher, first_delay, next_delay
from watcher.fetch.model import DeferredError
from watcher.fetch.politeness import Hosts, retry_after
from watcher.fetch.robots import RobotsCache, rules_from

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC).timestamp()


class HandClock:
    """Stands still; sleeping moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return NOW + self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)

    def random(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sun, 01 Mar 2026 12:02:00 GMT", 120.0),
        ("Sunday, 01-Mar-26 12:02:00 GMT", 120.0),
        ("Sun Mar  1 12:02:00 2026", 120.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("999999999999999999999", 86_400.0),
        ("Sun, 01 Mar 2226 12:02:00 GMT", 86_400.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("١٢٠", None),
    ],
)
def test_retry_after_is_read_and_capped(value: str, seconds: float | None) -> None:
    assert retry_after(value, NOW, 86_400.0) == seconds


@given(
    st.floats(60, 1e6), st.integers(0, 10_000), st.floats(0, 0.999), st.none() | st.floats(0, 1e5)
)
@settings(deadline=None, max_examples=300)
def test_the_next_delay_is_bounded(
    interval: float, failures: int, unit: float, asked: float | None
) -> None:
    backoff = Backoff(first=60.0, ceiling=21_600.0, jitter=0.1)
    delay = next_delay(interval, failures=failures, unit=unit, retry_after=asked, backoff=backoff)
    highest = max(interval, 21_600.0 if failures else 0.0, asked or 0.0) * 1.1
    assert (asked or 0.0) <= delay <= highest
    if not asked and failures == 0:
        assert 0.9 * interval <= delay <= 1.1 * interval


def test_the_delay_grows_with_failures_and_its_middle_does_not_drift() -> None:
    delays = [next_delay(3600, failures=n, unit=0.5) for n in range(1, 12)]
    assert delays == sorted(delays)
    assert delays[:3] == [60.0, 120.0, 240.0]
    assert delays[-1] == 21_600.0
    assert next_delay(3600, failures=0, unit=0.5) == 3600.0


def test_overdue_documents_are_spread() -> None:
    delays = [first_delay(3600.0, 10_000.0, n / 100) for n in range(100)]
    assert 0 == min(delays) < max(delays) <= 300.0
    assert first_delay(3600.0, -50.0, 0.9) == 50.0


# --- hosts ------------------------------------------------------------------------


def with_hosts(work: Callable[[Hosts, HandClock], Awaitable[None]], **changes: object) -> HandClock:
    clock = HandClock()
    given = replace(SETTINGS, **({"spacing": 2.0, "spacing_jitter": 0.5} | changes))  # type: ignore[arg-type]

    async def run() -> None:
        await work(Hosts(given, clock), clock)

    asyncio.run(run())
    return clock


def test_requests_to_one_host_are_spaced_and_others_are_not() -> None:
    starts: dict[str, list[float]] = {"a": [], "b": []}

    async def work(hosts: Hosts, clock: HandClock) -> None:
        for key in ("a", "b", "a", "a"):
            async with hosts.turn(key):
                starts[key].append(clock.now)

    with_hosts(work)
    assert starts["b"] == [1000.0]
    assert starts["a"] == [1000.0, 1002.5, 1005.0]


def test_no_more_than_the_limit_are_inside_one_host() -> None:
    inside, most = 0, 0

    async def one(hosts: Hosts) -> None:
        nonlocal inside, most
        async with hosts.turn("a"):
            inside += 1
            most = max(most, inside)
            for _ in range(5):
                await asyncio.sleep(0)
            inside -= 1

    async def work(hosts: Hosts, _clock: HandClock) -> None:
        await asyncio.gather(*(one(hosts) for _ in range(20)))

    with_hosts(work, spacing=0.0, per_host=3)
    assert most == 3


def test_a_wait_that_is_too_long_is_deferred() -> None:
    async def work(hosts: Hosts, clock: HandClock) -> None:
        hosts.hold("a", 500.0, "it said so")
        with pytest.raises(DeferredError) as deferred:
            async with hosts.turn("a"):
                pass
        assert deferred.value.wait == 500.0
        assert "it said so" in deferred.value.why
        hosts.hold("a", 5.0, "shorter")
        clock.now += 499
        with pytest.raises(DeferredError):
            async with hosts.turn("a"):
                pass
        clock.now += 2
        async with hosts.turn("a"):
            pass

    with_hosts(work)


def test_the_circuit_opens_and_opens_longer_and_closes() -> None:
    async def work(hosts: Hosts, clock: HandClock) -> None:
        for _ in range(2):
            hosts.failed("a")
            async with hosts.turn("a"):
                pass
        hosts.failed("a")
        for expected in (60.0, 120.0, 240.0):
            with pytest.raises(DeferredError) as deferred:
                async with hosts.turn("a"):
                    pass
            assert deferred.value.wait == expected
            clock.now += expected + 0.01
            async with hosts.turn("a"):
                pass
            hosts.failed("a")
        hosts.reached("a")
        clock.now += 10_000
        hosts.failed("a")
        async with hosts.turn("a"):
            pass

    with_hosts(work, spacing=0.0, breaker_failures=3)


def test_a_cancelled_turn_gives_its_slots_back() -> None:
    async def work(hosts: Hosts, _clock: HandClock) -> None:
        entered = asyncio.Event()

        async def hang() -> None:
            async with hosts.turn("a"):
                entered.set()
                await asyncio.Event().wait()

        for _ in range(4):
            entered.clear()
            task = asyncio.create_task(hang())
            await entered.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(5), hosts.turn("a"):
            pass

    with_hosts(work, spacing=0.0, per_host=1, concurrency=1)


# --- with a server ------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_holds_the_whole_host(server: ScenarioServer, status: int) -> None:
    busy = server.play("/busy", Reply(status=status, headers=(("Retry-After", "120"),)))
    free = server.play("/free", Reply(body=b"fine"))
    first, second = fetch_all(request(busy), request(free, document_id="other"))
    assert first.refusal is Refusal.HTTP_ERROR
    assert first.retry_after == 120.0
    assert second.kind is AnswerKind.DEFERRED
    assert second.verdict is None
    assert second.retry_after == pytest.approx(120.0, abs=5.0)
    assert server.asked("/free") == []


def test_a_tarpit_delays_no_other_host(server: ScenarioServer) -> None:
    url = server.play("/p", Reply(body=b"fine"))

    async def run() -> bytes:
        with ScenarioServer() as tarpit:
            slow = tarpit.play("/p", Reply(body=b"never", delay=3600))
            small = replace(SETTINGS, concurrency=4, per_host=2)
            async with Fetcher(small) as fetcher:
                stuck = [asyncio.create_task(fetcher.fetch(request(slow))) for _ in range(50)]
                while len(tarpit.asked("/p")) < 2:  # noqa: ASYNC110 - another thread's list
                    await asyncio.sleep(0.01)
                async with asyncio.timeout(8):
                    answer = await fetcher.fetch(request(url))
                assert not any(task.done() for task in stuck)
                for task in stuck:
                    task.cancel()
                await asyncio.gather(*stuck, return_exceptions=True)
            return answer.body

    assert asyncio.run(run()) == b"fine"


def test_an_unreachable_host_opens_its_circuit() -> None:
    careful = replace(SETTINGS, breaker_failures=2)
    one = request("http://127.0.0.1:9/", limits=replace(LIMITS, connect=1.0))
    answers = fetch_all(one, one, one, settings=careful)
    assert [a.refusal for a in answers[:2]] == [Refusal.NETWORK_ERROR] * 2
    assert answers[2].kind is AnswerKind.DEFERRED


def test_a_hiccup_is_asked_again_within_the_check(server: ScenarioServer) -> None:
    url = server.play("/p", Reply(raw=b""), Reply(body=b"fine"))
    assert fetch(url).body == b"fine"
    assert len(server.asked("/p")) == 2


# --- robots.txt -----------------------------------------------------------------------


def robots(server: ScenarioServer, reply: Reply | Callable[[Seen], Reply]) -> None:
    server.play("/robots.txt", reply)
    server.play("/policy", Reply(body=b"fine"))
    server.play("/private/policy", Reply(body=b"fine"))


RULES = b"User-agent: *\nDisallow: /private/\n\nUser-agent: otherbot\nDisallow: /\n"


def test_robots_txt_is_honoured_and_read_once(server: ScenarioServer) -> None:
    robots(server, Reply(body=RULES, content_type="text/plain"))
    allowed, denied, again = fetch_all(
        *(
            request(server.url(path), robots_override="")
            for path in ("/policy", "/private/policy", "/policy")
        )
    )
    assert allowed.body == again.body == b"fine"
    assert denied.refusal is Refusal.ROBOTS_DENIED
    assert server.asked("/private/policy") == []
    assert len(server.asked("/robots.txt")) == 1


def test_robots_txt_can_be_overridden_with_a_reason(server: ScenarioServer) -> None:
    robots(server, Reply(body=RULES, content_type="text/plain"))
    answer = fetch(server.url("/private/policy"), robots_override="agreed by mail on 3 March")
    assert answer.body == b"fine"
    assert server.asked("/robots.txt") == []


@pytest.mark.parametrize(
    ("reply", "allowed"),
    [
        (Reply(status=404), True),
        (Reply(status=403), True),
        (Reply(status=500), False),
        (Reply(status=429), False),
        (Reply(body=b"<html>Not a robots file</html>"), True),
        (Reply(body=b"\xef\xbb\xbfUser-agent: policy-watcher\nDisallow: /policy"), False),
        (Reply(body=b"User-agent: Policy-Watcher\nDisallow: /policy"), False),
        (Reply(body=b"\xff\xfe\x00garbage\x00" * 50), True),
        (Reply(body=b"x" * 3_000_000), False),
        (Reply(status=302, headers=(("Location", "/robots.txt"),)), True),
    ],
    ids=[
        "404", "403", "500", "429", "html", "named with BOM", "named", "garbage", "huge", "loop",
    ],
)  # fmt: skip
def test_odd_robots_files(server: ScenarioServer, reply: Reply, allowed: bool) -> None:
    robots(server, reply)
    answer = fetch(server.url("/policy"), robots_override="")
    assert (answer.kind is AnswerKind.BODY) is allowed, answer


def test_a_crawl_delay_becomes_the_spacing() -> None:
    rules = rules_from(200, b"User-agent: *\nCrawl-delay: 7\n")
    assert rules.crawl_delay == 7.0
    assert rules_from(404, b"").crawl_delay == 0.0


def test_rules_once_read_survive_an_unreachable_robots_txt() -> None:
    clock = HandClock()
    cache = RobotsCache(clock)
    good = cache.put("o", rules_from(200, RULES))
    clock.now += 90_000
    assert cache.get("o") is None
    assert cache.put("o", rules_from(503, b"")) is good
    assert cache.get("o") is good
    clock.now += 700
    assert cache.get("o") is None
