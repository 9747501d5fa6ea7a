"""What the extension saves, in one table of the README: ratios of the committed results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.engines import DATAFUSION, DUCKDB, OURS

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
    Line("proved: a range of the sorted column", COMPARED, SORTED),
    Line("proved: no `WHERE`", COMPARED, ("events, none, LIMIT",)),
    Line("top-k: `ORDER BY` the sorted column, `LIMIT 100`", COMPARED, NEWEST, ()),
    Line("top-k: an unsorted column, 240 row groups", ROWS, ("240 row groups",), ()),
    Line("top-k: an unsorted column, 6 row groups", ROWS, ("web_spark", "ORDER BY"), ()),
    Line("top-k: an unsorted column, 24 row groups¹", ROWS, ("web,", "ORDER BY"), ()),
    Line("not proved", ROWS, ("web_spark", "not at the root"), ()),
    Line("not proved¹", ROWS, ("web,", "not at the root"), ()),
    Line(
        "not proved, `collect`, which starts one task²", ROWS, (" at the root",),
        ("not at the root",),
    ),
    Line("not proved, few rows of the table match²", ROWS, ("needle",), ()),
    Line("ClickBench, queries 24 to 27²", ROWS, ("ClickBench",), ()),
    Line("`SELECT DISTINCT url … LIMIT 10`²", ROWS, ("ten urls",), ()),
    Line("the newest row of each group²", ROWS, ("newest by",), ()),
    Line("Delta Lake: a range of the sorted column", DELTA, SORTED),
    Line("Delta Lake: `ORDER BY` it, `LIMIT 100`", DELTA, NEWEST, ()),
    Line("Iceberg: a range of the sorted column", ICEBERG, SORTED),
    Line("Iceberg: `ORDER BY` it, `LIMIT 100`", ICEBERG, NEWEST, ()),
)  # fmt: skip
_NOTES = (
    "¹ Files with one page for each column chunk; other files have the pages that Spark writes. "
    "² Both kinds of files."
)


def table() -> str:
    """Return the table, with its notes."""
    lines = [f"| {' | '.join(_TITLES)} |", "| --- " * len(_TITLES) + "|"]
    lines += [f"| {' | '.join((line.what, *_ratios(line)))} |" for line in LINES]
    return "\n" + "\n".join(lines) + f"\n\n{_NOTES}\n{_times_of_others()}\n\n"


def _times_of_others() -> str:
    """Return how long the other engines took, over all queries that they ran, as a sentence."""
    queries = [
        one["costs"]
        for file in (COMPARED, ROWS)
        for one in json.loads((RESULTS / file).read_text(encoding="utf-8"))["queries"]
    ]
    means = [
        geometric_mean([costs[engine]["seconds"] / costs[OURS]["seconds"] for costs in queries])
        for engine in (DATAFUSION, DUCKDB)
    ]
    return (
        f"DataFusion and DuckDB are libraries that start no Spark job: over all {len(queries)} "
        f"queries, they took {_short(means[0])} and {_short(means[1])} times as long as ours."
    )


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
    mean = _short(geometric_mean(ratios))
    return mean if len(ratios) == 1 else f"{mean} ({_short(min(ratios))} to {_short(max(ratios))})"


def _short(number: float) -> str:
    return f"{number:.{0 if number >= 20 else 1}f}" if number >= 0.95 else f"{number:.2g}"


def _name(measured: dict[str, Any]) -> str:
    query = measured["query"]
    return query if isinstance(query, str) else f"{query['name']}, {query['kind']}"
