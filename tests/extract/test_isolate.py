from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.extract.made_pdfs import drawn, lines, raw
from watcher.domain.reading import ExtractVerdict, MediaType
from watcher.extract import Limits, Options, Source, extract, extract_isolated, sandbox
from watcher.extract.isolate import measured

POLICY = drawn(lines("We keep data for 30 days."), lines("Page two"))
DEEP = b"<div>" * 200_000 + b"x"


def test_the_child_gives_what_this_process_gives() -> None:
    sources = [
        Source(POLICY),
        Source("<h1 id=a>T</h1><p>für <a href=/x>x</a>".encode("latin-1"), "text/html"),
        Source(b"# T\r\n", name="a.md"),
        Source(b"{\\rtf1"),
        Source(b"", "application/pdf"),
    ]
    for source in sources:
        ours = extract(source)
        theirs = replace(extract_isolated(source, Options(compare=False)), text=ours.text)
        assert theirs == ours
        assert extract_isolated(source).text.data == ours.text.data


def test_pdf_engines_are_compared_in_the_child_only() -> None:
    assert extract(Source(POLICY)).agreement is None
    assert extract_isolated(Source(POLICY)).agreement == 1.0
    assert "pypdfium2" not in sys.modules or "watcher.extract.pdfium_engine" in sys.modules


def test_cpu_time_is_bounded() -> None:
    reading, used = measured(Source(DEEP, "text/html"), limits=Limits(cpu_seconds=1))
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.FAILED, "cpu")
    assert reading.media_type is MediaType.HTML
    assert used.cpu_seconds < 3


def test_memory_is_bounded() -> None:
    markup = b"<p>" + b"<b>x</b>" * 900_000
    limits = Limits(memory_bytes=160 * 1024 * 1024)
    reading, used = measured(Source(markup, "text/html"), limits=limits)
    assert reading.verdict is ExtractVerdict.FAILED
    assert reading.problems[0].code in ("memory", "crash")
    assert used.peak_bytes <= limits.memory_bytes


def test_size_is_bounded_before_anything_is_read() -> None:
    reading = extract_isolated(Source(b"x" * 100, "text/plain"), limits=Limits(markup_bytes=99))
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.FAILED, "size")


def test_a_result_larger_than_its_bound_is_refused() -> None:
    reading = extract_isolated(Source(b"x" * 5000, "text/plain"), limits=Limits(result_bytes=2000))
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.FAILED, "crash")


def test_pages_earn_time() -> None:
    data = drawn(*[lines(*["many words on a line " * 4] * 40)] * 150)
    limits = Limits(cpu_seconds=1, page_cpu_seconds=0.5)
    assert extract_isolated(Source(data), Options(compare=False), limits).usable


def test_the_second_engine_reads_what_the_first_cannot() -> None:
    damaged = POLICY.replace(b"startxref", b"start_ref")
    alone = extract_isolated(Source(damaged), Options(pdf_engine="pypdf"))
    assert alone.verdict is ExtractVerdict.FAILED
    reading = extract_isolated(Source(damaged))
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert reading.rendition.engine == "pdfium"
    assert reading.problems[0].code == "retried"
    assert b"We keep data for 30 days." in reading.text.data


def test_a_crash_of_the_second_engine_costs_only_the_comparison() -> None:
    content = "BT /F1 10 Tf 50 700 Td (text) Tj ET " + "/X Do " * 2
    inner = "BT /F1 10 Tf 50 600 Td (x) Tj ET "

    def form(number: int) -> str:
        body = inner + (f"/X{number + 1} Do " * 2 if number < 24 else "")
        return (
            "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R "
            f">> /XObject << /X{number + 1} {number + 7} 0 R >> >> /Length {len(body)} >>\nstream\n"
            f"{body}\nendstream"
        )

    data = raw(
        content,
        resources="/XObject << /X 6 0 R >>",
        objects=tuple(form(number) for number in range(25)),
    )
    reading = extract_isolated(Source(data), limits=Limits(cpu_seconds=4))
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert reading.text.data.startswith(b"text\nx")
    assert "not_compared" in [problem.code for problem in reading.problems]


def test_many_threads_share_one_server() -> None:
    found: list[bytes] = []

    def work(number: int) -> None:
        source = Source(f"<p>{number}".encode(), "text/html")
        found.append(extract_isolated(source).text.data)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == sorted(f"{number}\n".encode() for number in range(12))


def test_a_killed_server_is_replaced() -> None:
    extract_isolated(Source(b"a", "text/plain"))
    server = sandbox._servers[0]
    os.kill(server._process.pid, signal.SIGKILL)
    server._process.wait(10)
    assert extract_isolated(Source(b"b", "text/plain")).text.data == b"b"
    assert sandbox._servers[0] is not server


def test_the_child_has_no_secret_no_file_no_network_and_no_process() -> None:
    extract_isolated(Source(b"a", "text/plain"))
    environment = Path(f"/proc/{sandbox._servers[0]._process.pid}/environ").read_bytes()
    assert {item.partition(b"=")[0] for item in environment.split(b"\0") if item} <= {
        b"PATH",
        b"LC_ALL",
        b"LC_CTYPE",
    }
    script = (
        "import socket, os\n"
        "from watcher.extract.worker import _Budget\n"
        "from watcher.extract.model import Limits\n"
        "_Budget(Limits()).apply()\n"
        "for attempt in (lambda: open('/etc/hostname'), socket.socket, os.pipe):\n"
        "    try: attempt()\n"
        "    except OSError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["refused"] * 3


def test_the_server_ends_with_its_owner() -> None:
    script = (
        "from watcher.extract import Source, extract_isolated, sandbox\n"
        "extract_isolated(Source(b'a', 'text/plain'))\n"
        "print(sandbox._servers[0]._process.pid, flush=True)\n"
        "import os; os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    server = int(done.stdout)
    gone = threading.Event()
    for _ in range(200):
        if not Path(f"/proc/{server}").exists() or _is_zombie(server):
            return
        gone.wait(0.05)
    pytest.fail("the server outlived its owner")


def _is_zombie(process: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True


@pytest.mark.shared
def test_hostile_files_cost_little_and_crash_nothing(shared_data: Path) -> None:
    for path in sorted((shared_data / "extract" / "bombs").glob("*.pdf")):
        reading, used = measured(Source(path.read_bytes(), name=path.name))
        assert used.cpu_seconds <= 15, path.name
        assert used.peak_bytes <= 512 * 1024 * 1024, path.name
        assert reading.usable == (reading.verdict in ("ok", "partial") and bool(reading.text.data))


@pytest.mark.shared
def test_the_sandbox_changes_no_text(shared_data: Path) -> None:
    paths = sorted((shared_data / "extract" / "pdf" / "structural").glob("*.pdf"))[::6]
    for path in paths:
        source = Source(path.read_bytes(), name=path.name)
        options = Options(pdf_engine="pypdf", compare=False)
        ours, theirs = extract(source, options), extract_isolated(source, options)
        assert replace(theirs, text=ours.text) == ours, path.name
        assert theirs.text.data == ours.text.data, path.name
