"""Language packs: what the words of a language do in a policy.

A pack is a TOML file under `packs/` that a lawyer can read and extend. It is
data of this package: read once, checked, and named by a hash in every
judgement, so that a judgement says which words it knew.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import NamedTuple

from watcher.classify.packfile import Equivalent, PackFile, Spelling

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")
"""Languages with a pack; every other one gets the language-free rules only."""

_PART = re.compile(r"\w+'(?!\w)|\w+(?:'\w+)*|[^\w\s]")

Phrase = tuple[str, ...]


def phrase_of(text: str) -> Phrase:
    """Return the words and signs of `text`, case folded, as the tokenizer cuts them."""
    return tuple(_PART.findall(text.lower()))


class PhraseTable:
    """Phrases with a value each; finds the longest that begins at a place."""

    def __init__(self, entries: Mapping[Phrase, str]) -> None:
        self.entries = dict(entries)
        longest: dict[str, int] = {}
        for phrase in self.entries:
            longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
        self._longest = longest

    def longest(self, words: list[str], start: int) -> tuple[int, str] | None:
        """Return (length, value) of the longest phrase at `start`, or None."""
        for size in range(self._longest.get(words[start], 0), 0, -1):
            value = self.entries.get(tuple(words[start : start + size]))
            if value is not None and start + size <= len(words):
                return size, value
        return None

    def __contains__(self, phrase: Phrase) -> bool:
        return phrase in self.entries


class Speller:
    """Gives a word its one normal form, and the rule by which it has it."""

    _MEMORY = 20_000

    def __init__(self, spelling: Spelling) -> None:
        self._words = {old.lower(): (new.lower(), "spelling") for old, new in spelling.pairs}
        self._words |= {old.lower(): (new.lower(), "typo") for old, new in spelling.typos}
        self._endings = spelling.endings
        self._stems = spelling.stems
        self._stem = re.compile("|".join(old for old, _ in spelling.stems) or r"(?!)")
        self._known: dict[str, tuple[str, str]] = {}

    def __call__(self, word: str) -> tuple[str, str]:
        """Return (normal form, "spelling" | "typo" | "") of a case-folded word."""
        found = self._known.get(word)
        if found is None:
            if len(self._known) >= self._MEMORY:
                self._known.clear()
            found = self._known[word] = self._words.get(word) or self._by_rule(word)
        return found

    def _by_rule(self, word: str) -> tuple[str, str]:
        for old, new in self._endings:
            if word.endswith(old) and len(word) >= len(old) + 4:
                return word[: -len(old)] + new, "spelling"
        if word.endswith("'s"):
            owner, rule = self(word[:-2])
            return (f"{owner}'s", rule) if rule else (word, "")
        if self._stem.search(word):
            for old, new in self._stems:
                if old in word:
                    return word.replace(old, new), "spelling"
        return word, ""

    def phrase(self, text: str) -> Phrase:
        """Return a pack's phrase as the words it is looked up by."""
        return tuple(self(word)[0] for word in phrase_of(text))


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack made ready for look-up; all words are case folded.

    `operators` maps a phrase to its category; `senses` a phrase to
    its groups of equivalents (`sense_sizes`: the longest that begins with a word);
    `heads` says what may begin with a word (bits of `Head`), `follow` which
    words can be second where nothing is read from the first alone, `singles` the
    words that are read by themselves; `speller`
    gives a word its one normal form.
    """

    file: PackFile
    operators: PhraseTable
    numbers: PhraseTable
    months: dict[str, int]
    units: dict[str, str]
    currencies: dict[str, str]
    stamps: PhraseTable
    effective: PhraseTable
    navigation: PhraseTable
    senses: dict[Phrase, tuple[tuple[Equivalent, str], ...]]
    sense_sizes: dict[str, int]
    heads: dict[str, int]
    follow: dict[str, frozenset[str]]
    singles: dict[str, Single]
    speller: Speller
    facet_words: dict[str, str]
    facet_stems: tuple[tuple[str, str], ...]
    special: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The language code of two letters."""
        return self.file.code

    def has(self, group: str, word: str) -> bool:
        """Tell whether `word` (case folded) is in the special list `group`."""
        return word in self.special[group]

    def facet(self, word: str) -> str:
        """Return the facet that `word` (case folded) stands for, or ""."""
        found = self.facet_words.get(word, "")
        return found or next((f for stem, f in self.facet_stems if word.startswith(stem)), "")


def _table(groups: Mapping[str, tuple[str, ...]], speller: Speller) -> PhraseTable:
    entries: dict[Phrase, str] = {}
    for value, phrases in groups.items():
        for phrase in phrases:
            entries.setdefault(speller.phrase(phrase), value)
    return PhraseTable(entries)


def _senses(file: PackFile, speller: Speller) -> dict[Phrase, tuple[tuple[Equivalent, str], ...]]:
    """Return each phrase's groups; those that hold only in some places come first."""
    senses: dict[Phrase, tuple[tuple[Equivalent, str], ...]] = {}
    for number, group in enumerate(file.equivalent):
        for words in group.words:
            phrase = speller.phrase(words)
            senses[phrase] = (*senses.get(phrase, ()), (group, f"={number}"))
    return {
        phrase: tuple(sorted(groups, key=lambda g: not (g[0].only_for or g[0].only_before)))
        for phrase, groups in senses.items()
    }


def _facets(file: PackFile) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    words: dict[str, str] = {}
    stems: list[tuple[str, str]] = []
    for facet, entries in file.facets.items():
        for entry in entries:
            if entry.endswith("*"):
                stems.append((entry[:-1].lower(), facet))
            else:
                words.setdefault(entry.lower(), facet)
    return words, tuple(stems)


def _special(file: PackFile) -> dict[str, frozenset[str]]:
    groups = {name: tuple(getattr(file.words, name)) for name in type(file.words).model_fields} | {
        "stamp_fillers": file.stamps.fillers,
        "stamp_counters": tuple(w for c in file.stamps.counters for w in phrase_of(c)),
        "stamp_subjects": tuple(w for c in file.stamps.subjects for w in phrase_of(c)),
        "amended_words": file.stamps.amended,
        "ago": file.stamps.ago,
        "version": file.stamps.version,
        "home": file.furniture.home,
        "reading": file.stamps.reading,
        "counted": file.stamps.counted,
        "helpful": file.stamps.helpful,
        "related": file.furniture.related,
        "banner": file.furniture.banner,
        "buttons": file.furniture.buttons,
        "weekdays": file.months.weekdays,
        "date_links": file.date_links,
        "business": file.units.get("business", ()),
        "calendar": file.units.get("calendar", ()),
        "articles": file.number_rules.articles,
        "ambiguous": file.number_rules.ambiguous,
    }
    return {name: frozenset(w.lower() for w in words) for name, words in groups.items()}


class Single(NamedTuple):
    """How a word is read that stands alone: not before one of `seconds`.

    `group` is its operator category, or "" for a plain word with an equivalent.
    """

    sense: str
    rule: str
    group: str
    seconds: frozenset[str]


class Head:
    """What may begin with a word: bits of `Pack.heads`."""

    PHRASE = 1
    NUMBER = 2
    MONTH = 4
    CURRENCY = 8
    COURTESY = 16


def _heads(
    file: PackFile, operators: PhraseTable, numbers: PhraseTable, senses: Mapping[str, int]
) -> dict[str, int]:
    heads: dict[str, int] = {}
    for bit, words in (
        (Head.PHRASE, (phrase[0] for phrase in operators.entries)),
        (Head.PHRASE, iter(senses)),
        (Head.NUMBER, (phrase[0] for phrase in numbers.entries)),
        (Head.NUMBER, iter((*file.number_rules.articles, *file.number_rules.ambiguous))),
        (Head.MONTH, (w.lower() for names in file.months.names for w in names)),
        (Head.CURRENCY, (w.lower() for entries in file.currencies.values() for w in entries)),
        (Head.COURTESY, iter(file.words.courtesy)),
    ):
        for word in words:
            heads[word] = heads.get(word, 0) | bit
    return heads


def _follow(
    file: PackFile, heads: Mapping[str, int], tables: tuple[Mapping[Phrase, object], ...]
) -> dict[str, frozenset[str]]:
    """Return the possible second words of each head that is nothing alone."""
    seconds: dict[str, set[str]] = {}
    alone: set[str] = set()
    for table in tables:
        for phrase in table:
            seconds.setdefault(phrase[0], set())
            if len(phrase) > 1:
                seconds[phrase[0]].add(phrase[1])
            else:
                alone.add(phrase[0])
    units = {w.lower() for entries in file.units.values() for w in entries}
    money = {w.lower() for entries in file.currencies.values() for w in entries}
    after_article = units | money | set(file.number_rules.scale) | {"(", "-", "per"}
    for article in file.number_rules.articles:
        seconds.setdefault(article, set()).update(after_article)
    alone |= {w for w, bits in heads.items() if bits & ~(Head.PHRASE | Head.NUMBER)}
    alone |= set(file.number_rules.ambiguous) - set(file.number_rules.articles)
    return {head: frozenset(words) for head, words in seconds.items() if head not in alone}


def _singles(
    heads: Mapping[str, int],
    operators: PhraseTable,
    senses: Mapping[Phrase, tuple[tuple[Equivalent, str], ...]],
) -> dict[str, Single]:
    """Return the words that are operators, or have an equivalent, whatever surrounds them."""
    seconds: dict[str, set[str]] = {}
    for phrase in (*operators.entries, *senses):
        if len(phrase) > 1:
            seconds.setdefault(phrase[0], set()).add(phrase[1])
    singles: dict[str, Single] = {}
    for word, bits in heads.items():
        groups = senses.get((word,), ())
        bound = any(g.only_for or g.only_before or g.gerund_after or g.drops for g, _ in groups)
        category = operators.entries.get((word,), "")
        if bits != Head.PHRASE or bound or not (groups or category):
            continue
        plain = f"operator:{word}" if category else f"word:{word}"
        singles[word] = Single(
            groups[0][1] if groups else plain,
            groups[0][0].rule if groups else "",
            category,
            frozenset(seconds.get(word, ())),
        )
    return singles


def build(file: PackFile) -> Pack:
    """Return `file` made ready for look-up."""
    speller = Speller(file.spelling)
    senses = _senses(file, speller)
    sizes: dict[str, int] = {}
    for phrase in senses:
        sizes[phrase[0]] = max(sizes.get(phrase[0], 0), len(phrase))
    operators = _table(file.operators, speller)
    numbers = PhraseTable({speller.phrase(w): str(n) for w, n in file.numbers.items()})
    heads = _heads(file, operators, numbers, sizes)
    words, stems = _facets(file)
    qualifiers = {"business", "calendar"}
    return Pack(
        file=file,
        operators=operators,
        numbers=numbers,
        months={
            name.lower(): number
            for number, names in enumerate(file.months.names, start=1)
            for name in names
        },
        units={
            word.lower(): unit
            for unit, entries in file.units.items()
            if unit not in qualifiers
            for word in entries
        },
        currencies={
            word.lower(): code for code, entries in file.currencies.items() for word in entries
        },
        stamps=_table(
            {"stamp": file.stamps.phrases, "amended": file.stamps.amended_phrases}, speller
        ),
        effective=_table({"effective": file.stamps.effective}, speller),
        navigation=_table({"nav": (*file.furniture.navigation, *file.furniture.home)}, speller),
        senses=senses,
        sense_sizes=sizes,
        heads=heads,
        singles=_singles(heads, operators, senses),
        follow=_follow(file, heads, (operators.entries, numbers.entries, senses)),
        speller=speller,
        facet_words=words,
        facet_stems=stems,
        special=_special(file),
    )


def _read(code: str) -> bytes:
    return resources.files(__package__).joinpath("packs", f"{code}.toml").read_bytes()


def _short(code: str) -> str:
    """Return the two letters that name a language in `code` ("de-AT" is "de")."""
    return code.strip().lower().replace("_", "-").split("-", maxsplit=1)[0]


@cache
def _loaded(short: str) -> Pack:
    return build(PackFile.model_validate(tomllib.loads(_read(short).decode())))


def pack(code: str) -> Pack | None:
    """Return the pack of a language code (`de`, `de-AT`), or None where there is none."""
    short = _short(code)
    return _loaded(short) if short in LANGUAGES else None


@cache
def pack_name(code: str) -> str:
    """Return `code/` and 16 hex digits of the SHA-256 of the pack's file, or `none`."""
    short = _short(code)
    if short not in LANGUAGES:
        return "none"
    return f"{short}/{hashlib.sha256(_read(short)).hexdigest()[:16]}"


_DETECT_WORDS = re.compile(r"[^\W\d_]+")
_DETECT_LIMIT = 20_000
"""Characters that language detection looks at."""


def detect(text: str) -> str:
    """Return the language whose function words `text` uses, or "" if none is clear.

    Clear means at least four hits, a fifth of all words, and half as many
    again as the runner-up: wrong is worse than unknown.
    """
    words = [word.lower() for word in _DETECT_WORDS.findall(text[:_DETECT_LIMIT])]
    scores: list[tuple[int, str]] = []
    for code in LANGUAGES:
        known = pack(code)
        assert known is not None
        function_words = frozenset(known.file.function_words)
        scores.append((sum(word in function_words for word in words), code))
    scores.sort(key=lambda score: (-score[0], score[1]))
    (best, code), (second, _) = scores[0], scores[1]
    clear = best >= 4 and best * 5 >= len(words) and best * 2 >= second * 3
    return code if clear else ""
