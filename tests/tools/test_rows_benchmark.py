"""The benchmark of rows: its queries, and what it writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from benchmarks.engines import DATAFUSION, DELTA, DELTA_OURS, DUCKDB, OURS, PLAIN
from benchmarks.rows import store, targets
from benchmarks.rows.page import format_page, header, line, page
from benchmarks.rows.queries import (
    BELOW,
    CLICKBENCH,
    DISTINCT,
    FIRST,
    FIRST_OF_EACH,
    GROUPS,
    NEEDLE,
    NOTHING,
    ROOT,
    TABLES,
    RowsQuery,
    queries,
)
from benchmarks.run import WrongAnswerError
from benchmarks.s3.session import Run, StoreSpark


def test_each_query_has_a_name_and_a_new_literal_in_each_run() -> None:
    every = queries()
    assert len({query.name for query in every}) == len(every)
    assert {query.kind for query in every} == {
        ROOT, BELOW, FIRST, NEEDLE, NOTHING, GROUPS, CLICKBENCH, DISTINCT, FIRST_OF_EACH,
    }  # fmt: skip
    for query in every:
        assert (" LIMIT " in query.sql) == (query.kind != FIRST_OF_EACH)
        is_new = query.sql != replace(query, run=query.run + 1).sql
        assert is_new == (" WHERE " in query.sql)


ABOUT = {"versions": {PLAIN: "4.2.1"}, "runs": 3, "milliseconds": 30}


def measured(name: str, kind: str = NEEDLE) -> dict[str, Any]:
    """Return a query with costs, as the results have it."""
    costs = {
        PLAIN: {"seconds": 4.0, "bytes": 800e6, "tasks": 6},
        OURS: {"seconds": 1.0, "bytes": 20e6, "tasks": 1},
        DATAFUSION: {"seconds": 0.5, "bytes": 40e6},
        DUCKDB: {"seconds": 0.4, "bytes": 30e6},
    }
    return {"query": {"name": name, "kind": kind}, "costs": costs}


def test_results_as_text() -> None:
    one = measured("web, one user")
    assert "6/1     bytes   40.0, time  4.00" in line(one)
    titles, costs = header(list(one["costs"])), line(one)
    for title, cost in (("MB alone", "800.0"), (" ours ", "20.0 "), ("DataFusi", "40.0")):
        assert titles.index(title) + len(title) == costs.index(cost) + len(cost)
    text = page({"about": ABOUT, "queries": [one]}, "a machine", str)
    assert "| web, one user | 800.0 / 20.0 / 40.0 / 30.0 | 4000 / 1000 |" in text
    assert "Plain Spark ran 6 to 6 tasks, ours 1 to 1:" in text
    assert "*needle* 40.0 and 4.0" in text
    assert "Medians of 3 runs; Spark 4.2.1; a machine." in text
    assert "object store" not in text


def test_results_over_a_format_as_text() -> None:
    one = measured("web_spark, one user")
    alone, ours, *_ = one["costs"].values()
    one["costs"] = {DELTA: alone, DELTA_OURS: ours}
    assert "6/1     bytes   40.0, time  4.00" in line(one)
    versions = {"Spark": "4.2.1", "Delta Lake": "4.4.0"}
    results = {"about": {"versions": versions, "runs": 3}, "queries": [one]}
    text = format_page(results, "a machine", str)
    assert "| query | MB: Delta / ours | ms: Delta / ours | tasks: Delta / ours |" in text
    assert "| web_spark, one user | 800.0 / 20.0 | 4000 / 1000 | 6 / 1 |" in text
    assert "Geometric means of Delta / ours, in bytes and in time: *needle* 40.0 and 4.0." in text
    assert "Medians of 3 runs; Spark 4.2.1, Delta Lake 4.4.0; a machine." in text


def test_kinds_are_described_if_they_were_measured() -> None:
    def text(*kinds: str) -> str:
        results = {"about": ABOUT, "queries": [measured(f"web, {kind}", kind) for kind in kinds]}
        return page(results, "a machine", str)

    assert "web_groups" not in text(FIRST)
    assert "search_phrase" not in text(FIRST)
    both = text(FIRST, GROUPS, CLICKBENCH)
    assert f"*{GROUPS}* is over *web_groups*" in both
    assert f"*{CLICKBENCH}*, counted from 1" in both
    assert f"*{CLICKBENCH}* 40.0 and 4.0" in both
    assert f"| web, {CLICKBENCH} | 800.0 / 20.0 /" in both


def test_targets_are_compared_with_the_ratios_of_a_run() -> None:
    """Of bytes, 40 times fewer are enough for one user; 4 times as fast is not."""
    text = targets.table([measured("web_spark, one user"), measured("web_groups, one user")])
    lines = text.splitlines()[2:]
    assert lines[0] == "| bytes: *needle* | ≥ 10 each | - | 40.0 |  |"
    assert lines[1].startswith("| time: *needle* | ≥ 5 each | - | 4.00; **missed** | as for bytes")
    below = [measured(f"web, {kind}, toPandas", BELOW) for kind in ("1 %", "40 %")]
    below[1]["costs"][PLAIN] = {"seconds": 20.0, "bytes": 320e6, "tasks": 6}
    bytes_read, time = targets.table(below).splitlines()[2:]
    assert "| ≥ 15 each, mean ≥ 25 | 25.3 (16.0 to 40.0) | - |" in bytes_read
    assert "| ≥ 5 each, mean ≥ 8 | 8.94 (4.00 to 20.0); **missed** | - |" in time
    assert targets.table([measured("web, two columns", NOTHING)]) == ""


def test_the_ways_to_ask_for_rows_are_compared() -> None:
    both = [measured("web, 1 %, collect", ROOT), measured("web, 1 %, toPandas", BELOW)]
    both[0]["costs"][PLAIN] = {"seconds": 0.2, "bytes": 90e6, "tasks": 1}
    text = page({"about": ABOUT, "queries": both}, "a machine", str)
    ours, peers = "1000 / 20.0 / 1 | 1000 / 20.0 / 1", "500 / 40.0 | 400 / 30.0"
    assert f"| web, 1 % | 200 / 90.0 / 1 | 4000 / 800.0 / 6 | {ours} | {peers} |" in text


def test_the_costs_on_an_object_store_are_shown() -> None:
    side = {"seconds": 0.4, "requests": 36, "bytes": 539e6}
    on_store = {"query": "web_spark, one user", "plain": side, "first": side, "second": side}
    results = {"about": ABOUT, "queries": [measured("web, one user")], "store": [on_store]}
    text = page(results, "a machine", str)
    assert "30 ms for each request" in text
    assert "| one user | 400 / 400 / 400 | 36 / 36 / 36 | 539.0 / 539.0 / 539.0 |" in text


class FakeStore:
    """Runs take as many requests as queries were run; ours finds so many rows."""

    def __init__(self, rows: int) -> None:
        """Begin with no queries."""
        self._rows, self.count, self.forgotten = rows, 0, 0

    def forget(self) -> None:
        """Count the calls."""
        self.forgotten += 1

    def run(self, query: RowsQuery, enabled: bool) -> Run:
        """Return the number of the query in place of its costs."""
        del query
        self.count += 1
        return Run(self.count, self.count, 0, 0, 0, self._rows if enabled else 10)


def test_every_second_run_on_the_store_begins_without_footers() -> None:
    (query,) = [one for one in queries() if one.name == store.NAMES[0]]
    spark = FakeStore(rows=10)
    one = store.measure(cast("StoreSpark", spark), query, runs=2)
    assert spark.forgotten == 2
    # Plain Spark and ours take turns, and the first two of each do not count.
    assert (one.plain.get, one.first.get, one.second.get, one.runs) == (5, 6, 8, 1)
    with pytest.raises(WrongAnswerError, match=query.name):
        store.measure(cast("StoreSpark", FakeStore(rows=9)), query, runs=2)


def test_the_queries_on_the_store_exist() -> None:
    assert {query.name for query in queries()} >= set(store.NAMES)


def test_clickbench_is_run_over_each_table_by_its_numbers() -> None:
    names = {query.name for query in queries() if query.kind == CLICKBENCH}
    assert names == {f"{table.name}, ClickBench {n}" for table in TABLES for n in range(24, 28)}
