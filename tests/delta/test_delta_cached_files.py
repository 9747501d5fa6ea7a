"""Of a Delta table with very many files, these are cached for a LIMIT without a predicate alone."""

from __future__ import annotations

import json
import os
from itertools import count

import pytest
from pyspark.sql import SparkSession

from support.delta.planning import forget, jobs
from support.runs import conf
from support.scan_tables import hold
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

FILES = 20_001  # one more than are compared with a predicate


@pytest.fixture(scope="module")
def many(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose files are links to one of them."""
    path = tmp_path_factory.mktemp("many files") / "t"
    spark.range(0, 20, 1, 1).write.format("delta").save(str(path))
    log = path / "_delta_log"
    first = (log / f"{0:020}.json").read_text(encoding="utf-8").splitlines()
    (add,) = [action["add"] for action in map(json.loads, first) if "add" in action]
    links = [f"link-{number:05}.parquet" for number in range(1, FILES)]
    for link in links:
        os.link(path / add["path"], path / link)
    actions = [json.dumps({"add": add | {"path": link}}) for link in links]
    (log / f"{1:020}.json").write_text("\n".join(actions) + "\n", encoding="utf-8")
    return f"delta.`{path}`"


def test_only_any_rows_need_no_job(spark: SparkSession, many: str) -> None:
    number = count(1)

    def plan_jobs(rest: str) -> int:
        return jobs(spark, f"SELECT *, {next(number)} AS n FROM {many} {rest}")

    predicate, order = "WHERE id >= 5 LIMIT 30", "ORDER BY id DESC LIMIT 3"
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "10"}):
        assert plan_jobs("LIMIT 30") > 0
        assert plan_jobs("LIMIT 50") == 0
        for rest in (predicate, order, predicate, order):
            assert plan_jobs(rest) > 0, rest
            assert plan_jobs("LIMIT 30") == 0
        forget(spark, many)
        assert plan_jobs(predicate) > 0
        assert plan_jobs("LIMIT 30") > 0
        assert plan_jobs("LIMIT 30") == 0
    hold(spark, f"SELECT * FROM {many}", 30)
