"""The chart of the README: the cost of plain Spark, as a multiple of the extension's cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks import tables
from benchmarks.engines import OURS, PLAIN
from benchmarks.queries import (
    CLUSTERED,
    COLLECT,
    DICTIONARY,
    LATEST,
    NONE,
    PREFIX,
    TO_PANDAS,
    UNPROVABLE,
    Query,
)
from benchmarks.run import Measured

_SHOWN = (
    Query(tables.EVENTS, NONE, 1_000, TO_PANDAS),
    Query(tables.EVENTS, CLUSTERED, 1_000, TO_PANDAS),
    Query(tables.EVENTS, PREFIX, 1_000, TO_PANDAS),
    Query(tables.EVENTS, DICTIONARY, 1_000, TO_PANDAS),
    Query(tables.EVENTS, NONE, 100, COLLECT, LATEST),
    Query(tables.EVENTS, UNPROVABLE, 1_000, COLLECT),
)
"""One query of each kind; the table of the results has all of them."""

_LEAST_RATIO = 0.5


def write_chart(path: Path, measured: Sequence[Measured], caption: str) -> None:
    """Draw the ratios of one query of each kind over the table of 60 files as a PNG."""
    import matplotlib as mpl  # slow, and needed only here

    mpl.use("agg")
    from matplotlib import pyplot as plt

    shown = [m for m in measured if m.query in _SHOWN] or list(measured[: len(_SHOWN)])
    if not shown:
        return
    shown.sort(key=lambda m: _SHOWN.index(m.query) if m.query in _SHOWN else 0, reverse=True)
    names = [m.query.name.partition(", ")[2] for m in shown]
    places = range(len(shown))
    figure, axes = plt.subplots(figsize=(9, 0.4 * len(shown) + 1.4), layout="constrained")
    least = _LEAST_RATIO
    for label, color, offset, ratios in (
        ("bytes read", "#9ecae1", 0.2, [m.costs[PLAIN].bytes / m.costs[OURS].bytes for m in shown]),
        ("time", "#08519c", -0.2, [m.costs[PLAIN].seconds / m.costs[OURS].seconds for m in shown]),
    ):
        axes.barh(
            [place + offset for place in places],
            [ratio - 1 for ratio in ratios],
            height=0.4,
            left=1,
            color=color,
            label=label,
        )
        least = min(least, *(ratio / 1.2 for ratio in ratios))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(left=least)
    axes.set_yticks(list(places), names, fontsize=8)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlabel("plain Spark / Spark with the extension, same run (1: no difference)")
    axes.set_title(caption, fontsize=9)
    axes.legend(loc="lower right")
    axes.grid(axis="x", alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
