"""The statistics of the review loop: who is drawn, and what verdicts say of all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist


def drawn(seed: str, change_id: str, chance: float) -> bool:
    """Tell whether a change is drawn for review: the same answer every time.

    A number from 0 to 1 is made of seed and id; below `chance` it is drawn. So
    whoever is drawn at one chance is drawn at every larger one.
    """
    digest = hashlib.sha256(f"{seed}\n{change_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < chance * 2**64


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate among all, with the bounds of its confidence interval (0 to 1).

    `count` is how many verdicts it rests on; without any, nothing is known and
    the interval is the whole of 0 to 1.
    """

    rate: float
    lower: float
    upper: float
    count: int

    def within(self, budget: float) -> bool | None:
        """Tell whether the true rate keeps a budget; None where it cannot be told yet."""
        if self.upper <= budget:
            return True
        return False if self.lower > budget else None


NOTHING = Estimate(0.0, 0.0, 1.0, 0)


def estimate(verdicts: Iterable[tuple[bool, float]], confidence: float) -> Estimate:
    """Return the rate of hits among all from which `verdicts` were drawn.

    A verdict is (hit, chance of having been drawn): one that was drawn with
    chance 1/10 stands for ten (Horvitz and Thompson 1952). The interval is
    Wilson's (1927) for the effective number of verdicts (Kish 1965), which is
    their number where all chances are equal.
    """
    weighted = [(hit, 1.0 / chance) for hit, chance in verdicts]
    if not weighted:
        return NOTHING
    total = sum(weight for _, weight in weighted)
    rate = sum(weight for hit, weight in weighted if hit) / total
    effective = total**2 / sum(weight**2 for _, weight in weighted)
    lower, upper = wilson(rate, effective, confidence)
    return Estimate(rate, lower, upper, len(weighted))


def wilson(rate: float, number: float, confidence: float) -> tuple[float, float]:
    """Return the bounds of Wilson's score interval for `rate` of `number` trials."""
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    middle = rate + z**2 / (2.0 * number)
    half = z * (rate * (1.0 - rate) / number + z**2 / (4.0 * number**2)) ** 0.5
    scale = 1.0 + z**2 / number
    # Rounding must not push a bound past the rate that it bounds.
    lower, upper = (middle - half) / scale, (middle + half) / scale
    return max(0.0, min(lower, rate)), min(1.0, max(upper, rate))
