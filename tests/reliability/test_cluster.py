"""On a real cluster: executors have nothing but the JAR that travels with the application."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.applications import cluster, cluster_driver, cluster_tables
from support.applications.cluster_driver import TWO_SMALL_EXECUTORS, Query
from support.applications.cluster_tables import FOUND_BY_ROWS, MANY_FILES, Case, cases, lost
from support.processes import environment, output_of
from support.sessions import ON_LOOPBACK

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster."""
    with cluster.running(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the queries."""
    folder = tmp_path_factory.mktemp("data")
    cluster_tables.write(folder)
    return folder


def application(
    master: str, data: Path, settings: dict[str, str], every: dict[str, Case], **task: Any
) -> dict[str, Any]:
    """Run the cases' queries in an application of its own, and return what came of them."""
    task = {"queries": queries(every), "lose": {}, "data": str(data), **task}
    settings = {"spark.master": master, **settings}
    found = cluster.told(cluster_driver.__name__, {**task, "settings": settings})
    assert found["left"] == {"threads": [], "files": []}, "the session has been stopped"
    answers: dict[str, Any] = found["answers"]
    return answers


def queries(every: dict[str, Case]) -> dict[str, Query]:
    """Return what an application is told of the cases."""
    return {name: {"sql": case.sql, "settings": case.settings} for name, case in every.items()}


def hold(every: dict[str, Case], answers: dict[str, Any], *runs: str) -> None:
    """Assert that the rows of each are as many as wanted, all different and all allowed."""
    for name, case in every.items():
        answer = answers[name]
        for run in runs:
            rows = answer[run]
            assert len(rows) == case.rows, name
            assert len({row["id"] for row in rows}) == case.rows, name
            assert all(map(case.allows, rows)), name
        (limit,) = answer["limits"]
        assert limit["reason"] == case.reason, name
        assert limit["covered"] == (case.reason is None), name
        assert bool(limit["rows_cut"]) == case.cuts, name


@pytest.fixture(scope="module")
def answers(master: str, data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an application with Spark's own settings found; to start one takes a while."""
    latches = tmp_path_factory.mktemp("latches")
    losing = {name: (query, str(latches / name)) for name, query in queries(lost(data)).items()}
    return application(master, data, {}, cases(data), lose=losing)


def test_every_way_of_reading_works_on_executors(answers: dict[str, Any], data: Path) -> None:
    hold(cases(data), answers, "on", "off")


def test_an_executor_that_is_lost_in_a_scan_changes_nothing(
    answers: dict[str, Any], data: Path
) -> None:
    hold(lost(data), answers, "on")
    for name in lost(data):
        assert len(answers[name]["killed"]) == 1
        assert answers[name]["failed_tasks"] > 0
        # What was held up ran in the very task of the scan.
        in_one_task = re.compile(r"EvalPython(?:(?!Exchange).)*LimitPrunedScan", re.DOTALL)
        assert in_one_task.search(answers[name]["plan"])
        assert ("RowsVerified: 1000" in answers[name]["plan"]) == (FOUND_BY_ROWS in name)


def test_what_travels_goes_through_kryo_too(master: str, data: Path) -> None:
    settings = {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrationRequired": "true",  # or any class is let through, by its name
    }
    few = {name: cases(data)[name] for name in ("several tasks", "pages in the middle", MANY_FILES)}
    hold(few, application(master, data, settings, few), "on", "off")


@pytest.mark.parametrize("has_directory", [True, False])
def test_the_doctor_queries_a_table_that_executors_can_read(
    master: str, tmp_path: Path, has_directory: bool
) -> None:
    settings = ON_LOOPBACK | TWO_SMALL_EXECUTORS | {"spark.master": master}
    lines = [f"{key} {value}\n" for key, value in settings.items()]
    (tmp_path / "spark-defaults.conf").write_text("".join(lines))
    shared = tmp_path / "shared"
    shared.mkdir()
    options = ["--directory", str(shared)] if has_directory else []
    command = [sys.executable, "-m", "limit_pruning", "doctor", *options]
    own = cluster.LOOPBACK | {"SPARK_CONF_DIR": str(tmp_path), "PYSPARK_PYTHON": sys.executable}
    output = output_of(*command, cwd=tmp_path, env=environment(**own))
    if has_directory:
        assert "ok    a query: read 1 of 4 row groups" in output
        assert output.endswith("\nLIMITs are pruned here.\n")
    else:
        assert f"skip  a query: not run, because executors of {master} may not see" in output
        assert output.endswith(
            "\nNo query was run, so it is not known whether LIMITs are pruned here.\n"
        )
    assert list(shared.iterdir()) == []
