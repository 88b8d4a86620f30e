"""Policy pages made from known clauses, with every trap that was seen in the wild."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

WORDS = re.findall(
    r"\S+",
    "we retain personal data for thirty days unless the customer requests deletion in writing "
    "not later than section 4.2 processor controller lawful Aufbewahrungsfrist Schlüssel "
    "délai conservation données 個人情報 保存期間 хранения данных £500 30% e-mail § 12(b) shall "
    "must "
    "may",
)
_INLINE = ("b", "i", "em", "strong", "span", "a", "u", "mark", "code", "font", "small", "x-note")


@dataclass(frozen=True, slots=True)
class Page:
    """The markup, and the words of each clause in order."""

    markup: bytes
    content_type: str
    clauses: tuple[str, ...]


def page(seed: int) -> Page:
    """The page of that seed; equal seeds give equal pages."""
    chance = random.Random(seed)
    clauses = [_clause(chance) for _ in range(chance.randint(8, 30))]
    parts = [chance.choice(_WRAPPERS)(_broken(clause, chance)) for clause in clauses]
    body = "".join(parts)
    for trap in chance.sample(_AROUND, chance.randint(0, 3)):
        body = trap(body)
    head = "".join(chance.sample(_HEADS, chance.randint(0, len(_HEADS))))
    markup = f"<!doctype html><html><head><title>t</title>{head}</head><body>{body}</body></html>"
    charset = chance.choice(["utf-8", "utf-8", "utf-16-le", "gb18030"])
    declared = "text/html" if charset == "utf-16-le" else f"text/html; charset={charset}"
    data = markup.encode(charset)
    return Page(b"\xff\xfe" + data if charset == "utf-16-le" else data, declared, tuple(clauses))


def _clause(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(4, 25)))


def _broken(clause: str, chance: random.Random) -> str:
    """The clause with tags, comments and line ends where they change nothing that is seen."""
    out = []
    for word in clause.split():
        cut = chance.randint(0, len(word))
        tag = chance.choice(_INLINE)
        out.append(
            chance.choice(
                [
                    word,
                    word,
                    f"<{tag}>{word}</{tag}>",
                    f"{word[:cut]}<{tag}>{word[cut:]}</{tag}>",
                    f"{word[:cut]}<!-- note -->{word[cut:]}",
                    f"{word[:cut]}<wbr>{word[cut:]}",
                    f"{word[:cut]}<span></span>{word[cut:]}",
                    f"<{tag}><{tag}>{word}</{tag}></{tag}>",
                ]
            )
        )
    return "".join(word + chance.choice([" ", " ", "\n", "  \t", "<span> </span>"]) for word in out)


_WRAPPERS: tuple[Callable[[str], str], ...] = (
    lambda s: f"<p>{s}</p>",
    lambda s: f"<p>{s}",
    lambda s: f"<div>{s}</div>",
    lambda s: f"<ul><li>{s}<li></ul>",
    lambda s: f"<ol><li><p>{s}</p></ol>",
    lambda s: f"<h3>{s}</h3>",
    lambda s: f"<blockquote>{s}</blockquote>",
    lambda s: f"<dl><dt>{s}</dl>",
    lambda s: f"<details><summary>{s}</summary></details>",
    lambda s: f"<div class=accordion hidden>{s}</div>",
    lambda s: f"<div style='display:none'>{s}</div>",
    lambda s: f"<div aria-hidden=true><p>{s}</p></div>",
    lambda s: f"<table><tr><td>{s}</table>",
    lambda s: f"<table><tbody><tr><td></td><td>{s}</td><td></td></tr></table>",
    lambda s: f"<table role=presentation><tr><td><p>{s}</p></td></tr></table>",
    lambda s: f"<table><tr><td><table><tr><td>{s}</table></table>",
    lambda s: f"<section><header>{s}</header></section>",
    lambda s: f"<footer>{s}</footer>",
    lambda s: f"<aside>{s}</aside>",
    lambda s: f"<nav><a href=/x>{s}</a></nav>",
    lambda s: f"<form><fieldset><legend>{s}</legend></fieldset></form>",
    lambda s: f"<center>{s}</center>",
    lambda s: f"<div>{s}<br></div>",
    lambda s: f"<div><br>{s}<hr></div>",
    lambda s: f"<p>{s}<script>var x='<p>no</p>'</script></p>",
    lambda s: f"<template><p>no</p></template><p>{s}",
    lambda s: f"<noscript><p>no</p></noscript><p>{s}",
    lambda s: f"<iframe src=/no></iframe><p>{s}",
)
_AROUND: tuple[Callable[[str], str], ...] = (
    lambda s: "<div>" * 2000 + s + "</div>" * 2000,
    lambda s: f"<main><article>{s}</article></main>",
    lambda s: f"<div hidden>{s}</div>",
    lambda s: f"<table><tr><td><h2></h2>{s}</td></tr></table>",
    lambda s: f"<form>{s}</form>",
    lambda s: f"<center><font>{s}",
)
_HEADS = (
    "<noscript><iframe src='https://tag.example/ns.html'></iframe></noscript>",
    "<script>document.write('<p>no</p>')</script>",
    "<style>p::before{content:'no'}</style>",
    "<meta name=description content=no>",
    "<link rel=stylesheet href=/no.css>",
)
