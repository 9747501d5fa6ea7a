"""The median of a sample, with an interval that does not depend on how the values are spread."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median with its interval; no ends if the sample is too small for an interval.

    Attributes:
        median: The median of the sample.
        low: The lower end of the interval of the median.
        high: The upper end.
    """

    median: float
    low: float | None
    high: float | None


def estimate(values: Sequence[float]) -> Estimate:
    """Return the median with its 95 % interval, whose ends are values of the sample.

    The number of values below the true median has a binomial distribution with p = 1/2. So the
    value of rank k, counted from each end, is beyond the true median with the probability that
    fewer than k values are. Of 30 values, the interval is from the 10th to the 21st.
    """
    ordered = sorted(values)
    rank = greatest_rank(len(ordered))
    ends = (ordered[rank - 1], ordered[-rank]) if rank else (None, None)
    return Estimate(statistics.median(ordered), *ends)


def greatest_rank(count: int) -> int:
    """Return the greatest rank whose interval has the confidence; 0 if not even the first has."""
    beyond = 0
    for rank in range(count // 2 + 1):
        beyond += comb(count, rank)  # at most `rank` values are on one side
        if 2 * beyond > (1 - CONFIDENCE) * 2**count:
            return rank
    return count // 2
