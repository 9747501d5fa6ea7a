"""A mean of ratios, with the least and the most of them."""

from __future__ import annotations

from collections.abc import Iterable


def spread(mean: float | None, values: Iterable[float]) -> str:
    """Return the mean with the least and the most value; if there is no mean, only these."""
    found = sorted(values)
    least, most = short(found[0]), short(found[-1])
    if mean is None:
        return f"{least} to {most}"
    return short(mean) if len(found) == 1 else f"{short(mean)} ({least} to {most})"


def short(number: float) -> str:
    """Return a number with three digits, or all before the point, and at most two after it."""
    return f"{number:.{0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2}f}"
