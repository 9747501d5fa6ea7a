"""On a cluster with few, no or too many free cores, a search reads each file once at most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from support.applications import cluster, searched_table, sizes_driver
from support.applications.sizes_driver import CORES, DYNAMIC_ALLOCATION, EXECUTORS, Query
from support.runs import ENABLED

pytestmark = [pytest.mark.spark, pytest.mark.slow]

Case = tuple[str, Sequence[int], str]

ALL = searched_table.ROWS_OF_FILES
FEW = ALL[:3]
"""Fewer files than cores."""

WHERE = "concat(s, v) LIKE '%x%'"  # nowhere, which metadata do not show
QUERIES = {
    "nowhere": f"SELECT * FROM {{table}} WHERE {WHERE} LIMIT 5",
    "any": "SELECT * FROM {table} WHERE v < 15 LIMIT 70",
    "first": "SELECT * FROM {table} WHERE v < 15 ORDER BY v, id DESC LIMIT 30",
    "groups": "SELECT v FROM {table} WHERE v < 15 AND concat(s, v) <> '' GROUP BY v LIMIT 13",
    "first of groups": "SELECT id, v FROM (SELECT *, row_number() OVER (PARTITION BY v ORDER BY id)"
    " AS n FROM {table} WHERE v < 15) WHERE n <= 2",
}
COLUMNS = f"SELECT v, s FROM {{table}} WHERE {WHERE}"
"""Reads what the predicate needs, in plain Spark."""
GROUPS = range(15)

STATIC: dict[str, Case] = {
    **{name: (sql, ALL, "undisturbed") for name, sql in QUERIES.items()},
    **{f"{name} in few": (QUERIES[name], FEW, "undisturbed") for name in QUERIES},
    **{f"{name}, half": (QUERIES[name], ALL, "half") for name in ("nowhere", "any", "first")},
    **{f"{name}, one": (QUERIES[name], ALL, "one") for name in ("nowhere", "any")},
    "columns": (COLUMNS, ALL, "undisturbed"),
    "columns in few": (COLUMNS, FEW, "undisturbed"),
}
DYNAMIC: dict[str, Case] = {
    "nowhere, none": (QUERIES["nowhere"], ALL, "none"),
    "first of groups, none": (QUERIES["first of groups"], ALL, "none"),
    "nowhere, going": (QUERIES["nowhere"], ALL, "going"),
    "any, gone": (QUERIES["any"], ALL, "gone"),
}
"""A query, the rows of the files of its table, and which cores it has."""
CASES = STATIC | DYNAMIC
DISTURBED = [name for name in CASES if ", " in name]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of each query, in two applications."""
    found: dict[str, Any] = {}
    all_cores = {"spark.cores.max": str(EXECUTORS * CORES), "spark.scheduler.mode": "FAIR"}
    with cluster.running(tmp_path_factory.mktemp("cluster"), CORES) as master:
        for settings, cases in ((all_cores, STATIC), (DYNAMIC_ALLOCATION, DYNAMIC)):
            queries = {}
            for name, (sql, sizes, way) in cases.items():
                # Queries of a table begin with as much of it as those before them needed.
                table = tmp_path_factory.mktemp("table")
                searched_table.write(table, sizes)
                own = {ENABLED: "false"} if sql == COLUMNS else {}
                queries[name] = Query(sql=sql, table=str(table), settings=own, way=way)
            task = {
                "queries": queries,
                "settings": {"spark.master": master, **settings},
                "folder": str(tmp_path_factory.mktemp("others")),
            }
            found |= cluster.told(sizes_driver.__name__, task)
    return found


@pytest.mark.parametrize("name", [name for name in CASES if "columns" not in name])
def test_rows_are_right(answers: dict[str, Any], name: str) -> None:
    sql, sizes, _ = CASES[name]
    rows, matching = answers[name]["rows"], searched_table.matching(sizes)
    if sql == QUERIES["nowhere"]:
        assert rows == []
    elif sql == QUERIES["any"]:
        assert len({one["id"] for one in rows}) == len(rows) == min(70, len(matching))
        assert all(one in matching for one in rows)
    elif sql == QUERIES["first"]:
        assert rows == searched_table.ordered(sizes)[:30]
    elif sql == QUERIES["groups"]:
        assert len({one["v"] for one in rows}) == len(rows) == 13
        assert all(one["v"] in GROUPS for one in rows)
    else:
        of_groups = {v: [one["id"] for one in matching if one["v"] == v][:2] for v in GROUPS}
        pairs = [(id_, v) for v, ids in of_groups.items() for id_ in ids]
        assert sorted((one["id"], one["v"]) for one in rows) == sorted(pairs)
    assert answers[name]["verified"] == [len(rows)], "found by a search"


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("nowhere")])
def test_columns_of_a_predicate_are_read_once(answers: dict[str, Any], name: str) -> None:
    answer, (_, sizes, _) = answers[name], CASES[name]
    columns = answers["columns" if sizes == ALL else "columns in few"]
    assert len(answer["searches"]) <= 3
    assert sum(answer["searches"]) == len(sizes), "a file is a partition"
    assert answer["read_first"] == [columns["input"]]
    assert answer["input"] == columns["input"] > 0


@pytest.mark.parametrize("name", ["any", "any in few", "any, half", "any, one", "any, gone"])
def test_a_search_has_few_jobs(answers: dict[str, Any], name: str) -> None:
    assert 1 < len(answers[name]["searches"]) <= 3
    assert sum(answers[name]["searches"]) <= len(CASES[name][1])


@pytest.mark.parametrize("name", DISTURBED)
def test_no_more_is_read_than_on_all_cores(answers: dict[str, Any], name: str) -> None:
    query, way = name.split(", ")
    answer, undisturbed = answers[name], answers[query]
    assert answer["read"] == undisturbed["read"]
    more = answer["input"] - undisturbed["input"]
    if way == "gone":
        assert answer["read_first"] == [0], "by the action"
        # If it began with few cores, its third job read the rest of the same column.
        assert 0 <= more <= answers["first"]["read_first"][0] - undisturbed["read_first"][0]
    else:
        assert answer["read_first"] == undisturbed["read_first"]
        assert more == 0
    if way in ("half", "one"):
        assert answer["searches"] == undisturbed["searches"]


@pytest.mark.parametrize("name", DISTURBED)
def test_no_search_waits_for_other_jobs(answers: dict[str, Any], name: str) -> None:
    """They held their cores until the query had ended."""
    held = {"half": EXECUTORS * CORES // 2, "one": EXECUTORS * CORES - 1, "going": 1}
    assert answers[name]["others"] == held.get(name.split(", ")[1], 0)
