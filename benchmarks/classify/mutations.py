# ruff: noqa: E501 - the tables are read row by row
"""Make changes whose class is known by construction, in eight languages.

Policy-bearing: one modal, negation, number, unit, date, address, reference or
connective of a sentence becomes another. Cosmetic: spaces, line breaks,
markup, typography, links, footers. The seed decides everything.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SENTENCES: dict[str, tuple[str, ...]] = {
    "en": (
        "The tenant must return the keys within 14 days of the end of the lease.",
        "You may not pass the access code to visitors, unless the warden has agreed in writing.",
        "We keep access logs for 30 days and delete them afterwards, as set out in section 4.2.",
        "A late fee of 5% or 25 EUR applies from 1 March 2025; write to desk@harbor.example.",
        "The insurer can refuse payment if the loss was reported after six weeks.",
        "All members should store the device in a locked room at all times.",
    ),
    "de": (
        "Der Mieter muss die Schlüssel binnen 14 Tagen nach Ende der Mietzeit zurückgeben.",
        "Sie dürfen den Code nicht an Besucher weitergeben, es sei denn, der Wart stimmt zu.",
        "Wir bewahren Protokolle 30 Tage auf und löschen sie danach gemäß § 4 der Ordnung.",
        "Eine Gebühr von 5 % oder 25 Euro gilt ab 1. März 2025; schreiben Sie an amt@hafen.example.",
        "Der Versicherer kann die Zahlung ablehnen, wenn der Schaden nach sechs Wochen gemeldet wird.",
    ),
    "fr": (
        "Le locataire doit rendre les clés dans les 14 jours suivant la fin du bail.",
        "Vous ne pouvez pas transmettre le code aux visiteurs, sauf accord écrit du gardien.",
        "Nous conservons les journaux pendant 30 jours et les effaçons ensuite selon l'article 4.",
        "Des frais de 5 % ou 25 euros courent dès le 1er mars 2025 ; écrivez à bureau@port.example.",
        "L'assureur peut refuser le paiement si le sinistre est déclaré après six semaines.",
    ),
    "es": (
        "El inquilino debe devolver las llaves dentro de 14 días desde el fin del contrato.",
        "Usted no puede entregar el código a visitantes, salvo que el conserje lo acepte por escrito.",
        "Guardamos los registros durante 30 días y los borramos después según el artículo 4.",
        "Se aplica un cargo de 5 % o 25 euros desde el 1 de marzo de 2025; escriba a oficina@puerto.example.",
        "La aseguradora podrá negar el pago si el daño se comunica después de seis semanas.",
    ),
    "it": (
        "Il conduttore deve restituire le chiavi entro 14 giorni dalla fine del contratto.",
        "Lei non può consegnare il codice ai visitatori, salvo che il custode accetti per iscritto.",
        "Conserviamo i registri per 30 giorni e poi li cancelliamo secondo l'articolo 4.",
        "Si applica una spesa del 5 % o 25 euro dal 1 marzo 2025; scriva a ufficio@porto.example.",
        "L'assicuratore può negare il pagamento se il danno è comunicato dopo sei settimane.",
    ),
    "nl": (
        "De huurder moet de sleutels binnen 14 dagen na het einde van de huur teruggeven.",
        "U mag de code niet aan bezoekers geven, tenzij de beheerder schriftelijk instemt.",
        "Wij bewaren de logboeken 30 dagen en wissen ze daarna volgens artikel 4.",
        "Een toeslag van 5 % of 25 euro geldt vanaf 1 maart 2025; schrijf naar bureau@haven.example.",
        "De verzekeraar kan betaling weigeren als de schade na zes weken wordt gemeld.",
    ),
    "pl": (
        "Najemca musi zwrócić klucze w ciągu 14 dni od końca najmu.",
        "Najemca nie może przekazać kodu gościom, chyba że dozorca wyrazi zgodę.",
        "Przechowujemy dzienniki przez 30 dni i usuwamy je zgodnie z artykułem 4.",
        "Opłata 5 % lub 25 euro obowiązuje od 1 marca 2025; adres biuro@port.example.",
        "Ubezpieczyciel może odmówić zapłaty, jeżeli szkodę zgłoszono po sześciu tygodniach.",
    ),
    "pt": (
        "O inquilino deve devolver as chaves no prazo de 14 dias após o fim do contrato.",
        "O inquilino não pode entregar o código a visitantes, salvo acordo escrito do porteiro.",
        "Guardamos os registos durante 30 dias e depois apagamos tudo segundo o artigo 4.",
        "Aplica-se uma taxa de 5 % ou 25 euros desde 1 de março de 2025; escreva para balcao@porto.example.",
        "A seguradora pode negar o pagamento se o dano for comunicado após seis semanas.",
    ),
}  # fmt: skip
_SWAPS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("must", "may"), ("may", "must"), ("can", "must"), ("should", "must"), ("and", "or"), ("or", "and"), ("within", "after"), ("after", "before"), ("All", "Some"), ("not ", ""), (", unless the warden has agreed in writing", ""), ("six", "nine"), ("days", "months"), ("EUR", "USD")),
    "de": (("muss", "kann"), ("dürfen", "müssen"), ("kann", "muss"), ("und", "oder"), ("oder", "und"), ("binnen", "nach"), ("nicht ", ""), (", es sei denn, der Wart stimmt zu", ""), ("sechs", "neun"), ("Tagen", "Monaten"), ("Euro", "Franken")),
    "fr": (("doit", "peut"), ("peut", "doit"), ("et", "ou"), ("ou", "et"), ("dans", "après"), ("ne pouvez pas", "pouvez"), (", sauf accord écrit du gardien", ""), ("six", "neuf"), ("jours", "mois"), ("euros", "francs")),
    "es": (("debe", "puede"), ("podrá", "deberá"), ("y", "o"), ("o", "y"), ("no ", ""), (", salvo que el conserje lo acepte por escrito", ""), ("seis", "nueve"), ("días", "meses"), ("después", "antes")),
    "it": (("deve", "può"), ("può", "deve"), ("e", "o"), ("o", "e"), ("non ", ""), (", salvo che il custode accetti per iscritto", ""), ("sei", "nove"), ("giorni", "mesi"), ("entro", "dopo")),
    "nl": (("moet", "mag"), ("kan", "moet"), ("en", "of"), ("of", "en"), ("niet ", ""), (", tenzij de beheerder schriftelijk instemt", ""), ("zes", "negen"), ("dagen", "maanden"), ("binnen", "na")),
    "pl": (("musi", "może"), ("może", "musi"), ("i", "lub"), ("lub", "i"), ("nie ", ""), (", chyba że dozorca wyrazi zgodę", ""), ("sześciu", "ośmiu"), ("dni", "miesięcy"), ("po", "przed")),
    "pt": (("deve", "pode"), ("pode", "deve"), ("e", "ou"), ("ou", "e"), ("não ", ""), (", salvo acordo escrito do porteiro", ""), ("seis", "nove"), ("dias", "meses"), ("após", "antes")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One made change: its class is known because we made it."""

    lang: str
    mutator: str
    policy_bearing: bool
    before: str
    after: str


def _swaps(text: str, lang: str) -> Iterator[tuple[str, str]]:
    for old, new in _SWAPS[lang]:
        pattern = rf"(?<!\w){re.escape(old)}(?!\w)" if old[-1].isalpha() else re.escape(old)
        changed = re.sub(pattern, new, text, count=1)
        if changed != text:
            yield f"swap:{old.strip(' ,')[:16]}", changed


def _numbers(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"\d+", text):
        value = str(int(match[0]) + rng.choice([1, 2, 5, 10, 60]))
        yield "number", text[: match.start()] + value + text[match.end() :]
    if "@" in text:
        yield "contact", re.sub(r"\w+@", lambda m: f"x{m[0]}", text)


def _drop_words(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    words = text.split(" ")
    at = rng.choice([k for k in range(1, len(words) - 1) if len(words[k]) > 3])
    yield "word-removed", " ".join(words[:at] + words[at + 1 :])
    yield "word-added", " ".join([*words[:at], "zorb", *words[at:]])


def _spaces(rng: random.Random, text: str, new: str) -> str:
    places = [m.start() for m in re.finditer(" ", text)]
    for at in sorted(rng.sample(places, min(3, len(places))), reverse=True):
        text = text[:at] + new + text[at + 1 :]
    return text


def _inside(rng: random.Random, text: str, mark: str) -> str:
    words = list(re.finditer(r"(?<![\w@.])[^\W\d_]{6,}(?![\w@.])", text))
    match = rng.choice(words)
    at = rng.randrange(match.start() + 2, match.end() - 2)
    return text[:at] + mark + text[at:]


def _around(rng: random.Random, text: str, left: str, right: str) -> str:
    match = rng.choice(list(re.finditer(r"(?<![\w@.])[^\W\d_]{4,}(?![\w@.])", text)))
    return text[: match.start()] + left + match[0] + right + text[match.end() :]


COSMETIC: dict[str, Callable[[random.Random, str], str]] = {
    "nbsp": lambda rng, text: _spaces(rng, text, "\u00a0"),
    "double-space": lambda rng, text: _spaces(rng, text, "  "),
    "rewrap": lambda rng, text: _spaces(rng, text, "\n"),
    "soft-hyphen": lambda rng, text: _inside(rng, text, "\u00ad"),
    "zero-width": lambda rng, text: _inside(rng, text, "\u200b"),
    "line-hyphen": lambda rng, text: _inside(rng, text, "-\n"),
    "bold": lambda rng, text: _around(rng, text, "**", "**"),
    "italic": lambda rng, text: _around(rng, text, "_", "_"),
    "code": lambda rng, text: _around(rng, text, "<b>", "</b>"),
    "link": lambda rng, text: _around(rng, text, "[", f"](https://a.example/{rng.random()})"),
    "nfd": lambda _, text: unicodedata.normalize("NFD", text),
    "entities": lambda _, text: "".join(c if c.isascii() else f"&#{ord(c)};" for c in text),
    "trailing-space": lambda _, text: f"{text}   ",
    "bullet": lambda _, text: f"* {text}",
    "heading-space": lambda _, text: f"  {text}",
    "footer": lambda rng, text: f"{text}\nHarbor Rules \u2013 Page {rng.randint(1, 9)} of 12\n",
}  # fmt: skip


def mutants(seed: int, rounds: int) -> Iterator[Mutant]:
    """Yield the mutants of `rounds` passes over all sentences, decided by `seed`."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for lang, sentences in SENTENCES.items():
            for before in sentences:
                for name, after in (
                    *_swaps(before, lang),
                    *_numbers(before, rng),
                    *_drop_words(before, rng),
                ):
                    yield Mutant(lang, name, True, before, after)
                    yield Mutant(lang, name, True, after, before)
                for name, change in COSMETIC.items():
                    after = change(rng, before)
                    if after != before:
                        yield Mutant(lang, name, False, before, after)
