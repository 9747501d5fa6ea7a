"""The results as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.engines import ENGINES, OURS, PLAIN
from benchmarks.reasons import REASONS
from benchmarks.run import Cost, Measured
from benchmarks.settings import ROOT
from benchmarks.targets import NO_GOAL, Target

_HEADER = ("query", "1st Spark", "ours", "ms Spark", "ours", "DataF.", "DuckDB", "ratio",
           "MB Spark", "ours", "DataF.", "DuckDB", "ratio", "groups", "rows",
           "tasks", "jobs")  # fmt: skip
_WIDTHS = (44, 10, 7, 9, 7, 7, 7, 7, 9, 8, 8, 8, 7, 9, 19, 8, 6)


def table(measured: Sequence[Measured]) -> str:
    """Return a line for each query; ratios are plain Spark's to the extension's."""
    lines = [_line(_HEADER)]
    for m in measured:
        costs = [m.costs[engine] for engine in ENGINES]
        plain, ours = m.costs[PLAIN], m.costs[OURS]
        lines.append(
            _line(
                (
                    m.query.name,
                    *(f"{cost.first_seconds * 1e3:.0f}" for cost in (plain, ours)),
                    *(f"{cost.seconds * 1e3:.0f}" for cost in costs),
                    f"{plain.seconds / ours.seconds:.2f}",
                    *(f"{cost.bytes / 1e6:.2f}" for cost in costs),
                    f"{plain.bytes / max(1, ours.bytes):.1f}",
                    _known(ours.row_groups),
                    f"{_known(plain.rows_decoded)}/{_known(ours.rows_decoded)}",
                    f"{_known(plain.tasks)}/{_known(ours.tasks)}",
                    f"{_known(plain.jobs)}/{_known(ours.jobs)}",
                )
            )
        )
    lines.append("groups, ours: - if the LIMIT was not pruned; rows, tasks, jobs: Spark/ours")
    return "\n".join(lines)


def goals(results: Sequence[Target]) -> str:
    """Return a line for each target, with the reason if it is missed."""
    lines = []
    for target in results:
        values = [ratio.value for ratio in target.ratios]
        unknown = "no target" if target.goal == NO_GOAL and values else "not measured"
        state = {True: "met", False: "MISSED", None: unknown}[target.met]
        span = f"{min(values):.3g} to {max(values):.3g}" if values else "-"
        mean = target.geometric_mean
        mean_text = "-" if mean is None else f"{mean:.3g}"
        lines.append(f"{target.name:68} {target.goal:34} {state:12} {span}, mean {mean_text}")
        if target.met is False:
            lines.append(f"    {REASONS.get(target.name, 'reason not known')}")
    return "\n".join(lines)


def write_json(
    path: Path,
    queries: Sequence[dict[str, Any]],
    results: Sequence[Target],
    about: dict[str, Any],
    sizes: dict[str, dict[str, int]],
) -> None:
    """Write everything that was measured, with the sizes of the tables.

    Args:
        path: The file to write.
        queries: Each query with its costs.
        results: The targets.
        about: What is to be known of the run, besides the machine.
        sizes: The bytes and the number of files of each table.
    """
    document = {
        "tables": sizes,
        "targets": [_target(target) for target in results],
        "queries": list(queries),
    }
    save(path, about, document)


def save(path: Path, about: dict[str, Any], results: dict[str, Any]) -> None:
    """Write results as JSON, after what is to be known of the run and of the machine."""
    document = {"about": machine() | about, **results}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Return when, where and of what was measured; a load above the cores shows other programs."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
    cpus = Path("/proc/cpuinfo")
    names = (
        re.findall(r"^model name\s*: (.*)$", cpus.read_text(), re.MULTILINE)
        if cpus.exists()
        else []
    )
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "commit": commit(),
        "jvm": java.stderr.splitlines()[0] if java.stderr else None,
        "cpu": names[0] if names else platform.processor() or None,
        "cores": os.cpu_count(),
        "load_of_15_minutes": round(os.getloadavg()[2], 1),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit() -> str | None:
    """Return the commit of the working tree, with a mark if files were changed."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(git, capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def _target(target: Target) -> dict[str, Any]:
    mean = target.geometric_mean
    return {
        "name": target.name,
        "goal": target.goal,
        "met": target.met,
        "reason": REASONS.get(target.name) if target.met is False else None,
        "geometric_mean": None if mean is None else round(mean, 4),
        "ratios": {ratio.query: round(ratio.value, 4) for ratio in target.ratios},
    }


def costs_of(m: Measured) -> dict[str, Any]:
    """Return a query with its costs by engine, for JSON."""
    return {
        "query": m.query.name,
        "sql": m.query.sql,
        "costs": {engine: _cost(cost) for engine, cost in m.costs.items()},
    }


def cost_table(
    results: dict[str, Any],
    columns: dict[str, tuple[str, float, int]],
    costs_of: Callable[[dict[str, Any]], list[dict[str, Any] | None]],
) -> str:
    """Return a table with a line for each query, whose cells have each of its costs.

    Args:
        results: The results.
        columns: By their titles, the name of a number, its factor, and the digits to show.
        costs_of: Returns the costs of a query.
    """
    lines = [f"| query | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    for query in results["queries"]:
        of = costs_of(query)
        cells = [
            " / ".join(f"{one[key] * factor:.{digits}f}" if one else "-" for one in of)
            for key, factor, digits in columns.values()
        ]
        lines.append(f"| {' | '.join([query['query'].partition(', ')[2], *cells])} |")
    return "\n".join(lines) + "\n"


def store_costs(results: dict[str, Any]) -> str:
    """Return a table of times, requests and bytes, with a line for each query."""
    cells = {"ms": ("seconds", 1e3, 0), "requests": ("requests", 1, 0), "MB": ("bytes", 1e-6, 1)}
    sides = ("plain", "first", "second")
    return cost_table(results, cells, lambda query: [query[side] for side in sides])


def _cost(cost: Cost) -> dict[str, Any]:
    return asdict(cost) | {"seconds": round(cost.seconds, 4), "runs": len(cost.all_seconds)}


def _known(count: int | None) -> str:
    return "-" if count is None else str(count)


def _line(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    columns = [f"{cell:>{width}}" for cell, width in zip(rest, _WIDTHS[1:], strict=True)]
    return f"{first:<{_WIDTHS[0]}}" + "".join(columns)
