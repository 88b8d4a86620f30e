"""Which language a text is written in: scripts first, then the commonest words.

Only to notice that a site answered in another language than before, so it says
"" rather than guess: unsure is no change.
"""

from __future__ import annotations

import re
from collections import Counter

from watcher.fetch.similarity import tokens

_SAMPLE = 20_000
_SURE_SHARE = 0.08
_SURE_LEAD = 1.6

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(f"[{span}]"))
    for name, span in (
        ("ja", "\u3040-\u30ff"),
        ("ko", "\u1100-\u11ff\uac00-\ud7af"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
        ("he", "\u0590-\u05ff"),
        ("ar", "\u0600-\u06ff"),
        ("hi", "\u0900-\u097f"),
        ("th", "\u0e00-\u0e7f"),
        ("el", "\u0370-\u03ff"),
        ("cyrillic", "\u0400-\u04ff"),
        ("ka", "\u10a0-\u10ff"),
        ("hy", "\u0530-\u058f"),
        ("latin", "A-Za-z\u00c0-\u024f"),
    )
)

_COMMON: dict[str, str] = {
    "en": "the of and to in is that for with as are be this by on or you your we our not from",
    "de": "der die das und in zu den ist mit von nicht ein eine für auf dem des sich werden wir",
    "fr": "le la les de des et en un une du que est pour dans vous nous sur par ne pas votre vos",
    "es": "el la los las de y en que un una del por con para se no su sus al es como usted",
    "it": "il la di e che in un una del della per con non i le sono si da al dei nel gli nostro",
    "pt": "o a os as de e que do da em um uma para com não por se no na dos das ao seus você",
    "nl": "de het een en van in is op te dat die voor met niet zijn u wij aan door of uw wordt",
    "pl": "i w na z do nie się że jest o oraz przez dla od za są które lub po przy jego",
    "cs": "a v se na je že o s z do pro jsou nebo jako které za být k ve podle při",
    "sv": "och i att det som en på är av för med den till inte om ett vi du eller kan din",
    "da": "og i at det som en på er af for med den til ikke om et vi du eller kan din",
    "fi": "ja on ei että se ovat tai sekä joka kun voi myös tämän mukaan sen jos ole ovat",
    "hu": "a az és hogy nem is egy ez vagy meg van azt által kell mint csak amely",
    "ro": "și de în la cu pe nu care din este pentru sau sunt prin mai că o un fi",
    "tr": "ve bir bu için ile da de olarak olan veya daha gibi kadar ne her en olduğu",
    "vi": "và của các là trong cho được với không có này người những để một tôi bạn chúng",
    "id": "dan yang di untuk dengan ini dari pada atau kami tidak anda adalah akan dalam oleh",
    "ru": "и в на не что с по для как это от или из к при о вы мы за его также",
    "uk": "і в на не що з та до для як це від або ви ми за його також у про є",
    "bg": "и на за да се от в не с по е като или са до ще при което вашите",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_CYRILLIC = frozenset({"ru", "uk", "bg"})


def guess_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of `text`, "" where it is not clear."""
    sample = text[:_SAMPLE]
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    total = sum(counts.values())
    if total < 100:
        return ""
    if counts["ja"] > total / 20:
        return "ja"
    script = max(counts, key=lambda name: counts[name])
    if counts[script] < total * 0.6:
        return ""
    if script not in ("latin", "cyrillic"):
        return script
    return _by_words(sample, cyrillic=script == "cyrillic")


def _by_words(sample: str, *, cyrillic: bool) -> str:
    words = Counter(tokens(sample))
    total = sum(words.values())
    scores = {
        language: sum(words[word] for word in common) / total
        for language, common in _WORDS.items()
        if (language in _CYRILLIC) == cyrillic
    }
    (best, first), (_, second) = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    return best if first >= _SURE_SHARE and first >= second * _SURE_LEAD else ""
