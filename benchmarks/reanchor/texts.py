"""Texts of any size, made from a seed: a statute, and an edited copy."""

from __future__ import annotations

import random

_NOUNS = [
    "record",
    "notice",
    "request",
    "account",
    "customer",
    "provider",
    "authority",
    "period",
    "contract",
    "payment",
    "report",
    "breach",
    "measure",
    "purpose",
    "transfer",
    "consent",
    "document",
    "register",
    "deadline",
    "fee",
    "appeal",
    "decision",
    "officer",
    "agency",
    "applicant",
    "licence",
    "permit",
    "property",
    "tenant",
    "owner",
]
_VERBS = [
    "keep",
    "delete",
    "notify",
    "review",
    "transfer",
    "register",
    "publish",
    "refuse",
    "grant",
    "revoke",
    "inspect",
    "archive",
    "disclose",
    "amend",
    "sign",
    "deliver",
]
_TAILS = """without delay|within {n} days|in writing|free of charge|upon request|as set out in
section {n}|unless section {n} provides otherwise|for a period of {n} months""".replace("\n", " ")


def statute(seed: int, sections: int) -> str:
    """Return a text of numbered sections with headings, clauses and short lists."""
    rng = random.Random(seed)
    tails = _TAILS.split("|")
    parts: list[str] = []
    for number in range(1, sections + 1):
        parts.append(f"## § {number} {rng.choice(_NOUNS).title()} of the {rng.choice(_NOUNS)}\n")
        for clause in range(1, rng.randint(2, 5)):
            sentences = [
                f"The {rng.choice(_NOUNS)} shall {rng.choice(_VERBS)} the {rng.choice(_NOUNS)} of "
                f"the {rng.choice(_NOUNS)} {rng.choice(tails).format(n=rng.randint(2, 400))}."
                for _ in range(rng.randint(1, 3))
            ]
            parts.append(f"({clause}) " + " ".join(sentences) + "\n")
    return "\n".join(parts)


def edited(text: str, seed: int, share: float) -> str:
    """Return `text` with a word changed in that share of its lines, some lines gone or new."""
    rng = random.Random(seed)
    out: list[str] = []
    for line in text.split("\n"):
        words = line.split(" ")
        if len(words) > 3 and rng.random() < share:
            words[rng.randrange(len(words))] = rng.choice(_NOUNS)
            out.append(" ".join(words))
            continue
        if words[0] and rng.random() < 0.003:
            continue
        out.append(line)
        if rng.random() < 0.002:
            out.append(f"A new line speaks of the {rng.choice(_NOUNS)} alone.")
    return "\n".join(out)
