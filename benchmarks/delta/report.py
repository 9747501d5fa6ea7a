"""The costs of each query as a table of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.engines import DELTA, DELTA_ENGINES, DELTA_OURS
from benchmarks.run import Cost, Measured

_HEADER = ("query", *("first ms", "no p.d.", "ours"), *("ms", "no p.d.", "ours"),
           *("MB", "no p.d.", "ours"), "groups", "tasks")  # fmt: skip
_WIDTHS = (44, *(10, 9, 8) * 3, 8, 12)


def table(measured: Sequence[Measured]) -> str:
    """Return a line for each query: Delta, Delta without push-down (no p.d.), ours."""
    return "\n".join([_line(_HEADER), *(_line(_cells(m)) for m in measured)])


def _cells(m: Measured) -> tuple[str, ...]:
    costs = [m.costs.get(engine) for engine in DELTA_ENGINES]
    ours = m.costs[DELTA_OURS]
    return (
        m.query.name,
        *(_number(cost, lambda c: c.first_seconds * 1e3, 0) for cost in costs),
        *(_number(cost, lambda c: c.seconds * 1e3, 0) for cost in costs),
        *(_number(cost, lambda c: c.bytes / 1e6, 2) for cost in costs),
        "-" if ours.row_groups is None else str(ours.row_groups),
        f"{m.costs[DELTA].tasks}/{ours.tasks}",
    )


def _number(cost: Cost | None, of: Callable[[Cost], float], digits: int) -> str:
    return "-" if cost is None else f"{of(cost):.{digits}f}"


def _line(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    columns = [f"{cell:>{width}}" for cell, width in zip(rest, _WIDTHS[1:], strict=True)]
    return f"{first:<{_WIDTHS[0]}}" + "".join(columns)
