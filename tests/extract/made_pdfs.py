"""PDF files made for the tests: by reportlab, or operator by operator."""

from __future__ import annotations

import io
from collections.abc import Callable

from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]


def drawn(*pages: Draw, encrypt: str = "", title: str = "") -> bytes:
    """A PDF with one page for each function."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    if encrypt:
        canvas.setEncrypt(encrypt)
    if title:
        canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(*texts: str) -> Draw:
    def draw(canvas: Canvas) -> None:
        for number, text in enumerate(texts):
            canvas.drawString(72, 770 - 16 * number, text)

    return draw


def picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.new("L", (50, 70), 128)), 0, 0, *A4)


FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def raw(content: str | bytes, *, font: str = FONT, page: str = "", catalog: str = "",
        objects: tuple[str, ...] = (), resources: str = "") -> bytes:  # fmt: skip
    """A one-page PDF with `content`; more objects are numbered from 6."""
    stream = content if isinstance(content, bytes) else content.encode("latin-1")
    bodies = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R {page} "
        f"/Resources << /Font << /F1 5 0 R >> {resources} >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        font.encode("latin-1"),
        *(item.encode("latin-1") for item in objects),
    ]
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(bodies, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(
        b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, table)
    )
    return out.getvalue()
