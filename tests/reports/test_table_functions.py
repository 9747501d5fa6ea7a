"""The table functions of SQL return what the Python calls return, and explain mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import limit_pruning
from support.tables import Table

ALPINE = "species LIKE 'Alpine%' AND s >= 50"
QUERY = f"SELECT * FROM tracking_data WHERE {ALPINE} LIMIT"
INSPECT = "limit_pruning_inspect('tracking_data', \"species LIKE 'Alpine%' AND s >= 50\", 3)"

pytestmark = pytest.mark.usefixtures("wildlife")


def rows(spark: SparkSession, query: str) -> list[dict[str, Any]]:
    """Return the rows of a query, with structs as dictionaries."""
    return [row.asDict(recursive=True) for row in spark.sql(query).collect()]


def plain(value: Any) -> Any:
    """Return what `to_dict` returns, with lists where SQL has them."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def steady(limit: dict[str, Any]) -> dict[str, Any]:
    """Return the report of a LIMIT without what differs from run to run."""
    files = {key: value for key, value in limit["files"].items() if key != "footers_cached"}
    report: dict[str, Any] = plain({**limit, "files": files, "time": None})
    return report


def test_history_has_the_last_query_with_its_limits(spark: SparkSession) -> None:
    start = datetime.now() - timedelta(seconds=1)
    spark.sql(f"{QUERY} 3").collect()
    (row,) = rows(spark, "SELECT * FROM limit_pruning_history(1)")
    last = limit_pruning.history(spark)[-1]
    (limit,) = row["limits"]
    assert plain(limit) == plain(last.report.only.to_dict())
    assert (row["execution_id"], row["description"]) == (last.execution_id, last.description)
    assert start < row["started"] <= row["ended"] <= datetime.now()
    assert row["ended"].astimezone() == last.ended
    assert (row["failed"], row["covered"], row["reason"]) == (False, True, None)
    assert (row["row_groups_total"], row["row_groups_read"], row["rows_read"]) == (4, 1, 3)
    assert row["bytes_read"] == last.report.only.bytes.read
    assert row["bytes_total"] == last.report.only.bytes.total


def test_history_adds_up_the_limits_of_a_query(spark: SparkSession) -> None:
    other = QUERY.replace(" LIMIT", " AND s > 0 LIMIT")
    spark.sql(f"({QUERY} 3) UNION ALL ({other} 4)").collect()
    query = (
        "SELECT h.*, l.reason.code FROM limit_pruning_history(max_queries => 1) AS h"
        " LATERAL VIEW explode(limits) AS l WHERE l.reason IS NOT NULL"
    )
    (row,) = rows(spark, query)
    assert (row["covered"], row["reason"], row["code"]) == (False,) + ("not-enough-rows",) * 2
    assert row["row_groups_total"] == 8
    assert row["bytes_read"] == sum(limit["bytes"]["read"] for limit in row["limits"])


def test_history_shows_no_query_of_another_session(spark: SparkSession) -> None:
    other = spark.newSession()
    first = "SELECT * FROM limit_pruning_history(1)"
    spark.sql(f"{QUERY} 3").collect()
    (mine,) = rows(spark, first)
    assert rows(other, first) == []
    other.range(40).write.mode("overwrite").saveAsTable("of_another_session")
    other.sql("SELECT * FROM of_another_session WHERE id >= 0 LIMIT 7").collect()
    (theirs,) = rows(other, first)
    assert theirs["limits"][0]["limit"] == 7
    assert rows(spark, first) == [mine]
    assert limit_pruning.history(spark)[-1].execution_id == theirs["execution_id"]
    other.sql("DROP TABLE of_another_session")


def test_totals_are_those_of_python(spark: SparkSession) -> None:
    spark.sql(f"{QUERY} 3").collect()
    (row,) = rows(spark, "SELECT * FROM limit_pruning_totals()")
    assert row == asdict(limit_pruning.totals(spark))


def test_report_describes_a_query_that_does_not_run(spark: SparkSession) -> None:
    before = limit_pruning.totals(spark).queries
    for limit in (3, 4):
        text = f"{QUERY} {limit}"
        (row,) = spark.sql("SELECT * FROM limit_pruning_report(:q)", {"q": text}).collect()
        expected = limit_pruning.report(spark.sql(text)).only
        assert steady(row.asDict(recursive=True)) == steady(expected.to_dict())
    assert rows(spark, "SELECT * FROM limit_pruning_report('SELECT 1')") == []
    assert limit_pruning.totals(spark).queries == before


def test_inspect_has_a_row_for_each_row_group(spark: SparkSession) -> None:
    found = rows(spark, f"SELECT * FROM {INSPECT} ORDER BY file, ordinal")
    expected = limit_pruning.inspect(spark, "tracking_data", ALPINE, limit=3)
    assert found == [plain(each.to_dict()) for each in expected.row_groups.details]
    assert [row["state"] for row in found] == ["not", "partially", "fully", "partially"]
    (summary,) = rows(spark, f"SELECT * FROM {INSPECT.replace('inspect', 'inspect_summary')}")
    summary["report"] = steady(summary["report"])
    expected_summary = expected.to_dict()
    expected_summary["report"] = steady(expected_summary["report"])
    assert plain(summary) == plain(expected_summary)


def test_inspect_takes_paths_and_names_of_arguments(
    spark: SparkSession, sightings: Table, wildlife: Table
) -> None:
    path = wildlife.files[0]
    for table in (f"parquet.`{path}`", f"parquet.`{path.as_uri()}`", "tracking_data"):
        query = "SELECT count(*) FROM limit_pruning_inspect(:t)"
        assert spark.sql(query, {"t": table}).first() == (4,)
    one = "SELECT count(DISTINCT file) FROM limit_pruning_inspect(max_files => 1, table => :t)"
    assert spark.sql(one, {"t": "sightings"}).first() == (1,)
    assert len(sightings.files) > 1


@pytest.fixture
def view(spark: SparkSession) -> Iterator[str]:
    """A view over the history."""
    spark.sql("CREATE TEMP VIEW recent AS SELECT * FROM limit_pruning_history(1)")
    yield "recent"
    spark.catalog.dropTempView("recent")


def test_each_run_sees_the_state_of_its_time(spark: SparkSession, view: str) -> None:
    frames = [spark.table(view), spark.sql("SELECT * FROM limit_pruning_history(1)")]
    for limit in (2, 1):
        spark.sql(f"{QUERY} {limit}").collect()
        for frame in frames:
            assert [row.limits[0].limit for row in frame.collect()] == [limit]


def test_calls_are_not_in_the_history(spark: SparkSession) -> None:
    before = limit_pruning.totals(spark).queries
    for call in ("limit_pruning_history()", "limit_pruning_totals()", INSPECT):
        spark.sql(f"SELECT * FROM {call} LIMIT 2").collect()
        spark.sql(f"SELECT * FROM {call} ORDER BY 1 LIMIT 2").collect()
    assert limit_pruning.totals(spark).queries == before


def test_they_work_as_tables(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"{QUERY} 3").collect()
    call = "limit_pruning_history(1)"
    assert len(rows(spark, f"SELECT * FROM {call} a JOIN {call} b USING (execution_id)")) == 1
    assert len(rows(spark, f"SELECT * FROM {call} UNION ALL SELECT * FROM {call}")) == 2
    assert spark.sql(f"SELECT (SELECT count(*) FROM {INSPECT})").first() == (4,)
    spark.sql(f"SELECT * FROM {call}").write.parquet(str(tmp_path / "saved"))
    assert spark.read.parquet(str(tmp_path / "saved")).count() == 1
    assert "limit_pruning_history" in str(spark.sql(f"EXPLAIN SELECT * FROM {call}").first())
    (usage,) = (
        spark.sql("DESCRIBE FUNCTION limit_pruning_inspect")
        .where("function_desc LIKE 'Usage%'")
        .collect()
    )
    assert "limit_pruning_inspect(table, predicate => NULL, limit => 1" in usage[0]


MISTAKES = {
    "limit_pruning_history(0)": "max_queries is 0; it must be a whole number from 1",
    "limit_pruning_history(-3)": "max_queries is -3; it must be a whole number from 1",
    "limit_pruning_history('3')": "max_queries is a STRING; it must be a whole number",
    "limit_pruning_history(rand())": "max_queries is rand(), which is not a constant",
    "limit_pruning_history(1, 2)": "2 arguments were found. Its parameters are max_queries",
    "limit_pruning_history(most => 3)": "there is no parameter most. Its parameters are",
    "limit_pruning_totals(1)": "1 arguments were found. Write limit_pruning_totals()",
    "limit_pruning_inspect()": "table is missing. Its parameters are table, predicate (default",
    "limit_pruning_inspect(NULL)": "table is NULL, empty or not given; it must be a STRING",
    "limit_pruning_inspect(3)": "table is a INT; it must be a STRING",
    "limit_pruning_inspect('a', table => 'b')": "table is given twice",
    "limit_pruning_inspect('/data/t')": "and a format and a path as in parquet.`/data/t`",
    "limit_pruning_inspect('missing')": "TABLE_OR_VIEW_NOT_FOUND",
    "limit_pruning_inspect('parquet.`/missing`')": "PATH_NOT_FOUND",
    "limit_pruning_inspect('tracking_data', 'nope > 3')": "UNRESOLVED_COLUMN",
    "limit_pruning_inspect('tracking_data', 's >')": "PARSE_SYNTAX_ERROR",
    "limit_pruning_inspect('tracking_data', 'rand() > 0.5')": "(not-deterministic)",
    "limit_pruning_inspect('numbers')": "The query contains Range, which is no Parquet table",
    "limit_pruning_report('DROP TABLE tracking_data')": "Supported is a query",
    "limit_pruning_report('INSERT INTO tracking_data SELECT * FROM tracking_data')": "a query",
    "limit_pruning_report('SELEC 1')": "PARSE_SYNTAX_ERROR",
    "limit_pruning_report('SELECT * FROM missing')": "TABLE_OR_VIEW_NOT_FOUND",
}


@pytest.mark.parametrize("call", MISTAKES)
def test_mistakes(spark: SparkSession, call: str) -> None:
    spark.range(3).createOrReplaceTempView("numbers")
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"SELECT * FROM {call}").collect()
    assert MISTAKES[call] in str(error.value)
    assert "\tat " not in str(error.value)
    assert spark.table("tracking_data").count() == 12


def test_a_view_that_inspects_itself(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("endless")
    spark.sql(
        "CREATE OR REPLACE TEMP VIEW endless AS SELECT * FROM limit_pruning_inspect('endless')"
    )
    with pytest.raises(AnalysisException, match=r"calls the function for itself|TOO_COMPLEX"):
        spark.table("endless").collect()
