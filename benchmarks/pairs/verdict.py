"""The rule: which kinds are slower with the extension, beyond noise."""

from __future__ import annotations

from benchmarks.pairs.interval import Estimate
from benchmarks.pairs.kind import Kind

LIMIT = 1.03
SHORT_LIMIT = 1.05
"""For queries that return at most two columns in less than `SHORT_SECONDS`."""
SHORT_SECONDS = 0.05

RED, FASTER, WITHIN, UNCLEAR, TOO_FEW = "SLOWER", "faster", "within", "unclear", "too few pairs"
MEANINGS = {
    RED: "the whole interval is above the limit",
    FASTER: "the whole interval is below 1",
    WITHIN: "the upper end of the interval is at most the limit",
    UNCLEAR: "the limit lies in the interval",
    TOO_FEW: "there is no interval",
}


def limit(kind: Kind, plain: float) -> float:
    """Return the greatest ratio that is allowed.

    Args:
        kind: The kind.
        plain: The median wall time of plain Spark, in seconds.
    """
    return SHORT_LIMIT if kind.is_narrow and plain < SHORT_SECONDS else LIMIT


def verdict(ratio: Estimate, most: float) -> str:
    """Return what the interval of the ratio ours / plain shows, where `most` is allowed."""
    if ratio.low is None or ratio.high is None:
        return TOO_FEW
    if ratio.low > most:
        return RED
    if ratio.high < 1:
        return FASTER
    return WITHIN if ratio.high <= most else UNCLEAR
