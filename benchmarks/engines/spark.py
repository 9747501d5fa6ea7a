"""Spark, without and with the extension."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import limit_pruning
from benchmarks import engines
from benchmarks.engines import Decoded
from benchmarks.queries import COUNT, TO_PANDAS, WRITE, Query
from benchmarks.settings import ROOT
from benchmarks.tables import TABLES

LOGGING = (ROOT / "examples" / "log4j2.properties").as_uri()


def start(name: str, data: Path) -> Spark:
    """Start a local session with two cores; without the extension, it is Spark from PyPI."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master("local[2]")
        .appName(f"benchmark-{name}")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.ui.liveUpdate.period", "0")  # task counts without delay
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOGGING}")
        .config("spark.local.dir", str(data / "spark-local"))
        .config("spark.sql.warehouse.dir", str(data / "spark-local" / "warehouse"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
    )
    if name == engines.OURS:
        builder = limit_pruning.configure(builder)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if name == engines.OURS:
        limit_pruning.verify(session)
    for table in TABLES:
        if (data / table.name).exists():
            # The files are listed here, once; the view stores the listing.
            session.read.parquet(str(data / table.name)).createOrReplaceTempView(table.name)
    return Spark(session)


class Spark:
    """A session with the numbers of its jobs, tasks and scans."""

    def __init__(self, session: SparkSession) -> None:
        """Take a session with all tables as views."""
        self.session = session
        self.version = session.version
        context: Any = session.sparkContext
        self._jvm = context._jvm
        self._context = context._jsc.sc()
        self._sql: Any = session
        self._pid = int(self._jvm.java.lang.ProcessHandle.current().pid())

    def pid(self) -> int:
        """Return the JVM's process: driver and executor in one."""
        return self._pid

    def run(self, query: Query, output: Path) -> int:
        """Run the query with the DataFrame method of its action."""
        df = self.session.sql(query.sql)
        if query.action == WRITE:
            df.write.mode("overwrite").parquet(str(output))
            return sum(pq.read_metadata(file).num_rows for file in output.glob("*.parquet"))
        if query.action == TO_PANDAS:
            return len(df.toPandas())
        rows = df.collect()
        return int(rows[0][0]) if query.action == COUNT else len(rows)

    def values(self, sql: str) -> list[list[object]]:
        """Return the rows of any SQL."""
        return [list(row) for row in self.session.sql(sql).collect()]

    def started(self) -> tuple[int, int] | None:
        """Return jobs and tasks since the session started; call it when nothing runs."""
        self._context.listenerBus().waitUntilEmpty()
        executor = self._context.statusStore().executorList(False).head()
        return int(self._context.dagScheduler().numTotalJobs()), int(executor.totalTasks())

    def decoded(self, query: Query) -> Decoded:
        """Return the metrics of the scans of the last execution."""
        del query
        self._context.listenerBus().waitUntilEmpty()
        store = self._sql._jsparkSession.sharedState().statusStore()
        executions = store.executionsList()
        execution = executions.last().executionId()
        values = store.executionMetrics(execution)
        groups: list[int] = []
        rows: list[int] = []
        for node in _items(store.planGraph(execution).allNodes()):
            if "Scan parquet" not in node.name():
                continue
            metrics = {m.name(): m.accumulatorId() for m in _items(node.metrics())}
            found = {
                name: values.get(key).get() for name, key in metrics.items() if values.contains(key)
            }
            if "row groups read" in found:
                groups.append(_number(found["row groups read"]))
            # The join's other side has four rows, which do not matter.
            rows.append(_number(found.get("number of output rows", "0")))
        return Decoded(sum(groups) if groups else None, sum(rows))

    def stop(self) -> None:
        """Stop the session."""
        self.session.stop()


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _number(text: str) -> int:
    return int(text.split(" (")[0].replace(",", "").split("\n")[-1])
