"""Give tokens their types: quantities, dates, operators, references, senses.

One pass from left to right; at each place the first reader that knows what
begins there takes it. Without a pack only what no language decides is typed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from watcher.classify import numbers
from watcher.classify.links import normal
from watcher.classify.packfile import Equivalent
from watcher.classify.packs import Head, Pack, Single
from watcher.classify.tokens import SENTENCE_END, Kind, Token
from watcher.classify.words import gerund, prepared, refers

_CURRENCY_SIGNS = {
    "\u20ac": "EUR",
    "$": "dollar",
    "\u00a3": "GBP",
    "\u00a5": "JPY",
    "z\u0142": "PLN",
}
_HALVES = {"am": "am", "pm": "pm", "a": "am", "p": "pm"}
_SINGLE = frozenset("ivxlcdm")


def type_tokens(tokens: list[Token], pack: Pack | None, initial: bool = True) -> list[Token]:
    """Return `tokens` with types. `initial`: the block begins a sentence."""
    if pack is not None:
        tokens = prepared(tokens, pack)
    return _Typer(tokens, pack, initial).run()


class _Typer:
    def __init__(self, tokens: list[Token], pack: Pack | None, initial: bool) -> None:
        self.tokens = tokens
        self.pack = pack
        self.initial = initial
        self.bases = [token.base for token in tokens]
        self.out: list[Token] = []
        self.gerund = False
        self.drops: set[str] = set()
        readers: list[Callable[[int], int]] = [self._digits_date, self._time, self._sign_money]
        if pack is not None:
            readers += [self._date, self._quantity, self._phrase]
        readers += [self._reference, self._percent, self._plain]
        self.readers = readers
        # What begins with such a word can be read by these alone.
        tail = [self._reference, self._plain]
        self.by_head = {
            Head.PHRASE: [self._phrase, *tail],
            Head.NUMBER: [self._date, self._quantity, self._phrase, *tail],
        }

    def run(self) -> list[Token]:
        position = 0
        readers: Sequence[Callable[[int], int]]
        tokens = self.tokens
        heads = self.pack.heads if self.pack is not None else {}
        follow = self.pack.follow if self.pack is not None else {}
        singles = self.pack.singles if self.pack is not None else {}
        while position < len(tokens):
            if self.drops and self._dropped(position):
                position += 1
                continue
            token = tokens[position]
            kind = token.kind
            head = heads.get(token.base, 0)
            if self.gerund or (kind is not Kind.WORD and kind is not Kind.SIGN):
                readers = self.readers
            elif _has_plain_form(token) and (
                not head
                or (
                    (seconds := follow.get(token.base)) is not None
                    and self.base(position + 1) not in seconds
                )
            ):
                self.out.append(token)
                position += 1
                continue
            elif (
                head == Head.PHRASE
                and (single := singles.get(token.base)) is not None
                and self.base(position + 1) not in single.seconds
                and _has_plain_form(token)
            ):
                self.out.append(_single_token(token, single))
                position += 1
                continue
            else:
                readers = self.by_head.get(head, self.readers)
            for reader in readers:
                if taken := reader(position):
                    position += taken
                    break
        return self.out

    def _dropped(self, at: int) -> bool:
        """Take a word that belongs to the phrase before it ("verpflichtet, ... zu")."""
        token = self.tokens[at]
        if token.exact in SENTENCE_END:
            self.drops = set()
        if token.base not in self.drops:
            return False
        if token.exact == "," and self.out[-1].rule != "deontic-synonym":
            return False
        self.drops.discard(token.base)
        self.out.append(token._replace(drop="deontic-synonym"))
        return True

    def base(self, index: int) -> str:
        return self.bases[index] if 0 <= index < len(self.bases) else ""

    def make(
        self, kind: Kind, start: int, size: int, sense: str, rule: str, group: str = ""
    ) -> int:
        """Append one token over `size` tokens and return `size`."""
        head = self.tokens[start]
        # What has an equivalent is equal to it whatever kind the two are.
        sense = sense if sense.startswith("=") else f"{kind}:{sense}"
        if size == 1:
            self.out.append(
                Token(
                    kind, head.start, head.end, head.exact, sense, head.base,
                    rule, "", group, head.line, head.first, head.link, head.glued,
                )
            )  # fmt: skip
            return 1
        parts = self.tokens[start : start + size]
        exact = " ".join(part.exact for part in parts)
        base = " ".join(part.base for part in parts)
        self.out.append(
            head._replace(
                kind=kind, end=parts[-1].end, exact=exact, sense=sense,
                base=base, rule=rule, group=group,
            )
        )  # fmt: skip
        return size

    def _digits_date(self, at: int) -> int:
        token = self.tokens[at]
        if token.kind is not Kind.DATE:
            return 0
        iso = numbers.numeric_date(token.exact, self.pack)
        return self.make(Kind.DATE, at, 1, iso or token.exact, "equal-date")

    def _time(self, at: int) -> int:
        token = self.tokens[at]
        if token.kind not in {Kind.TIME, Kind.NUMBER}:
            return 0
        half, size = self._half(at + 1)
        clock_word = self.pack is not None and self.pack.units.get(self.base(at + 1)) == "clock"
        if not half and clock_word:
            size = 1
        if token.kind is Kind.NUMBER and not half and not clock_word:
            return 0
        value = numbers.clock(token.exact, half)
        if value is None and token.kind is Kind.NUMBER:
            return 0
        return self.make(Kind.TIME, at, 1 + size, value or token.exact, "equal-time")

    def _half(self, at: int) -> tuple[str, int]:
        """Return ("am" or "pm", tokens taken): "pm", "p.m."."""
        word = self.base(at)
        if word in {"am", "pm"}:
            return word, 1
        if word in _HALVES and [self.base(at + k) for k in (1, 2, 3)] == [".", "m", "."]:
            return _HALVES[word], 4
        return "", 0

    def _currency(self, at: int) -> str:
        word = self.base(at)
        if word in _CURRENCY_SIGNS:
            return _CURRENCY_SIGNS[word]
        return self.pack.currencies.get(word, "") if self.pack else ""

    def _sign_money(self, at: int) -> int:
        """Read "$5,000", "EUR 1.5 million"."""
        currency = self._currency(at)
        if not currency or at + 1 >= len(self.tokens):
            return 0
        amount = self.tokens[at + 1]
        if amount.kind is not Kind.NUMBER:
            return 0
        value = numbers.number(amount.exact, self.pack)
        size = 2
        if value is not None and self.pack is not None:
            scale = self.pack.file.number_rules.scale.get(self.base(at + 2), 0)
            value, size = (value * scale, 3) if scale else (value, 2)
        read = amount.exact if value is None else numbers.plain(value)
        return self.make(Kind.MONEY, at, size, f"{read} {currency}", "equal-amount", currency)

    def _value(self, at: int) -> tuple[Decimal | None, int, bool]:
        """Return (value, tokens taken, in words) of a number that begins at `at`."""
        assert self.pack is not None
        token = self.tokens[at]
        if token.kind is Kind.NUMBER:
            value, size, words = numbers.number(token.exact, self.pack), 1, False
        elif token.kind is Kind.WORD and (hit := self.pack.numbers.longest(self.bases, at)):
            value, size, words = Decimal(hit[1]), hit[0], True
        elif token.kind is Kind.WORD and self.pack.has("articles", token.base):
            value, size, words = Decimal(1), 1, True
        else:
            return None, 0, False
        scale = self.pack.file.number_rules.scale.get(self.base(at + size), 0)
        if scale and value is not None and not (words and value >= 1000):
            value, size = value * scale, size + 1
        return self._repeated(at, value, size, words)

    def _repeated(
        self, at: int, value: Decimal | None, size: int, words: bool
    ) -> tuple[Decimal | None, int, bool]:
        """Take the repetition of "thirty (30)"; if the two disagree nothing is certain."""
        assert self.pack is not None
        if self.base(at + size) != "(" or self.base(at + size + 2) != ")":
            return value, size, words
        inner = self.tokens[at + size + 1]
        again = numbers.number(inner.exact, self.pack) if inner.kind is Kind.NUMBER else None
        if again is None and (hit := self.pack.numbers.longest(self.bases, at + size + 1)):
            again = Decimal(hit[1]) if hit[0] == 1 else None
        if again is None:
            return value, size, words
        return (value if again == value else None), size + 3, False

    def _quantity(self, at: int) -> int:
        """Read a number with its unit; a bare number word from two upwards too."""
        assert self.pack is not None
        value, size, words = self._value(at)
        if not size:
            return 0
        after = at + size
        hyphen = self.base(after) == "-" and self.pack.units.get(self.base(after + 1), "") != ""
        unit_at = after + 1 if hyphen else after
        if taken := self._with_unit(at, unit_at, value):
            return taken
        token = self.tokens[at]
        article = self.pack.has("articles", token.base) or self.pack.has("ambiguous", token.base)
        if value is None or (words and article and size == 1):
            return 0 if size == 1 else self.make(Kind.NUMBER, at, size, self._text(at, size), "")
        if token.kind is Kind.NUMBER and size == 1:
            return self._number(at, value)
        return self.make(Kind.NUMBER, at, size, numbers.plain(value), "equal-number")

    def _text(self, at: int, size: int) -> str:
        return " ".join(token.exact for token in self.tokens[at : at + size])

    def _number(self, at: int, value: Decimal) -> int:
        """Take digits that stand alone: they keep their decimals, lose grouping."""
        if refers(self.tokens, at, self.pack):
            return self._reference(at)
        token = self.tokens[at]
        sense = f"{Kind.NUMBER.value}:{format(value, 'f')}"
        self.out.append(token._replace(sense=sense, rule="number-format"))
        return 1

    def _with_unit(self, at: int, unit_at: int, value: Decimal | None) -> int:
        assert self.pack is not None
        word = self.base(unit_at)
        size = unit_at - at
        read = numbers.plain(value) if value is not None else self._text(at, size)
        if word == "%" or self.pack.units.get(word) == "percent":
            return self.make(Kind.PERCENT, at, size + 1, read, "equal-percentage", "%")
        if (word, self.base(unit_at + 1)) == ("per", "cent"):
            return self.make(Kind.PERCENT, at, size + 2, read, "equal-percentage", "%")
        if currency := self._currency(unit_at):
            return self.make(
                Kind.MONEY, at, size + 1, f"{read} {currency}", "equal-amount", currency
            )
        if taken := self._duration(at, unit_at, value, read):
            return taken
        written = self.tokens[unit_at].exact if unit_at < len(self.tokens) else ""
        measured = numbers.measure(value, written) if value is not None else None
        if measured is not None and self.tokens[at].kind is Kind.NUMBER:
            return self.make(Kind.MEASURE, at, size + 1, measured, "equal-measure", word)
        return 0

    def _duration(self, at: int, unit_at: int, value: Decimal | None, read: str) -> int:
        assert self.pack is not None
        qualifier = ""
        if self.base(unit_at + 1) in self.pack.units:
            qualifier = self._qualifier(unit_at)
            unit_at += bool(qualifier)
        unit = self.pack.units.get(self.base(unit_at), "")
        if not unit or unit in {"percent", "clock"}:
            return 0
        size = unit_at + 1 - at
        if not qualifier and (qualifier := self._qualifier(unit_at + 1)):
            size += 1
        sense = f"{read} {unit} {qualifier}"
        if value is not None:
            sense = numbers.duration(value, unit, qualifier)
        return self.make(Kind.DURATION, at, size, sense, "equal-duration", unit + qualifier)

    def _qualifier(self, at: int) -> str:
        assert self.pack is not None
        for name in ("business", "calendar"):
            if self.pack.has(name, self.base(at)):
                # Two trades' days ("banking", "working") are not the same days.
                return f"{name}={self.base(at)}" if name == "business" else name
        return ""

    def _date(self, at: int) -> int:  # noqa: PLR0911
        """Read "1 May 2025", "May 1st, 2025", "1er janvier", "May 2025"."""
        assert self.pack is not None
        if self.tokens[at].kind not in {Kind.NUMBER, Kind.WORD}:
            return 0
        day = numbers.day_of(self.tokens[at].exact, self.pack)
        if day is not None:
            place = at + 1
            while self.base(place) in {".", "de", "of", "-", "\u00ba"} and place < at + 3:
                place += 1
            month = self.pack.months.get(self.base(place))
            return self._finish_date(at, place + 1, month, day) if month else 0
        month = self.pack.months.get(self.base(at))
        if not month:
            return 0
        if not self.tokens[at].exact[0].isupper() and self.pack.file.date_order != "dmy":
            return 0
        place = at + 1 + (self.base(at + 1) == ".")
        if place >= len(self.tokens):
            return 0
        day = numbers.day_of(self.tokens[place].exact, self.pack)
        if day is not None and self.tokens[place].kind in {Kind.NUMBER, Kind.WORD}:
            return self._finish_date(at, place + 1, month, day)
        return self._finish_date(at, at + 1, month, None)

    def _finish_date(self, at: int, place: int, month: int, day: int | None) -> int:
        """Take the year, if one follows, and make the token."""
        after = place
        while self.base(after) in {",", ".", "de", "del", "of", "-"} and after < place + 2:
            after += 1
        year = self.base(after)
        if len(year) == 4 and year.isdigit() and year[0] in "12":
            date = f"{year}-{month:02d}" + (f"-{day:02d}" if day else "")
            return self.make(Kind.DATE, at, after + 1 - at, date, "equal-date")
        if day is None:
            return 0
        return self.make(Kind.DATE, at, place - at, f"--{month:02d}-{day:02d}", "equal-date")

    def _reference(self, at: int) -> int:
        token = self.tokens[at]
        text = token.exact
        form = (
            token.kind is Kind.NUMBER
            or any(c.isdigit() for c in text)
            or (text.isupper() and len(text) == 1)
            or (set(token.base) <= _SINGLE and text.isupper())
        )
        if token.kind in {Kind.NUMBER, Kind.WORD} and form and refers(self.tokens, at, self.pack):
            return self.make(Kind.REFERENCE, at, 1, text, "", "reference")
        return 0

    def _percent(self, at: int) -> int:
        if self.tokens[at].kind is Kind.NUMBER and self.base(at + 1) in {"%", "\u2030"}:
            return self.make(Kind.PERCENT, at, 2, self._text(at, 1), "", "%")
        return 0

    def _phrase(self, at: int) -> int:
        """Read an operator or a phrase with a listed equivalent, the longest first."""
        assert self.pack is not None
        token = self.tokens[at]
        if token.kind is not Kind.WORD and token.kind is not Kind.SIGN:
            return 0
        if token.exact.isupper() and refers(self.tokens, at, self.pack):
            return 0
        operator = self.pack.operators.longest(self.bases, at)
        size, sense, rule = self._sense(at)
        if operator and operator[0] >= size:
            group = operator[1]
            if operator[0] > size:
                size, sense, rule = operator[0], "", ""
        elif size:
            inner = [self.pack.operators.longest(self.bases, at + k) for k in range(size)]
            group = next((hit[1] for hit in inner if hit), "")
        else:
            return 0
        kind = Kind.OPERATOR if group else Kind.WORD
        if size == 1:
            letters = "" if token.rule == "case" else token.rule
            return self.make(kind, at, 1, sense or token.base, letters or rule, group)
        literal = " ".join(self.bases[at : at + size])
        spelt = sorted({t.rule for t in self.tokens[at : at + size]} - {"", "case"})
        return self.make(kind, at, size, sense or literal, spelt[0] if spelt else rule, group)

    def _sense(self, at: int) -> tuple[int, str, str]:
        """Return (tokens, sense, rule) of the longest phrase with an equivalent."""
        assert self.pack is not None
        longest = self.pack.sense_sizes.get(self.bases[at], 0)
        for size in range(min(longest, len(self.bases) - at), 0, -1):
            phrase = tuple(self.bases[at : at + size])
            for group, sense in self.pack.senses.get(phrase, ()):
                if self._applies(group, phrase, at, size):
                    self.gerund = bool(group.gerund_after)
                    self.drops = set(group.drops if " ".join(phrase) in group.drops_after else ())
                    return size, sense, group.rule
        return 0, "", ""

    def _applies(self, group: Equivalent, phrase: tuple[str, ...], at: int, size: int) -> bool:
        words = " ".join(phrase)
        if group.only_for and words not in group.only_for:
            return True
        if group.only_for and not self._initial(at):
            return False
        return not group.only_before or self.base(at + size) in group.only_before

    def _initial(self, at: int) -> bool:
        """Tell whether a sentence begins at `at`."""
        if at == 0:
            return self.initial
        token, before = self.tokens[at], self.tokens[at - 1]
        return before.exact in SENTENCE_END or (token.first and before.kind is Kind.MARKER)

    def _plain(self, at: int) -> int:
        """Take the token as it is; a word gets its normal spelling."""
        token = self.tokens[at]
        if token.kind is not Kind.WORD:
            # Marks, signs, addresses: their type is their form.
            link = token.kind is Kind.URL
            self.out.append(token._replace(sense=f"url:{normal(token.exact)}") if link else token)
            return 1
        drop = ""
        if self.pack is not None and self.pack.has("courtesy", token.base):
            drop = "courtesy"
        if self.gerund:
            self.gerund = False
            rule = "deontic-synonym" if token.rule == "case" else token.rule
            sense = f"word:{gerund(token.base)}"
            self.out.append(token._replace(sense=sense, rule=rule, drop=drop))
        else:
            self.out.append(token._replace(drop=drop) if drop else token)
        return 1


def _single_token(token: Token, single: Single) -> Token:
    """Return a word that is read by itself, with its sense and its category."""
    letters = "" if token.rule == "case" else token.rule
    return Token(
        Kind.OPERATOR if single.group else Kind.WORD,
        token.start, token.end, token.exact, single.sense, token.base,
        letters or single.rule, "", single.group,
        token.line, token.first, token.link, token.glued,
    )  # fmt: skip


def _has_plain_form(token: Token) -> bool:
    """Tell whether a token that begins no phrase is read as it is."""
    exact = token.exact
    if token.kind is Kind.SIGN:
        return exact not in _CURRENCY_SIGNS
    return exact.isalpha() and not exact.isupper()
