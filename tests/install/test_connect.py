"""On a Spark Connect server, started by the line of docs/install.md, LIMIT is pruned and seen."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import limit_pruning
from support import install_page, tables
from support.applications import connect_client
from support.applications.cluster import awaited, daemon
from support.jvm import SMALL_JVM
from support.processes import environment, output_of
from support.sparks import needs_spark

pytestmark = [pytest.mark.spark, pytest.mark.slow, needs_spark("server in PySpark")]

STATES = "4 total → 3 matched → 1 fully matched → 1 scanned"
ALPINE = {"Alpine Ibex", "Alpine Goat", "Alpine Sheep"}
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.extraJavaOptions": f"{SMALL_JVM} -Dfile.encoding=UTF-8",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.limitPruning.failOnError": "true",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, and what the page says is beside them."""
    path = tmp_path_factory.mktemp("connect")
    tables.wildlife(path)
    tables.numbered_files(path / "numbered")
    (path / "events").mkdir()
    (path / "spark-limit-pruning.jar").symlink_to(limit_pruning.jar_path())
    install_page.section("Spark Connect").write(path)
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The server's host and port."""
    script, *line = shlex.split(install_page.section("Spark Connect").commands)
    assert script == "spark-submit"
    settings = SETTINGS | {"spark.eventLog.dir": (folder / "events").as_uri()}
    options = [f"--conf={name}={value}" for name, value in settings.items()]
    command = ["org.apache.spark.deploy.SparkSubmit", *line[:2], *options, *line[2:]]
    with daemon(folder, "server", *command, memory="1g") as log:
        yield awaited(log, r"Spark Connect server started at: (\S+)")


def run(*arguments: str, cwd: Path) -> str:
    """Run Python and return what it printed."""
    return output_of(sys.executable, *arguments, cwd=cwd, env=environment(PYTHONIOENCODING="utf-8"))


@pytest.fixture(scope="module")
def told(server: str, folder: Path) -> dict[str, Any]:
    """What a client was told."""
    tables_read = (str(folder / "tracking_data.parquet"), str(folder / "numbered"))
    client = ("-m", connect_client.__name__, f"sc://{server}")
    output = run(*client, *tables_read, cwd=folder)
    answers: dict[str, Any] = json.loads(output)
    return answers


@pytest.mark.parametrize("way", ["df.explain()", "EXPLAIN"])
def test_what_is_pruned_is_shown(told: dict[str, Any], way: str) -> None:
    assert "LimitPrunedScan parquet" in told[way]
    assert STATES in told[way]


def test_the_reason_why_a_limit_is_not_pruned_is_shown(told: dict[str, Any]) -> None:
    assert "== Extended Information (Limit Pruning) ==" in told["reason"]
    assert "(not-enough-rows)" in told["reason"]


@pytest.mark.parametrize("way", ["rows", "pandas"])
def test_the_rows_are_right(told: dict[str, Any], way: str) -> None:
    assert set(told[way]) == ALPINE
    assert len(told[way]) == 3


def test_footers_are_read_by_jobs(told: dict[str, Any], folder: Path) -> None:
    assert "3 matched → 3 fully matched → 3 scanned, Files: 4 total" in told["by jobs"]
    assert len(told["rows by jobs"]) == 5
    assert set(told["rows by jobs"]) <= set(range(6, 16))
    events = "".join(
        log.read_text(encoding="utf-8") for log in (folder / "events").rglob("*") if log.is_file()
    )
    assert "limit pruning: footers of" in events


def test_planning_is_interrupted(told: dict[str, Any]) -> None:
    assert "OPERATION_CANCELED" in told["interrupted"]


@pytest.mark.parametrize("way", ["sql", "collect", "pandas", "show", "after"])
def test_rows_are_found_by_reading_columns_first(told: dict[str, Any], way: str) -> None:
    by_rows = told["by rows"]
    # What is shown, is text.
    allowed = [{name: str(value) for name, value in row.items()} for row in by_rows["allowed"]]
    rows = [{name: str(value) for name, value in row.items()} for row in by_rows[way]["rows"]]
    assert all(row in allowed for row in rows)
    assert len({row["id"] for row in rows}) == len(rows) == 9 < len(allowed)
    limit = by_rows[way]["limit"]
    assert limit["covered"]
    assert limit["rows"]["verified"] == 9
    assert limit["bytes"]["read_first"] > 0


def test_a_search_for_rows_is_interrupted(told: dict[str, Any], folder: Path) -> None:
    (ended,), seconds = told["by rows"]["interrupted"]["rows"]
    assert "OPERATION_CANCELED" in ended
    assert seconds < 20
    logs = [log for log in (folder / "events").rglob("*") if log.is_file()]
    lines = [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    jobs = [json.loads(line) for line in lines if '"SparkListenerJob' in line]
    executions = {
        job["Job ID"]: job["Properties"].get("spark.sql.execution.id")
        for job in jobs
        if job["Event"] == "SparkListenerJobStart"
    }
    waves = {
        job["Job ID"]
        for job in jobs
        if "limit pruning: rows of " in job.get("Properties", {}).get("spark.job.description", "")
    }
    failed = [
        job["Job ID"] for job in jobs if job.get("Job Result", {}).get("Result") == "JobFailed"
    ]
    (interrupted,) = waves.intersection(failed)
    same = [job for job, of in executions.items() if of == executions[interrupted]]
    assert max(same) == interrupted, "no other job reads the table"


def test_a_call_that_needs_the_jvm_says_so(told: dict[str, Any]) -> None:
    assert told["refusals"].keys() == {"configure"}
    text = told["refusals"]["configure"]
    assert text.startswith("limit_pruning.configure needs the JVM of a classic session, but ")
    assert "df.explain()" in text


def test_the_last_query_and_the_totals_are_shown(told: dict[str, Any]) -> None:
    (limit,) = told["reports"]["history"]["limits"]
    assert (limit["covered"], limit["rows"]["read"], limit["row_groups"]["read"]) == (True, 3, 1)
    started, ended = told["reports"]["seconds"]
    assert -60 < started <= ended == 0
    assert 0 <= told["reports"]["age"] < 60
    assert told["reports"]["totals"]["limits_covered"] >= 2


def test_a_report_is_that_of_the_query_without_running_it(told: dict[str, Any]) -> None:
    (limit,) = told["reports"]["report"]["limits"]
    assert (limit["limit"], limit["covered"], limit["rows"]["to_read"]) == (3, True, 3)
    states = [group["state"] for group in limit["row_groups"]["details"]]
    assert states == ["not", "partially", "fully", "partially"]
    assert limit["rows"]["read"] is None
    assert told["reports"]["queries since"] == 0


@pytest.mark.parametrize("way", ["by name", "by path", "by object", "by frame"])
def test_a_table_is_inspected(told: dict[str, Any], way: str) -> None:
    assert told["reports"][way] == ["not", "partially", "fully", "partially"]
    assert told["reports"]["progress"] == [[1, 1]]


def test_mistakes_are_explained_in_one_line(told: dict[str, Any]) -> None:
    missing, column, aggregate, limit = told["reports"]["mistakes"]
    assert "There is no table or view 'missing'" in missing
    assert "nope" in column
    assert aggregate.startswith("The query contains an aggregation")
    assert limit.startswith("limit is 0")
    assert not any("\n" in text for text in told["reports"]["mistakes"])


def test_no_view_is_left(told: dict[str, Any]) -> None:
    assert told["reports"]["views"] == ["tracking_data"]


def test_the_switch_works_without_the_jvm(told: dict[str, Any]) -> None:
    assert "LimitPrunedScan" not in told["switch"].pop("plan")
    assert told["switch"] == {
        "before": True,
        "inner": False,
        "outer": False,
        "after": True,
        "left": None,
        "restored": "true",
    }


def test_the_client_of_the_page(server: str, folder: Path) -> None:
    client = (folder / "client.py").read_text(encoding="utf-8")
    assert "localhost:15002" in client
    output = run("-c", client.replace("localhost:15002", server), cwd=folder)
    assert STATES in output
    assert "Alpine Ibex|101" in output
