"""Shows what LIMIT pruning saves: four queries on real Parquet, each without and with it.

Run by `make demo`. The tables are written once, into target/demo/, and kept between runs.
"""

from __future__ import annotations

import os
import statistics
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import demo_tables
import limit_pruning

FOLDER = Path(__file__).resolve().parents[1] / "target" / "demo"
LOGGING = (Path(__file__).resolve().parent / "log4j2.properties").as_uri()
ENABLED = "spark.limitPruning.enabled"
SPLIT = "4m"
WIDTH = 100
RUNS = 3

CASE_STUDY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"
QUERIES = {
    "case study, LIMIT 3": CASE_STUDY,
    "half a day of events, LIMIT 100": (
        "SELECT * FROM events WHERE ts >= TIMESTAMP'2024-03-04 10:00:00' "
        "AND ts < TIMESTAMP'2024-03-04 22:00:00' LIMIT 100"
    ),
    "one day's partition, LIMIT 10": "SELECT * FROM events WHERE day = DATE'2024-03-05' LIMIT 10",
    "no WHERE, LIMIT 1000, toPandas": "SELECT * FROM events LIMIT 1000",
}


@dataclass(frozen=True)
class Cost:
    """What one run cost: seconds, and bytes read by the JVM."""

    seconds: float
    read: int


def main() -> None:
    """Write the tables if need be, run the queries, print one screen."""
    demo_tables.write_once(FOLDER)
    spark = start()
    try:
        for name in ("tracking_data", "events"):
            spark.read.parquet(str(FOLDER / name)).createOrReplaceTempView(name)
        print_case_study(spark)
        print_costs(spark)
    finally:
        spark.stop()


def start() -> SparkSession:
    """Start a quiet local session with the extension, reachable from this machine only."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("limit-pruning-demo")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOGGING}")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        # The splits that a table thirty times as large would have, where 128 MB is the default.
        .config("spark.sql.files.maxPartitionBytes", SPLIT)
    )
    spark = limit_pruning.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    limit_pruning.verify(spark)
    return spark


def print_case_study(spark: SparkSession) -> None:
    """Print the scan before and after, the rows, and the report."""
    print(f"\n{CASE_STUDY}\n")
    for label, enabled in (("before", False), ("after", True)):
        switch(spark, enabled)
        print_wrapped(f"{label + ':':8}{scan_line(spark, CASE_STUDY)}")
    df = spark.sql(CASE_STUDY)
    print("rows:   " + ", ".join(f"({row.species}, {row.s})" for row in df.collect()))
    for line in str(limit_pruning.report(df)).splitlines():
        print_wrapped(line.replace(f"{FOLDER.as_uri().replace('///', '/')}/", ""))


def print_wrapped(text: str) -> None:
    """Print the text in lines of the screen's width."""
    indent = " " * 8
    print(textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False))


def scan_line(spark: SparkSession, query: str) -> str:
    """Return the scan of the query's EXPLAIN, without what is long and the same in both."""
    plan = str(spark.sql(f"EXPLAIN {query}").collect()[0][0])
    line = next(line for line in plan.splitlines() if "parquet" in line).lstrip(" +-:*()0123456789")
    kept = line.split(", Location:")[0]
    pushed = line.partition("PushedFilters: ")[2].split(", ReadSchema")[0]
    if "Limit: " in kept:
        return kept.split(", Batched")[0]
    return f"{kept.split(', DataFilters')[0]}, PushedFilters: {pushed}"


def print_costs(spark: SparkSession) -> None:
    """Print a line for each query: bytes and time without and with pruning, rows, row groups."""
    header = ("query", "MB read off", "on", "ms off", "on", "ratio", "rows", "row groups", "files")
    print("\n" + format_line(header))
    for name, query in QUERIES.items():
        off, _ = measure(spark, query, enabled=False)
        on, rows = measure(spark, query, enabled=True)
        df = spark.sql(query)
        fetch(df)  # a LIMIT without WHERE is decided when its query runs
        limit = limit_pruning.report(df).only
        print(
            format_line(
                (
                    name,
                    f"{off.read / 1e6:.2f}",
                    f"{on.read / 1e6:.2f}",
                    f"{off.seconds * 1e3:.0f}",
                    f"{on.seconds * 1e3:.0f}",
                    f"{off.seconds / on.seconds:.1f}x",
                    rows,
                    f"{limit.row_groups.scanned} of {limit.row_groups.total}",
                    f"{limit.files.scanned} of {limit.files.total}",
                )
            )
        )
    size, files = demo_tables.size(FOLDER / "events")
    print(
        f"\n{source()}; medians of {RUNS} warm runs; row groups: scanned, of the inspected files"
        f"\nevents: {size / 1e6:.0f} MB in {files} files, read in splits of {SPLIT}"
    )


def format_line(cells: tuple[object, ...]) -> str:
    """Lay the cells out in columns."""
    widths = (31, 11, 7, 7, 6, 6, 5, 11, 8)
    first, *rest = (f"{cell}" for cell in cells)
    columns = [f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
    return f"{first:<{widths[0]}}" + "".join(columns)


def measure(spark: SparkSession, query: str, *, enabled: bool) -> tuple[Cost, int]:
    """Return the median cost of some runs after one that warms up, and how many rows came."""
    switch(spark, enabled)
    costs: list[Cost] = []
    rows = 0
    for run in range(RUNS + 1):
        bytes_before, started = bytes_read(spark), time.perf_counter()
        rows = len(fetch(spark.sql(query)))
        seconds = time.perf_counter() - started
        if run >= 1:
            costs.append(Cost(seconds, bytes_read(spark) - bytes_before))
    seconds = statistics.median(cost.seconds for cost in costs)
    return Cost(seconds, round(statistics.median(cost.read for cost in costs))), rows


def fetch(df: DataFrame) -> Any:
    """Return the rows by way of Arrow."""
    return df.toPandas()


def switch(spark: SparkSession, enabled: bool) -> None:
    """Turn pruning on or off for the queries that follow."""
    spark.sql(f"SET {ENABLED}={str(enabled).lower()}")


def bytes_read(spark: SparkSession) -> int:
    """Return the bytes that the JVM has read so far; where /proc is absent, by Hadoop's count."""
    jvm: Any = spark.sparkContext._jvm
    counters = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/io")
    if counters.exists():
        return int(dict(line.split(": ") for line in counters.read_text().splitlines())["rchar"])
    return sum(
        int(s.getBytesRead()) for s in jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
    )


def source() -> str:
    """Return how the bytes were counted."""
    proc = Path("/proc/self/io").exists()
    return "bytes: all that the JVM read (rchar)" if proc else "bytes: Hadoop's file statistics"


if __name__ == "__main__":
    main()
