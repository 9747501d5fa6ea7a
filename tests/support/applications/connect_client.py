"""A Spark Connect client: runs queries on the server whose address it is given, prints JSON.

Arguments: the address, the case study's file, a folder of ``tables.numbered_files``.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import datetime, timezone
from io import StringIO
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions

import limit_pruning


def explained(df: DataFrame) -> str:
    """Return what ``df.explain()`` prints."""
    with redirect_stdout(StringIO()) as printed:
        df.explain()
    return printed.getvalue()


def switch(spark: SparkSession, query: str) -> dict[str, Any]:
    """Return what `is_active` and `disabled` do, step by step."""
    setting = "spark.limitPruning.enabled"
    steps: dict[str, Any] = {"before": limit_pruning.is_active(spark)}
    with limit_pruning.disabled(spark):
        with limit_pruning.disabled(spark):
            steps["inner"] = limit_pruning.is_active(spark)
        steps["outer"] = limit_pruning.is_active(spark)
        steps["plan"] = explained(spark.sql(query))
    steps["after"] = limit_pruning.is_active(spark)
    steps["left"] = spark.conf.get(setting, None)
    spark.conf.set(setting, "true")
    with limit_pruning.disabled(spark):
        pass
    steps["restored"] = spark.conf.get(setting, None)
    return steps


def refusal(call: Callable[[], Any]) -> str:
    """Return what a call says that needs a classic session."""
    try:
        call()
    except limit_pruning.SparkConnectNotSupportedError as error:
        return str(error)
    return "not refused"


def inspected(found: limit_pruning.Inspection) -> list[str]:
    """Return the states of the row groups that an inspection found."""
    return [group.state for group in found.row_groups.details]


def mistake(call: Callable[[], Any]) -> str:
    """Return what a call of `inspect` says about a mistake."""
    try:
        call()
    except limit_pruning.InspectionError as error:
        return str(error)
    return "no mistake"


def reports(spark: SparkSession, wildlife: str, frame: DataFrame) -> dict[str, Any]:
    """Return what the calls return that show reports."""
    limit_pruning.verify(spark)
    alpine = "species LIKE 'Alpine%' AND s >= 50"
    table = spark.table("tracking_data")
    steps: list[tuple[int, int]] = []
    last = limit_pruning.history(spark)[-1]
    assert last.started is not None
    before = limit_pruning.totals(spark)
    inspect = limit_pruning.inspect
    return {
        "history": last.to_dict()["report"],
        "seconds": [(time - last.ended).total_seconds() for time in (last.started, last.ended)],
        "age": (datetime.now(timezone.utc) - last.ended).total_seconds(),
        "report": limit_pruning.report(frame).to_dict(),
        "text": str(limit_pruning.report(frame)),
        "totals": before.to_dict(),
        "by name": inspected(inspect(spark, "tracking_data", alpine, limit=3)),
        "by path": inspected(inspect(spark, wildlife, alpine, max_files=1)),
        "by object": inspected(inspect(spark, Path(wildlife), functions.expr(alpine))),
        "by frame": inspected(
            inspect(spark, table.where(alpine), progress=lambda *step: steps.append(step))
        ),
        "progress": steps,
        "mistakes": [
            mistake(lambda: inspect(spark, "missing")),
            mistake(lambda: inspect(spark, table, "nope > 3")),
            mistake(lambda: inspect(spark, table.groupBy("s").count())),
            mistake(lambda: inspect(spark, table, limit=0)),
        ],
        "views": [table.name for table in spark.catalog.listTables()],
        "queries since": limit_pruning.totals(spark).queries - before.queries,
    }


def interrupted(spark: SparkSession, folder: str) -> str:
    """Return what ends a query whose planning is interrupted: it would take a minute."""
    rows = spark.range(0, 10_000, 1, 1)
    rows.selectExpr("concat('name ', id % 1000) AS s").write.parquet(folder)
    slow = "length(sha2(repeat(s, 4000000), 512)) <> 128"
    limited = f"SELECT s FROM parquet.`{folder}` WHERE {slow} LIMIT 10"
    spark.conf.set("spark.limitPruning.planning.maxTime", "10m")
    ended: list[str] = []

    def run() -> None:
        try:
            ended.append(str(spark.sql(f"SELECT count(*) FROM ({limited})").collect()))
        except PySparkException as error:
            ended.append(str(error))

    query = threading.Thread(target=run, daemon=True)
    query.start()
    query.join(3)
    spark.interruptAll()
    query.join(20)
    return ended[0] if ended else "still running"


def found_by_rows(spark: SparkSession, folder: str, events: Path) -> dict[str, Any]:
    """Return what actions on LIMITs return whose rows are found by reading columns first."""
    spark.range(0, 2000, 1, 4).selectExpr(
        "id", "id * 7919 % 101 AS v", "concat('name ', id) AS s", "repeat(id, 50) AS w"
    ).write.parquet(folder)
    spark.conf.set("spark.limitPruning.rows.minBytes", "0")
    spark.conf.set("spark.sql.parquet.columnarReaderBatchSize", "16")  # a task may stop after each
    table = spark.read.parquet(folder)
    matching = table.where("v = 42")
    with limit_pruning.disabled(spark):
        told: dict[str, Any] = {"allowed": [row.asDict() for row in matching.collect()]}

    def printed(df: DataFrame) -> list[dict[str, Any]]:
        with redirect_stdout(StringIO()) as lines:
            df.show(vertical=True, truncate=False)
        texts = re.findall(r"^ (\w+) +\| (.*?) *$", lines.getvalue(), re.MULTILINE)
        width = len(df.columns)
        return [dict(texts[i : i + width]) for i in range(0, len(texts), width)]

    def pandas(df: DataFrame) -> list[dict[str, Any]]:
        frame: Any = df.toPandas()
        rows: list[dict[str, Any]] = frame.to_dict("records")
        return rows

    limited: dict[str, Callable[[], Any]] = {
        "sql": lambda: [
            row.asDict()
            for row in spark.sql(f"SELECT * FROM parquet.`{folder}` WHERE v = 42 LIMIT 9").collect()
        ],
        "collect": lambda: [row.asDict() for row in matching.limit(9).collect()],
        "pandas": lambda: pandas(matching.limit(9)),
        "show": lambda: printed(matching.limit(9)),
        "interrupted": lambda: interrupted_wave(spark, table, events),
        "after": lambda: [row.asDict() for row in matching.limit(9).collect()],
    }
    for name, action in limited.items():
        told[name] = {"rows": action()}
        (told[name]["limit"],) = limit_pruning.history(spark)[-1].to_dict()["report"]["limits"]
    return told


def interrupted_wave(spark: SparkSession, table: DataFrame, events: Path) -> list[Any]:
    """Return what ends a query that is interrupted in its first wave, and after how many seconds.

    It would take minutes.
    """
    slow = table.where("v = 42 OR length(sha2(repeat(s, 2000000), 512)) = 0").limit(1000)
    ended: list[str] = []

    def run() -> None:
        try:
            ended.append(f"{len(slow.collect())} rows")
        except PySparkException as error:
            ended.append(str(error))

    def started() -> int:
        logs = [log.read_text(encoding="utf-8") for log in events.rglob("*") if log.is_file()]
        return sum(log.count('"limit pruning: rows of ') for log in logs)

    before = started()
    query = threading.Thread(target=run, daemon=True)
    query.start()
    deadline = time.monotonic() + 60
    while started() == before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not ended
    interrupted = time.monotonic()
    spark.interruptAll()
    query.join(60)
    return [ended, time.monotonic() - interrupted]


def main(address: str, wildlife: str, numbered: str) -> dict[str, Any]:
    """Return plans, rows, refusals and what the switch does, each under its name."""
    spark = SparkSession.builder.remote(address).getOrCreate()
    spark.read.parquet(wildlife).createOrReplaceTempView("tracking_data")
    alpine = "SELECT species FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"
    frame = spark.sql(alpine)
    pandas: Any = frame.toPandas()
    told: dict[str, Any] = {
        "df.explain()": explained(frame),
        "EXPLAIN": spark.sql(f"EXPLAIN {alpine}").collect()[0][0],
        "rows": [row.species for row in frame.collect()],
        "pandas": pandas["species"].tolist(),
    }
    told["refusals"] = {
        "configure": refusal(lambda: limit_pruning.configure(SparkSession.builder.remote(address))),
    }
    told["reports"] = reports(spark, wildlife, frame)
    told["switch"] = switch(spark, alpine)
    told["reason"] = explained(spark.table("tracking_data").where("s % 2 = 0").limit(12))
    spark.conf.set("spark.limitPruning.planning.jobFiles", "1")
    frame = spark.read.parquet(numbered).where("c >= 6").limit(5)
    told["by jobs"] = explained(frame)
    told["rows by jobs"] = [row.c for row in frame.collect()]
    told["interrupted"] = interrupted(spark, f"{numbered}-slow")
    told["by rows"] = found_by_rows(
        spark, f"{numbered}-by-rows", Path(wildlife).with_name("events")
    )
    return told


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
