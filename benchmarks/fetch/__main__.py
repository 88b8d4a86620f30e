"""Measure the fetch room: `python -m benchmarks.fetch`.

CPU seconds of this process are the figure; the origin runs in another one.
Prints a table, then one JSON object per figure and line.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.fetch.origin import ETAG, PAGE
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


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure; `holds` is None where it was not judged."""

    figure: str
    value: float
    unit: str
    target: str
    holds: bool | None


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
        facts = AnswerFacts(url, url, "text/html", text, page=page_facts(PAGE), baseline=baseline)
        assert judge(facts).reason is None
    return (time.process_time() - started) / rounds


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def resident() -> float:
    """Return the resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


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
        Figure("CPU per 304", round(not_modified, 3), "ms", "<= 3.3", not_modified <= 3.3),
        Figure("CPU per 200 of 27 KB, fetched", round(full, 3), "ms", "<= 8", full <= 8),
        Figure("CPU to judge a changed 27 KB page", round(judged, 2), "ms", "<= 15", judged <= 15),
        Figure("descriptors at 10,000 documents", most, "open", "<= 64", most <= 64),
        Figure("resident after 20,000 checks", round(memory, 1), "MB", "<= 200", memory <= 200),
        Figure("growth over the second 10,000", round(growth, 1), "%", "<= 5", growth <= 5),
        Figure("slowdown beside a tarpit host", round(slowdown, 2), "times", "<= 2", slowdown <= 2),
    ]


def main() -> None:
    """Print the table, then the figures."""
    figures = measure()
    for one in figures:
        print(f"{one.figure:36} {one.value:>10} {one.unit:6} {one.target:8} {one.holds}")
    for one in figures:
        print(json.dumps(asdict(one)))


if __name__ == "__main__":
    main()
