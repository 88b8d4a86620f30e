"""`make bench-web`: the API over HTTP on a document of 1 MB: the server's CPU, and the wall."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, at_least, at_most, show, told

CITED = 2000
SINGLE = 3000
BATCHES = 10
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Service:
    """A running service: its process, and one connection to it."""

    process: int
    http: http.client.HTTPConnection

    def cpu(self) -> float:
        """Return the CPU seconds that the service has used."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Return the JSON of one answer."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"} if data else {}
        self.http.request(method, path, data, headers)
        answer = self.http.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {said[:200]!r}")
        return dict(json.loads(said))


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """Start the service, and end it."""
    command = [sys.executable, "-m", "benchmarks.web.server", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        host, _, port = address.rpartition(":")
        yield Service(process.pid, http.client.HTTPConnection(host, int(port), timeout=60))


def measure(service: Service) -> list[Figure]:
    """Emit in batches, resolve one by one and in batches."""
    pages = service.ask("GET", "/api/v1/documents/large/versions/current/chunks?limit=1000")
    starts = [chunk["start"] for chunk in pages["items"]]
    ranges = [[starts[n % len(starts)] + 1 + n // len(starts), 0] for n in range(CITED)]
    items = [
        {
            "document_id": "large",
            "answer_id": f"answer-{n}",
            "ranges": [[start, start + 120 + n % 7]],
        }
        for n, (start, _) in enumerate(ranges)
    ]
    figures, ids = [], []
    begun, cpu = time.perf_counter(), service.cpu()
    for n in range(0, CITED, 1000):
        answer = service.ask("POST", "/api/v1/citations/batch", {"items": items[n : n + 1000]})
        ids += [i["emission"]["citation_id"] for i in answer["items"] if "emission" in i]
    wall, used = time.perf_counter() - begun, service.cpu() - cpu
    figures.append(at_least("emitted in batches, durable, by CPU", len(ids) / used, "1/s", 2000))
    figures.append(told("emitted in batches, durable, by the wall", len(ids) / wall, "1/s"))
    times = []
    for name in ids[:50]:
        service.ask("GET", f"/api/v1/citations/{name}")
    cpu = service.cpu()
    for n in range(SINGLE):
        begun = time.perf_counter()
        service.ask("GET", f"/api/v1/citations/{ids[n % len(ids)]}")
        times.append(time.perf_counter() - begun)
    used = service.cpu() - cpu
    times.sort()
    figures.append(at_least("resolved one by one, by CPU", SINGLE / used, "1/s", 1000))
    figures.append(told("resolve, median, by the wall", times[len(times) // 2] * 1000, "ms"))
    p99 = times[int(len(times) * 0.99)] * 1000
    figures.append(at_most("resolve, 99th percentile, by the wall", p99, "ms", 5))
    begun, cpu = time.perf_counter(), service.cpu()
    for _ in range(BATCHES):
        answer = service.ask("POST", "/api/v1/citations/resolve", {"items": ids[:1000]})
        assert all("resolution" in item for item in answer["items"])
    wall, used = time.perf_counter() - begun, service.cpu() - cpu
    resolved = BATCHES * min(1000, len(ids))
    figures.append(at_least("resolved in batches, by CPU", resolved / used, "1/s", 20_000))
    figures.append(told("resolved in batches, by the wall", resolved / wall, "1/s"))
    figures.append(told("citations", len(ids), ""))
    return figures


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as running:
        figures = measure(running)
        running.http.close()
    show(figures)


if __name__ == "__main__":
    main()
