"""The costs of each query over a table format, as a table of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.run import Cost, Measured

_NAME = 44


def table(measured: Sequence[Measured], engines: Sequence[str], titles: Sequence[str]) -> str:
    """Return a line for each query.

    Args:
        measured: The queries.
        engines: The format alone first, the extension last; each has a column for each cost.
        titles: The titles of their columns.
    """
    groups = [(f"{cost} {titles[0]}", *titles[1:]) for cost in ("first ms:", "ms:", "MB:")]
    header = ("query", *(title for group in groups for title in group), "groups", "tasks")
    widths = [max(9, len(title) + 2) for title in header[1:-1]] + [12]
    return "\n".join(
        _line(cells, widths) for cells in (header, *(_cells(m, engines) for m in measured))
    )


def _cells(m: Measured, engines: Sequence[str]) -> tuple[str, ...]:
    costs = [m.costs.get(engine) for engine in engines]
    alone, ours = m.costs[engines[0]], m.costs[engines[-1]]
    return (
        m.query.name,
        *(_number(cost, lambda c: c.first_seconds * 1e3, 0) for cost in costs),
        *(_number(cost, lambda c: c.seconds * 1e3, 0) for cost in costs),
        *(_number(cost, lambda c: c.bytes / 1e6, 2) for cost in costs),
        "-" if ours.row_groups is None else str(ours.row_groups),
        f"{alone.tasks}/{ours.tasks}",
    )


def _number(cost: Cost | None, of: Callable[[Cost], float], digits: int) -> str:
    return "-" if cost is None else f"{of(cost):.{digits}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = cells
    columns = [f"{cell:>{width}}" for cell, width in zip(rest, widths, strict=True)]
    return f"{first:<{_NAME}}" + "".join(columns)
