"""What the extension saves, in one table of the README: ratios of the committed results."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines import DATAFUSION, DUCKDB

RESULTS = Path(__file__).parent / "results"
_TITLES = (
    "query", "bytes: plain / ours", "time: plain / ours", "bytes: DataFusion / ours",
    "bytes: DuckDB / ours",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of the table.

    Attributes:
        what: The queries, in words.
        file: The name of the JSON file with their results.
        contains: Texts of which the name or the kind of a query has all.
        without: Texts of which it has none.
    """

    what: str
    file: str
    contains: tuple[str, ...]
    without: tuple[str, ...] = (", collect", ", plan", ", count", ", join")

    def queries(self) -> list[dict[str, Any]]:
        """Return the costs of the queries by engine."""
        measured = json.loads((RESULTS / self.file).read_text(encoding="utf-8"))["queries"]
        found = [one["costs"] for one in measured if self._is_of(_name(one))]
        assert found, self
        return found

    def _is_of(self, name: str) -> bool:
        return all(text in name for text in self.contains) and not any(
            text in name for text in self.without
        )


SORTED = ("events, clustered, LIMIT",)
NEWEST = ("events, none, ORDER BY ts DESC, LIMIT 100,",)
COMPARED, ROWS, DELTA, ICEBERG = "5GB-2000.json", "rows.json", "delta.json", "iceberg.json"
LINES = (
    Line("a range of the column by which the table is sorted", COMPARED, SORTED),
    Line("no `WHERE`", COMPARED, ("events, none, LIMIT",)),
    Line("`ORDER BY` that column, `LIMIT 100`", COMPARED, NEWEST, ()),
    Line(
        "a predicate that metadata do not prove; files as Spark writes them",
        ROWS,
        ("web_spark", "not at the root"),
        (),
    ),
    Line(
        "the same; files with one page for each column chunk",
        ROWS,
        ("web,", "not at the root"),
        (),
    ),
    Line(
        "the same, with `collect`, which starts one task; both kinds of files",
        ROWS,
        (" at the root",),
        ("not at the root",),
    ),
    Line("few rows in the whole table match; both kinds of files", ROWS, ("needle",), ()),
    Line(
        "`ORDER BY` a column by which nothing is sorted; files as Spark writes them",
        ROWS,
        ("web_spark", "ORDER BY"),
        (),
    ),
    Line("the same; 240 row groups instead of 6", ROWS, ("240 row groups",), ()),
    Line(
        "the same; 24 row groups, with one page for each column chunk",
        ROWS,
        ("web,", "ORDER BY"),
        (),
    ),
    Line("queries 24 to 27 of ClickBench, over tables of its shape", ROWS, ("ClickBench",), ()),
    Line("Delta Lake: a range of the sorted column", DELTA, SORTED),
    Line("Delta Lake: `ORDER BY` that column, `LIMIT 100`", DELTA, NEWEST, ()),
    Line("Apache Iceberg: a range of the sorted column", ICEBERG, SORTED),
    Line("Apache Iceberg: `ORDER BY` that column, `LIMIT 100`", ICEBERG, NEWEST, ()),
)


def table() -> str:
    """Return the table."""
    lines = [f"| {' | '.join(_TITLES)} |", "| --- " * len(_TITLES) + "|"]
    lines += [f"| {' | '.join((line.what, *_ratios(line)))} |" for line in LINES]
    return "\n" + "\n".join(lines) + "\n\n"


def _ratios(line: Line) -> list[str]:
    queries = line.queries()
    engines = list(queries[0])
    # Of Delta Lake, there are two without the extension.
    plain, ours = engines[0], next(name for name in engines if name.endswith("+ extension"))

    def ratio(engine: str, unit: str) -> list[float]:
        return [costs[engine][unit] / costs[ours][unit] for costs in queries]

    others = [
        _times(ratio(engine, "bytes")) if engine in queries[0] else "-"
        for engine in (DATAFUSION, DUCKDB)
    ]
    return [_times(ratio(plain, "bytes")), _times(ratio(plain, "seconds")), *others]


def _times(ratios: list[float]) -> str:
    """Return the geometric mean of ratios, with the least and the most."""
    mean = _short(math.exp(sum(map(math.log, ratios)) / len(ratios)))
    return mean if len(ratios) == 1 else f"{mean} ({_short(min(ratios))} to {_short(max(ratios))})"


def _short(number: float) -> str:
    return f"{number:.{0 if number >= 20 else 1}f}" if number >= 0.95 else f"{number:.2g}"


def _name(measured: dict[str, Any]) -> str:
    query = measured["query"]
    return query if isinstance(query, str) else f"{query['name']}, {query['kind']}"
