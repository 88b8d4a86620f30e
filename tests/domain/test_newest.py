"""Which link leads to the newest edition."""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.newest import FollowRule, Newest, PageLink, editions, latest_date, natural_key
from watcher.domain.patterns import own_pattern

SITE = "https://regulator.example/files/"


def newest(pattern: str, by: Newest, *links: str | tuple[str, str]) -> str | None:
    """Return the target's last part of the newest of `links`, (target, words) or targets."""
    pairs = [(link, "Download") if isinstance(link, str) else link for link in links]
    found = editions(
        [PageLink(SITE + target, text) for target, text in pairs],
        FollowRule(own_pattern(pattern, pattern), by),
    )
    return found[0].link.target.removeprefix(SITE) if found else None


@pytest.mark.parametrize(
    ("links", "wanted"),
    [
        (["dpa-v2.pdf", "dpa-v10.pdf", "dpa-v9.pdf"], "dpa-v10.pdf"),
        (["dpa-2.9.pdf", "dpa-2.10.pdf", "dpa-2.1.pdf"], "dpa-2.10.pdf"),
        (["dpa-2025.pdf", "dpa-2026.pdf"], "dpa-2026.pdf"),
        (["DPA-V3.pdf", "dpa-v12.pdf"], "dpa-v12.pdf"),
        (["dpa%20v2.pdf", "dpa%20v10.pdf"], "dpa%20v10.pdf"),
        (["dpa-v1.pdf", "privacy-v99.pdf"], "dpa-v1.pdf"),
        (["dpa-v007.pdf", "dpa-v8.pdf"], "dpa-v8.pdf"),
        (["privacy.pdf"], None),
        ([], None),
    ],
)
def test_by_text_numbers_count_as_numbers(links: list[str], wanted: str | None) -> None:
    assert newest(r"(?i)dpa[^/]*\.pdf", Newest.TEXT, *links) == wanted


def test_a_group_says_what_is_compared() -> None:
    links = ["zz-dpa-v2.pdf", "aa-dpa-v3.pdf"]
    assert newest(r"..-dpa-v\d+", Newest.TEXT, *links) == "zz-dpa-v2.pdf"
    assert newest(r"dpa-v(\d+)", Newest.TEXT, *links) == "aa-dpa-v3.pdf"
    both = ["report-2024-rev1.pdf", "report-2023-rev7.pdf"]
    assert newest(r"report-(\d+)-rev(\d+)", Newest.TEXT, *both) == "report-2024-rev1.pdf"


def test_words_tell_where_targets_do_not() -> None:
    assert (
        newest(
            r"Agreement, version (\d+(?:\.\d+)*)",
            Newest.TEXT,
            ("d/831", "Agreement, version 9.1"),
            ("d/107", "Agreement, version 10.0"),
            ("d/999", "Annex, version 11"),
        )
        == "d/107"
    )


@pytest.mark.parametrize(
    ("links", "wanted"),
    [
        (["a-2024-05-01.pdf", "a-2024-12-01.pdf", "a-2023-12-31.pdf"], "a-2024-12-01.pdf"),
        (["a-20240501.pdf", "a-20240430.pdf"], "a-20240501.pdf"),
        (["2024/05/a.pdf", "2024/11/a-old.pdf"], "2024/11/a-old.pdf"),
        ([("1", "A of 2 May 2024"), ("2", "A of 11 April 2024")], "1"),
        ([("1", "A (May 2, 2024)"), ("2", "A (December 11, 2023)")], "1"),
        ([("1", "Stand: 1. März 2024"), ("2", "Stand: 1. Februar 2024")], "1"),
        ([("1", "du 1er août 2024"), ("2", "du 30 juillet 2024")], "1"),
        ([("1", "de 5 de mayo de 2024"), ("2", "de 6 de abril de 2024")], "1"),
        ([("1", "A 03.04.2024"), ("2", "A 02.05.2024")], "2"),
        ([("1", "A 03/04/2024"), ("2", "A 02/05/2024")], "2"),
        ([("1", "A 03/04/2024"), ("2", "A 02/05/2024"), ("3", "A 01/31/2024")], "1"),
        ([("1", "A 2023"), ("2", "A 2024"), ("3", "A")], "2"),
        ([("1", "A, May 2024"), ("2", "A, 3 May 2024")], "2"),
        (["a-2024-v2.pdf", "a-2024-v10.pdf"], "a-2024-v10.pdf"),
        (["a.pdf", "a-final.pdf"], None),
    ],
)
def test_by_date_in_words_or_target(links: list[str | tuple[str, str]], wanted: str | None) -> None:
    assert newest(r"(?i)\ba\b|/a-|\d$|Stand|du|de", Newest.DATE, *links) == wanted


def test_by_order_the_first_on_the_page() -> None:
    assert newest(r"\.pdf$", Newest.ORDER, "x.html", "b.pdf", "a.pdf") == "b.pdf"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024-05-01", (2024, 5, 1)),
        ("20240501T103000 and 20240501103000", (2024, 5, 1)),
        ("published 2024-03-01, about 2023", (2024, 3, 1)),
        ("Guidelines 01/2022, version 2.0, adopted 28 March 2023", (2023, 3, 28)),
        ("2016/679", (2016, 0, 0)),
        ("Sept. 2024", (2024, 9, 0)),
        ("4th of the July 2024", (2024, 7, 0)),
        ("1ST JANUARY 2020", (2020, 1, 1)),
        ("may-2024-final", (2024, 5, 0)),
        ("Mayor 2024", (2024, 0, 0)),
        ("31/12/2024", (2024, 12, 31)),
        ("12/31/2024", (2024, 12, 31)),
        ("2024-13-45", (2024, 0, 0)),
        ("99/99/2024", (2024, 0, 0)),
        ("id 12345678, 1234567890123456", None),
        ("v2.10", None),
        ("3024-01-01", None),
        ("", None),
    ],
)
def test_the_latest_date_of_a_text(text: str, wanted: tuple[int, int, int] | None) -> None:
    assert latest_date(text) == wanted


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2099, 12, 31)))
@settings(max_examples=200, deadline=None)
def test_every_date_is_read_in_every_form(day: date) -> None:
    for form in ("%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"):
        text = day.strftime(form)
        assert latest_date(f"x_{text}.pdf") == (day.year, day.month, day.day), text


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8, unique=True), st.randoms())
@settings(max_examples=100, deadline=None)
def test_the_order_on_the_page_does_not_matter_to_versions(
    numbers: list[int], shuffled: random.Random
) -> None:
    links = [f"dpa-v{number}.pdf" for number in numbers]
    shuffled.shuffle(links)
    assert newest(r"dpa-v\d+", Newest.TEXT, *links) == f"dpa-v{max(numbers)}.pdf"


@given(st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_keys_of_any_two_texts_compare(one: str, other: str) -> None:
    assert (natural_key(one) < natural_key(other)) + (natural_key(other) < natural_key(one)) <= 1
    found = latest_date(one + other)
    assert found is None or found[0] >= 1900


def test_a_target_counts_once_and_long_ones_do_no_harm() -> None:
    rule = FollowRule(own_pattern(r"\.pdf", "pdf"), Newest.DATE)
    link = PageLink(SITE + "a-2024.pdf", "A")
    assert len(editions([link, link], rule)) == 1
    long = PageLink(SITE + "9" * 100_000 + ".pdf", "2024-" * 100_000)
    assert editions([long], rule) == []
