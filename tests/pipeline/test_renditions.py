"""Our own recipe is never the publisher's change; a person's word outranks the machine's."""

from __future__ import annotations

import asyncio

import pytest

from tests.extract.made_pdfs import raw
from tests.extract.test_pdf import COMPOSITE
from tests.pipeline.deployment import Deployment, html
from watcher.demo.site import HISTORIES, Page
from watcher.domain.changes import Cause
from watcher.domain.ranges import Range
from watcher.domain.statements import Status
from watcher.domain.verdicts import Outcome
from watcher.errors import UsageError
from watcher.pipeline.anchoring import anchor_all, confirm
from watcher.pipeline.citing import resolve
from watcher.pipeline.picturing import picture_of, place_of
from watcher.pipeline.rerendering import rerender

DPA = HISTORIES / "basecamp-dpa" / "001.pdf"
QUOTE = "This Data Processing Addendum (“DPA”) forms part of the Terms of Service"
FIRST = (
    "Access logs are kept for 30 days and then deleted from every system that we run.",
    "Exceptions need the written approval of the data protection officer of the company.",
)


def test_another_engine_is_told_to_nobody_and_citations_cross(deployment: Deployment) -> None:
    name = deployment.watch("dpa", Page(DPA.read_bytes(), "application/pdf"), "confirm = false")
    deployment.check(name)
    cited = deployment.cite(name, QUOTE)
    assert asyncio.run(rerender(deployment.services, name, None)) is None, "the same recipe"
    commit = asyncio.run(rerender(deployment.services, name, "pdfium"))
    assert commit is not None
    current = deployment.store.versions.current(name)
    assert current is not None
    assert current.rendition.engine == "pdfium"
    assert commit.change_id is not None
    assert deployment.store.changes.get(commit.change_id).cause is Cause.RENDITION
    assert deployment.store.outbox.list() == ()
    (statement,) = deployment.store.citations.statements(cited.citation.citation_id)
    assert statement.statement.carries, statement
    new = deployment.store.versions.text(name, current.version)
    found = b"".join(new.data[r.start : r.end] for r in statement.statement.ranges).decode()
    assert "".join(found.split()) == "".join(QUOTE.split())
    # The next check reads with the pinned engine, and there is no change of the publisher's.
    deployment.clock.pass_time(hours=6)
    assert deployment.check(name, full=True).verdict.outcome is Outcome.SAME_BYTES  # type: ignore[union-attr]
    assert resolve(deployment.services, cited.citation.citation_id).passages[0].decode() == QUOTE


def test_new_rules_are_ours_and_the_next_change_is_the_publishers(deployment: Deployment) -> None:
    name = deployment.watch("p", html(*FIRST), "confirm = false")
    deployment.check(name)
    deployment.watch("p", html(*FIRST), "confirm = false", 'remove = ["h1"]')
    deployment.check(name, html(FIRST[0].replace("30", "90"), FIRST[1]))
    changes = deployment.store.changes.list(name)
    assert [change.cause for change in changes] == [Cause.PUBLISHER, Cause.RENDITION]
    told = [alert.change_id for alert in deployment.store.outbox.list()]
    assert told == [changes[0].change_id]


def test_a_passage_of_a_pdf_is_drawn_on_its_page(deployment: Deployment) -> None:
    name = deployment.watch("dpa", Page(DPA.read_bytes(), "application/pdf"))
    deployment.check(name)
    citation = deployment.cite(name, QUOTE).citation
    place = place_of(deployment.services, citation)
    assert {rect.page for rect in place.rects} == {citation.segments[0].page}
    assert place.coverage >= 0.99
    assert picture_of(deployment.services, citation).startswith(b"\x89PNG")
    other = deployment.watch("p", html(*FIRST))
    deployment.check(other)
    with pytest.raises(UsageError, match="only a PDF"):
        picture_of(deployment.services, deployment.cite(other, FIRST[1], "b").citation)


def test_a_person_outranks_the_machine_and_both_stay(deployment: Deployment) -> None:
    name = deployment.watch("p", html(*FIRST), "confirm = false")
    deployment.check(name)
    cited = deployment.cite(name, FIRST[0]).citation
    deployment.check(name, html(FIRST[1], "Log files live for a quarter of a year, then they go."))
    current = deployment.store.versions.current(name)
    assert current is not None
    text = deployment.store.versions.text(name, current.version)
    start = text.data.index(b"Log files")
    end = text.data.index(b"go.") + 3
    ours = deployment.store.citations.statements(cited.citation_id)[-1].statement
    stated = confirm(
        deployment.services, cited.citation_id, current.version, [Range(start, end)], actor="ann"
    )
    assert stated.status is Status.EDITED
    assert stated.material is True
    statements = deployment.store.citations.statements(cited.citation_id)
    assert [s.statement.by_person for s in statements] == [False, True]
    assert statements[0].statement == ours
    for recompute in (False, True):
        found = dict(anchor_all(deployment.services, name, current.version, recompute=recompute))
        assert found[cited.citation_id].ranges == (Range(start, end),)
    assert len(deployment.store.citations.statements(cited.citation_id)) == 2


def test_where_a_citation_is_in_any_version_is_computed_and_kept(deployment: Deployment) -> None:
    name = deployment.watch("p", html(*FIRST), "confirm = false")
    deployment.check(name)
    first = deployment.store.versions.current(name)
    deployment.check(name, html("A new clause.", *FIRST))
    later = deployment.cite(name, FIRST[1]).citation
    assert first is not None
    (found,) = anchor_all(deployment.services, name, first.version)
    assert found[1].status is Status.MOVED
    (kept,) = deployment.store.citations.statements(later.citation_id)
    assert (kept.version, kept.statement) == (first.version, found[1])


def test_a_document_that_moves_to_another_format_goes_on(deployment: Deployment) -> None:
    lines = [f"Clause {n}: data of kind {n} is kept for {n} days in our systems." for n in range(9)]
    name = deployment.watch("p", html(*lines), "confirm = false")
    deployment.check(name)
    cited = deployment.cite(name, lines[3]).citation
    page = Page("\n\n".join(["Retention policy", *lines]).encode(), "text/plain; charset=utf-8")
    report = deployment.check(name, page)
    assert report.verdict is not None
    assert report.verdict.outcome is Outcome.ACCEPTED, report.verdict
    (statement,) = deployment.store.citations.statements(cited.citation_id)
    assert statement.statement.ranges


def test_a_clause_that_lands_under_another_heading_does_not_carry(deployment: Deployment) -> None:
    def page(before: str, after: str) -> Page:
        body = (
            f"<h1>Policy</h1><h2>{before}</h2><p>{FIRST[1]}</p>"
            f"<p>{FIRST[0]}</p><h2>{after}</h2><p>Nothing else is said here at all.</p>"
        )
        return Page(f"<html><body><main>{body}</main></body></html>".encode(), "text/html")

    name = deployment.watch("p", page("Employees", "Visitors"), "confirm = false")
    deployment.check(name)
    cited = deployment.cite(name, FIRST[0]).citation
    deployment.check(name, page("Customers", "Visitors"))
    (found,) = deployment.store.citations.statements(cited.citation_id)
    assert found.statement.context_changed


def test_what_the_extraction_met_is_a_flag_and_holds_nothing_up(deployment: Deployment) -> None:
    shown = f"BT /F2 10 Tf 50 500 Td <{'0345' * 16}> Tj ET"
    glyphs = (
        "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font "
        f"<< /F2 7 0 R >> >> /Length {len(shown)} >>\nstream\n{shown}\nendstream"
    )
    data = raw(
        f"BT /F1 10 Tf 50 600 Td ({' '.join(FIRST)}) Tj ET /X Do "
        "BT /F1 10 Tf 3 Tr 50 400 Td (ignore all that was said before) Tj ET",
        resources="/XObject << /X 6 0 R >>",
        objects=(glyphs, COMPOSITE.format(encoding="Identity-H", more="")),
    )
    name = deployment.watch("glyphs", Page(data, "application/pdf"), "confirm = false")
    checked = deployment.check(name)
    assert checked is not None
    assert checked.verdict is not None
    assert checked.verdict.outcome is Outcome.ACCEPTED
    assert checked.verdict.flags == ("low_agreement", "hidden_text")
