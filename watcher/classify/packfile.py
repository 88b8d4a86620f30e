"""The form of a language pack's file: what a lawyer fills in, checked on reading."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Words = Annotated[tuple[str, ...], Field(default=())]
Pairs = Annotated[tuple[tuple[str, str], ...], Field(default=())]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Equivalent(_Strict):
    """Phrases that say the same, and the rule that says so.

    `only_for` limits the condition to some of them: these count only at the
    beginning of a sentence. `only_before` names the words that must follow.
    After a phrase of `gerund_after` the next verb is compared by its stem;
    after a phrase of `drops_after` ("ist verpflichtet, ... zu"), the first of
    each of `drops` in the sentence belongs to the phrase.
    """

    rule: str
    words: tuple[str, ...]
    only_for: Words
    only_before: Words
    gerund_after: Words
    drops: Words
    drops_after: Words


class NumberRules(_Strict):
    """Number words beside the table: articles and multipliers."""

    articles: Words
    ambiguous: Words
    scale: dict[str, int]


class Months(_Strict):
    """Twelve lists of names, and the names of the days of the week."""

    names: Annotated[tuple[tuple[str, ...], ...], Field(min_length=12, max_length=12)]
    weekdays: tuple[str, ...]


class Stamps(_Strict):
    """How a page says when it was last touched, and when it takes effect.

    In `reading`, `counted` and `helpful` the sign # stands for the number or the
    length of time. A number of `counted` must not be round.
    """

    phrases: tuple[str, ...]
    version: Words
    subjects: Words
    fillers: Words
    counters: Words
    reading: Words
    counted: Words
    helpful: Words
    ago: Words
    amended: Words
    amended_phrases: Words
    effective: tuple[str, ...]


class Furniture(_Strict):
    """Words of page numbers, navigation, page tools, technical tokens.

    `related` are titles above links to other pages; `banner` the sentences of
    cookie banners and `buttons` what one presses there.
    """

    page: tuple[tuple[str, str], ...]
    home: Words
    history: Words
    navigation: Words
    related: Words
    banner: Words
    buttons: Words
    tokens: Words


class SpecialWords(_Strict):
    """Words that switch a rule on or off."""

    courtesy: Words
    order: Words
    sequence: Words
    backward: Words
    cross_reference: Words
    case_sensitive: Words
    scope: Words
    negative_prefixes: Words
    particles: Words


class Spelling(_Strict):
    """Conventions of spelling, and listed slips of the pen."""

    pairs: Pairs
    endings: Pairs
    stems: Pairs
    typos: Pairs
    never_doubled: Words


class PackFile(_Strict):
    """One language pack as it stands in its file."""

    code: str
    name: str
    sources: tuple[str, ...]
    decimal: str
    group: tuple[str, ...]
    date_order: str
    nouns_capitalised: bool = False
    ordinal_suffixes: Words
    date_links: Words
    function_words: tuple[str, ...]
    operators: dict[str, tuple[str, ...]]
    equivalent: tuple[Equivalent, ...] = ()
    contractions: dict[str, str] = Field(default_factory=dict)
    numbers: dict[str, int]
    number_rules: NumberRules
    units: dict[str, tuple[str, ...]]
    currencies: dict[str, tuple[str, ...]]
    months: Months
    stamps: Stamps
    furniture: Furniture
    words: SpecialWords
    facets: dict[str, tuple[str, ...]]
    spelling: Spelling
