"""On a cluster that loses executors, or runs tasks twice, rows are found once each."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from support.applications import cluster, rows_driver, searched_table
from support.applications.rows_driver import BETWEEN, UNDISTURBED, Query

pytestmark = [pytest.mark.spark, pytest.mark.slow]

MATCHING, ORDERED = searched_table.matching(), searched_table.ordered()
MATCH = "SELECT * FROM parquet.`{folder}` WHERE {slow} AND v < 15"
# In waves of 1, 4 and more tasks; the third one is the last.
ANY = f"{MATCH} LIMIT 70"
FIRST = f"{MATCH} ORDER BY v, id DESC LIMIT 30"
# Tasks merge the rows of others, in a second stage.
MERGED = f"{MATCH} ORDER BY v, id DESC LIMIT 10000"
SECOND, THIRD, JOB = "rows of .*, wave 2$", "rows of .*, wave 3$", "first rows of "

CASES = {
    "any": (ANY, UNDISTURBED, "", 0),
    "first": (FIRST, UNDISTURBED, "", 0),
    "merged": (MERGED, UNDISTURBED, "", 0),
    "any, lost in a wave": (ANY, "lost", THIRD, 1),
    "first, lost": (FIRST, "lost", JOB, 3),
    "merged, lost": (MERGED, "lost", JOB, 6),
    "any, lost before the rows are read": (ANY, BETWEEN, "", 0),
    "any, copied": (ANY, "stopped", THIRD, 1),
    "any, failed": (ANY, "missing", SECOND, 1),
}
"""A query, what happens, in which job, and after how many of its tasks."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of each query, in one application."""
    written = tmp_path_factory.mktemp("written") / "t"
    last = searched_table.write(written)
    queries = {}
    for name, (sql, way, job, done) in CASES.items():
        # Queries of a table begin with as much of it as those before them needed.
        folder = shutil.copytree(written, tmp_path_factory.mktemp("copy") / "t")
        queries[name] = Query(
            sql=sql.replace("{folder}", str(folder)),
            settings=searched_table.SETTINGS,
            way=way,
            job=job,
            done=done,
            file=str(folder / last.name),
        )
    with cluster.running(tmp_path_factory.mktemp("cluster")) as master:
        settings = {"spark.master": master}
        return cluster.told(rows_driver.__name__, {"queries": queries, "settings": settings})


@pytest.mark.parametrize("name", CASES)
def test_rows_are_found_once_each(answers: dict[str, Any], name: str) -> None:
    rows = answers[name]["rows"]
    if name.startswith("any"):
        assert len({one["id"] for one in rows}) == len(rows) == 70
        assert all(one in MATCHING for one in rows)
    else:
        assert rows == ORDERED[: 30 if name.startswith("first") else None]
    assert answers[name]["verified"] == len(rows)
    assert f"RowsVerified: {len(rows)}, " in answers[name]["plan"]


@pytest.mark.parametrize("name", [name for name in CASES if ", " in name])
def test_tasks_are_counted_once_each(answers: dict[str, Any], name: str) -> None:
    query, what = name.split(", ")
    answer, undisturbed = answers[name], answers[query]
    # What has happened, indeed.
    lost = {"lost before the rows are read": 2}.get(what, int(what.startswith("lost")))
    assert answer["executors_lost"] == lost
    assert (answer["tasks_copied"] > 0) or what != "copied"
    assert (answer["tasks_failed"] > 0) or what not in ("lost", "lost in a wave", "failed")
    assert answer["read"] == undisturbed["read"]
    if what == "lost before the rows are read":
        assert answer["read_first"] == 0, "by the action"
    elif query == "merged":
        # What tasks that had ended found was lost, too, so that they read again.
        assert undisturbed["read_first"] <= answer["read_first"] < 2 * undisturbed["read_first"]
    else:
        assert answer["read_first"] == undisturbed["read_first"] > 0
