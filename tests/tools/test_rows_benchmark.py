"""The benchmark of rows: its queries, and what it writes."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN
from benchmarks.rows.page import line, page
from benchmarks.rows.queries import BELOW, FIRST, NEEDLE, NOTHING, ROOT, queries


def test_each_query_has_a_name_and_a_new_literal_in_each_run() -> None:
    every = queries()
    assert len({query.name for query in every}) == len(every)
    assert {query.kind for query in every} == {ROOT, BELOW, FIRST, NEEDLE, NOTHING}
    for query in every:
        assert " LIMIT " in query.sql
        assert query.sql != replace(query, run=query.run + 1).sql


def test_results_as_text() -> None:
    costs = {
        PLAIN: {"seconds": 4.0, "bytes": 800e6},
        OURS: {"seconds": 1.0, "bytes": 20e6},
        DATAFUSION: {"seconds": 0.5, "bytes": 40e6},
        DUCKDB: {"seconds": 0.4, "bytes": 30e6},
    }
    measured = {"query": {"name": "web, one user", "kind": NEEDLE}, "costs": costs}
    assert "bytes   40.0, time  4.00" in line(measured)
    about = {"versions": {PLAIN: "4.2.1"}, "runs": 3}
    text = page({"about": about, "queries": [measured]}, "a machine", str)
    assert (
        "| web, one user | needle | 800.0 | 20.0 | 40.0 | 30.0 | 40.0 | 4000 | 1000 | 4.00 |"
        in text
    )
    assert "*needle* 40.0 and 4.0" in text
    assert "Medians of 3 runs; Spark 4.2.1; a machine." in text
