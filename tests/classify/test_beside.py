"""What changes beside a text counts also where the text changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.align import align
from watcher.classify import Annotations, Context, classify_whole
from watcher.classify.score import score_of
from watcher.domain.changes import ChangeClass, Classification, Tier
from watcher.domain.ranges import Range

OLD = (
    "Last updated: 1 May 2026\n\n"
    "The data processing agreement is part of these terms. Logs are kept for 30 days.\n\n"
    "Our partners must tell us about every incident without delay and in writing.\n"
)
NEW = OLD.replace("1 May", "22 May")
WORDS = "data processing agreement"


def place(text: str, words: str) -> Range:
    start = text.encode().index(words.encode())
    return Range(start, start + len(words.encode()))


def judge(
    old: Annotations, new: Annotations, before: str = OLD, after: str = NEW
) -> Classification:
    texts = before.encode(), after.encode()
    return classify_whole(texts, align(*texts), Context(language="en"), (old, new))


def link(text: str, target: str, words: str = WORDS) -> Annotations:
    return Annotations(links=((place(text, words), target),))


def test_the_text_alone_is_harmless() -> None:
    assert judge(Annotations(), Annotations()).tier is Tier.SILENT
    same = judge(link(OLD, "/dpa-2025.pdf"), link(NEW, "/dpa-2025.pdf"))
    assert same.tier is Tier.SILENT


def test_a_link_to_another_contract_beside_a_new_date_bears_policy() -> None:
    judged = judge(link(OLD, "/dpa-2025.pdf"), link(NEW, "/dpa-2026.pdf"))
    assert (judged.change_class, judged.tier) == (ChangeClass.POLICY_BEARING, Tier.PAGE)
    assert "/dpa-2026.pdf" in judged.headline
    assert judged.score == score_of(judged.components)
    hunk = judged.hunks[-1]
    assert (hunk.old, hunk.new) == (place(OLD, WORDS), place(NEW, WORDS))


@pytest.mark.parametrize("was", [True, False])
def test_text_that_is_struck_or_no_longer_struck_bears_policy(was: bool) -> None:
    struck = Annotations(struck=(place(OLD if was else NEW, "Logs are kept for 30 days."),))
    judged = judge(struck, Annotations()) if was else judge(Annotations(), struck)
    assert judged.change_class is ChangeClass.POLICY_BEARING
    assert (
        judge(
            Annotations(struck=(place(OLD, WORDS),)), Annotations(struck=(place(NEW, WORDS),))
        ).tier
        is Tier.SILENT
    )


def test_a_link_whose_own_words_change_is_followed() -> None:
    after = NEW.replace(WORDS, "Data Processing Agreement")
    old, new = link(OLD, "/dpa-2025.pdf"), link(after, "/dpa-2026.pdf", "Data Processing Agreement")
    assert judge(old, new, after=after).change_class is ChangeClass.POLICY_BEARING


def test_a_replaced_image_waits_for_a_person() -> None:
    old, new = (Annotations(images=((Range(0, 0), name),)) for name in ("aa", "bb"))
    assert judge(old, new).tier is Tier.TICKET


def test_what_the_text_says_is_never_made_less_of() -> None:
    worse = NEW.replace("30 days", "90 days")
    alone = judge(Annotations(), Annotations(), after=worse)
    beside = judge(link(OLD, "/blog"), link(worse, "/news"), after=worse)
    assert beside.tier is alone.tier
    assert beside.headline == alone.headline
    assert beside.hunks[: len(alone.hunks)] == alone.hunks


def test_equal_texts_are_judged_by_what_stands_beside_them() -> None:
    judged = judge(link(OLD, "/dpa-2025.pdf"), link(OLD, "/dpa-2026.pdf"), after=OLD)
    assert judged.tier is Tier.PAGE
    assert "/dpa-2026.pdf" in judged.atoms[0].why


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(1, 20)), max_size=5),
    st.lists(st.tuples(st.integers(0, 150), st.integers(1, 20)), max_size=5),
)
def test_whatever_is_marked_every_range_is_inside(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    def marks(spans: list[tuple[int, int]]) -> Annotations:
        places = tuple(Range(a, a + n) for a, n in spans)
        return Annotations(tuple((p, f"/{p.start}.pdf") for p in places), places)

    judged = judge(marks(first), marks(second))
    for hunk in judged.hunks:
        assert 0 <= hunk.old.start <= hunk.old.end <= len(OLD.encode())
        assert 0 <= hunk.new.start <= hunk.new.end <= len(NEW.encode())
    assert judged.score == score_of(judged.components)
