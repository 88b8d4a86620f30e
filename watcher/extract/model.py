"""What an extraction takes: the source, what is asked of it, what it may use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

PdfEngine = Literal["auto", "pypdf", "pdfium"]

MIB = 1024 * 1024

HAS_PDFIUM = find_spec("pypdfium2") is not None
"""Whether the optional second PDF engine is installed; asked once, before any sandbox."""


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes to read, and what their sender said of them.

    `media_type` and `charset` are the declared ones (a Content-Type header may
    be given whole as `media_type`); `name` is a file name or the last part of
    a URL. Both only help where the bytes themselves do not tell.
    """

    data: bytes
    media_type: str | None = None
    charset: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How to read; everything here is part of the rendition.

    `pdf_engine`: "auto" reads with pypdf and, only where that fails, once with
    pdfium; "pypdf" and "pdfium" read with that engine or fail. `select` and
    `remove` are CSS selectors for HTML: only what a `select` matches is read
    (all of it without any), nothing that a `remove` matches. `compare` reads a PDF with
    the second engine too, to say how far they agree; it changes no text. `ocr`
    names the languages in which pages of a PDF without a text layer are read
    from their images (empty: they are not); only `extract_isolated` does that.
    """

    pdf_engine: PdfEngine = "auto"
    select: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    compare: bool = True
    ocr: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one extraction may use; beyond it the reading fails with that name.

    CPU time decides, because it is nearly the same on every run; `wall_seconds`
    only ends a process that waits for nothing. A PDF earns `page_cpu_seconds`
    for each page it gives, so that an honest thousand pages are read, up to
    `ceiling_cpu_seconds`. `memory_bytes` bounds the address space.
    """

    cpu_seconds: float = 14.0
    page_cpu_seconds: float = 0.08
    ceiling_cpu_seconds: float = 120.0
    wall_seconds: float = 300.0
    memory_bytes: int = 512 * MIB
    source_bytes: int = 128 * MIB
    markup_bytes: int = 8 * MIB
    result_bytes: int = 64 * MIB
