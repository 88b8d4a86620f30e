"""Measure the fetch room: `python -m benchmarks.fetch`.

CPU seconds of this process are the figure; the origin runs in another one.
Prints a table, then one JSON object per figure and line.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial

from benchmarks.fetch.origin import ETAG, PAGE
from benchmarks.figures import Figure, at_most, show
from benchmarks.usage import descriptors, resident
from watcher.extract.model import Options, Source
from watcher.extract.read import extract
from watcher.fetch import (
    AnswerFacts,
    AnswerKind,
    Baseline,
    Fetcher,
    FetchSettings,
    Limits,
    Request,
    Validators,
    judge,
    page_facts,
)

SETTINGS = FetchSettings(contact="mailto:benchmark@example.org", spacing=0.0, max_wait=600.0)
HOSTS = 250
DOCUMENTS = 10_000


@contextmanager
def origin() -> Iterator[int]:
    """Run the origin; yields its port."""
    command = [sys.executable, "-m", "benchmarks.fetch.origin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        assert process.stdin is not None
        process.stdin.close()


def request(port: int, number: int, *, known: bool) -> Request:
    """Return a check of document `number`, spread over loopback hosts."""
    host = number % HOSTS
    url = f"http://127.0.{host // 250}.{host % 250 + 1}:{port}/doc/{number}"
    return Request(
        document_id=f"doc-{number}",
        url=url,
        validators=Validators(url, ETAG) if known else None,
        allowed_networks=("127.0.0.0/8",),
        robots_override="a benchmark",
    )


async def checks(port: int, count: int, *, known: bool) -> tuple[float, int]:
    """Make `count` checks, 32 at a time; return CPU seconds a check and the most descriptors."""
    wanted = AnswerKind.NOT_MODIFIED if known else AnswerKind.BODY
    most = 0
    async with Fetcher(SETTINGS) as fetcher:
        await fetcher.fetch(request(port, 0, known=known))
        numbers = iter(range(count))

        async def worker() -> None:
            nonlocal most
            for number in numbers:
                answer = await fetcher.fetch(request(port, number, known=known))
                assert answer.kind is wanted, answer
                if number % 50 == 0:
                    most = max(most, descriptors())

        started = time.process_time()
        await asyncio.gather(*(worker() for _ in range(32)))
        return (time.process_time() - started) / count, most


async def beside_a_tarpit(port: int) -> tuple[float, float]:
    """Return the wall seconds of 200 checks alone, and beside 500 stuck on one host."""
    async with Fetcher(SETTINGS) as fetcher:

        async def timed() -> float:
            started = time.perf_counter()
            for number in range(200):
                await fetcher.fetch(request(port, number, known=True))
            return time.perf_counter() - started

        alone = await timed()
        slow = Request(
            document_id="slow",
            url=f"http://127.9.9.9:{port}/slow",
            allowed_networks=("127.0.0.0/8",),
            robots_override="a benchmark",
            limits=Limits(total=600, header=600, idle=600),
        )
        stuck = [asyncio.create_task(fetcher.fetch(slow)) for _ in range(500)]
        await asyncio.sleep(0.5)
        beside = await timed()
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
    return alone, beside


def judging() -> float:
    """Return the CPU seconds of page facts and verdict for one changed 27 KB page."""
    reading = extract(Source(PAGE, "text/html; charset=utf-8"), Options())
    text = reading.text.data.decode()
    url = "https://example.org/policy"
    baseline = Baseline(text.replace("30 days", "60 days"), "text/html", url)
    rounds = 20
    started = time.process_time()
    for _ in range(rounds):
        facts = AnswerFacts(
            url, url, "text/html", text, page=cache(partial(page_facts, PAGE)), baseline=baseline
        )
        assert judge(facts).reason is None
    return (time.process_time() - started) / rounds


def measure() -> list[Figure]:
    """Return every figure."""
    with origin() as port:
        unchanged, opened = asyncio.run(checks(port, DOCUMENTS, known=True))
        after_one = resident()
        again, more = asyncio.run(checks(port, DOCUMENTS, known=True))
        after_two = resident()
        whole, _ = asyncio.run(checks(port, 2_000, known=False))
        alone, beside = asyncio.run(beside_a_tarpit(port))
    not_modified = min(unchanged, again) * 1e3
    growth = 100 * (after_two - after_one) / after_one
    judged, full, memory = judging() * 1e3, whole * 1e3, after_two
    most = max(opened, more)
    slowdown = beside / alone
    return [
        at_most("CPU per 304, fetched", not_modified, "ms", 3.3),
        at_most("CPU per 200 of 27 KB, fetched", full, "ms", 8),
        at_most("CPU to judge a changed 27 KB page", judged, "ms", 15),
        at_most("descriptors at 10,000 documents", most, "open", 64),
        at_most("resident after 20,000 checks", memory, "MB", 200),
        at_most("growth over the second 10,000", growth, "%", 5),
        at_most("slowdown beside a tarpit host", slowdown, "times", 2),
    ]


def main() -> None:
    """Measure and print."""
    show(measure())


if __name__ == "__main__":
    main()
