"""On a real cluster: executors have nothing but the JAR that travels with the application."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support import tables
from support.applications import cluster, cluster_driver
from support.applications.cluster_driver import TWO_SMALL_EXECUTORS, Query
from support.processes import environment, output_of, program
from support.sessions import ON_LOOPBACK

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROWS_OF_A_FILE = 2000
TEXT = "x" * 200
SMALL_FILES = 300
MANY_FILES = "many small files"
BY_ROWS = {"spark.sql.parquet.enableVectorizedReader": "false"}
PAGES = {"spark.limitPruning.pages.minBytes": "0"}
SEVERAL_TASKS = {
    "spark.sql.files.maxPartitionBytes": "1000",
    "spark.sql.files.openCostInBytes": str(32 * 1024 * 1024),
}


@dataclass
class Case:
    """A query and what must come of it: how many rows, all of them allowed, by which way."""

    sql: str
    rows: int
    allows: Callable[[dict[str, Any]], bool]
    settings: dict[str, str]
    reason: str | None = None
    cuts: bool = False


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster."""
    with cluster.running(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables: ``sightings``, ``paged`` of two files in many pages, ``small`` of many files."""
    folder = tmp_path_factory.mktemp("data")
    tables.sightings(folder)
    kinds = pa.schema([("id", pa.int64()), ("text", pa.string())])
    for part in range(2):
        ids = list(range(part * ROWS_OF_A_FILE, (part + 1) * ROWS_OF_A_FILE))
        texts = [f"{number}{TEXT}" for number in ids]
        tables.write(
            folder / "paged" / f"{part}.parquet",
            [{"id": ids, "text": texts}],
            kinds,
            use_dictionary=False,
            max_rows_per_page=100,
            write_batch_size=100,
            write_page_index=True,
        )
    for part in range(SMALL_FILES):
        ids = [2 * part, 2 * part + 1]
        file = folder / "small" / f"{part:03}.parquet"
        tables.write(file, [{"id": ids, "c": ids}], tables.NUMBERED)
    return folder


def cases(data: Path) -> dict[str, Case]:
    """Every way in which rows are read."""
    sightings = f"FROM parquet.`{data}/sightings`"
    paged = f"SELECT *, _metadata.row_index, _metadata.file_name FROM parquet.`{data}/paged`"
    small = f"SELECT * FROM parquet.`{data}/small`"

    def paged_row(row: dict[str, Any]) -> bool:
        part = int(row["file_name"].removesuffix(".parquet"))
        same: bool = row["id"] == part * ROWS_OF_A_FILE + row["row_index"]
        return same and bool(row["text"] == f"{row['id']}{TEXT}")

    read = {
        "no predicate": Case(
            f"SELECT id, species {sightings} LIMIT 25",
            25,
            lambda row: row["species"] == f"Alpine {row['id']}",
            {},
        ),
        "partition columns": Case(
            f"SELECT id, s, CAST(day AS STRING) AS day {sightings} "
            "WHERE day = DATE'2024-01-02' AND s >= 8 LIMIT 30",
            30,
            lambda row: row["day"] == "2024-01-02" and 8 <= row["s"] == row["id"] // 10,
            {},
        ),
        "several tasks": Case(
            f"SELECT id, s {sightings} WHERE s >= 4 LIMIT 150",
            150,
            lambda row: 4 <= row["s"] == row["id"] // 10,
            SEVERAL_TASKS,
        ),
        "not covered": Case(
            f"SELECT id, s {sightings} WHERE s >= 4 AND id % 7 <> 3 LIMIT 1000",
            172,
            lambda row: row["id"] >= 40 and row["id"] % 7 != 3,
            {},
            reason="not-clustered",
        ),
        "the first pages": Case(f"{paged} LIMIT 500", 500, paged_row, PAGES, cuts=True),
        "pages in the middle": Case(
            f"{paged} WHERE id >= 850 AND id < 1450 LIMIT 500",
            500,
            lambda row: paged_row(row) and 850 <= row["id"] < 1450,
            PAGES,
            cuts=True,
        ),
        MANY_FILES: Case(
            f"{small} WHERE c >= 20 LIMIT 570", 570, lambda row: 20 <= row["c"] == row["id"], {}
        ),
        f"{MANY_FILES}, not covered": Case(
            f"{small} WHERE c >= 20 AND id % 7 <> 3 LIMIT 1000",
            497,
            lambda row: 20 <= row["c"] == row["id"] and row["id"] % 7 != 3,
            {},
            reason="not-enough-rows",
        ),
    }
    by_rows = {
        f"{name}, row by row": Case(**{**vars(case), "settings": case.settings | BY_ROWS})
        for name, case in read.items()
        if MANY_FILES not in name and name != "no predicate"
    }
    return read | by_rows


def application(
    master: str, data: Path, settings: dict[str, str], every: dict[str, Case], **task: Any
) -> dict[str, Any]:
    """Run the cases' queries in an application of its own, and return what came of them."""
    task = {"queries": queries(every), "lose": {}, "data": str(data), **task}
    run = subprocess.run(
        program(cluster_driver.__name__),
        input=json.dumps({**task, "settings": {"spark.master": master, **settings}}),
        env=environment(**cluster.LOOPBACK, PYSPARK_PYTHON=sys.executable),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
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


def lost(data: Path) -> dict[str, Case]:
    """Queries that are long enough to lose an executor in them."""
    # Few rows at a time, so that the scan has hardly begun when its first row is held up.
    slowly = {"spark.sql.parquet.columnarReaderBatchSize": "16", **PAGES}
    rows = 2 * ROWS_OF_A_FILE - 900
    sql = f"SELECT held_up(id, text) AS id FROM parquet.`{data}/paged` WHERE id >= 850 LIMIT {rows}"
    return {
        f"lost: {name}": Case(
            sql,
            rows,
            lambda row: 850 <= row["id"] < 2 * ROWS_OF_A_FILE,
            slowly | settings,
            cuts=True,
        )
        for name, settings in {"one task": {}, "several tasks": SEVERAL_TASKS}.items()
    }


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


@pytest.mark.parametrize("strict", ["false", "true"])
def test_what_travels_goes_through_kryo_too(master: str, data: Path, strict: str) -> None:
    settings = {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrationRequired": strict,
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
