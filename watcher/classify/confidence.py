"""The statistics of a review: confidence intervals, and samples that a seed repeats."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from watcher.errors import UsageError


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimated share with the bounds of its confidence interval, all 0 to 1."""

    estimate: float
    low: float
    high: float


def wilson(hits: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the two-sided Wilson score interval of `hits` in `trials`.

    Wilson, JASA 22 (1927): centre (p + z²/2n) / (1 + z²/n), half width
    z sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n). It holds its confidence for small
    counts and for shares near 0, where reviews of suppressed changes live.

    Raises:
        UsageError: `hits` is not within 0 to `trials`, or `confidence` not
            between 0 and 1.
    """
    if not 0 <= hits <= trials or not 0 < confidence < 1:
        raise UsageError(
            f"{hits} of {trials} at confidence {confidence} is no count",
            hint="give 0 <= hits <= trials and 0 < confidence < 1",
        )
    if trials == 0:
        return Interval(0.0, 0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = hits / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == trials else min(1.0, centre + half)
    return Interval(share, low, high)


def upper_bound(hits: int, trials: int, confidence: float = 0.95) -> float:
    """Return the one-sided exact (Clopper-Pearson) upper bound of a share.

    It is the largest share under which `hits` or fewer in `trials` still has
    probability 1 - `confidence`; found by bisection, exact to 1e-12. With no
    hit it is 1 - (1 - confidence)^(1/trials), the "rule of three".

    Raises:
        UsageError: as `wilson`.
    """
    wilson(hits, trials, confidence)
    if trials in (0, hits):
        return 1.0
    low, high = hits / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(hits, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(hits: int, trials: int, share: float) -> float:
    """Return the binomial probability of at most `hits` in `trials`, 0 < share < 1."""
    if share >= 1.0:
        return 0.0
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(share)
        + (trials - k) * math.log1p(-share)
        for k in range(hits + 1)
        if share > 0
    ]
    return math.fsum(math.exp(value) for value in logs) if logs else 1.0


@dataclass(frozen=True, slots=True)
class Stratum:
    """Suppressed changes of one kind: how many there were, were read, were wrong."""

    total: int
    read: int
    missed: int


def missed_rate(strata: Iterable[Stratum], confidence: float = 0.95) -> Interval:
    """Return the share of suppressed changes that should have been told.

    Each stratum's share is weighted by its size. The bounds are the weighted
    sums of the strata's Wilson bounds: wider than needed, never too narrow. A
    stratum that nobody read counts as unknown, 0 to 1.
    """
    known = [stratum for stratum in strata if stratum.total > 0]
    size = sum(stratum.total for stratum in known)
    if not size:
        return Interval(0.0, 0.0, 1.0)
    parts = [(s.total / size, wilson(s.missed, s.read, confidence)) for s in known]
    return Interval(
        math.fsum(weight * part.estimate for weight, part in parts),
        math.fsum(weight * part.low for weight, part in parts),
        min(1.0, math.fsum(weight * part.high for weight, part in parts)),
    )


def sample(keys: Sequence[str], size: int, seed: str) -> tuple[str, ...]:
    """Return `size` of `keys`, chosen by `seed`, in the order of `keys`.

    The keys with the smallest SHA-256 of seed and key are taken: the same on
    every machine and Python, independent of the order of `keys`, and a key
    that is in the sample stays in it when the sample grows.
    """
    chosen = set(sorted(set(keys), key=lambda key: (rank(key, seed), key))[: max(0, size)])
    return tuple(key for key in dict.fromkeys(keys) if key in chosen)


def rank(key: str, seed: str) -> float:
    """Return a number in [0, 1) that `seed` gives to `key`: below a rate means sampled."""
    digest = hashlib.sha256(f"{seed}\n{key}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64
