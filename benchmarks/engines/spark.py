"""Spark, without and with the extension."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pyspark
from pyspark.sql import SparkSession

import limit_pruning
from benchmarks import engines
from benchmarks.engines import Decoded
from benchmarks.queries import COUNT, PLAN, TO_PANDAS, WRITE, Asked, Query
from benchmarks.settings import ROOT
from benchmarks.tables import TABLES

_LAST_EXECUTIONS = 10
# Nodes that read Parquet: the scan of Spark, that of the extension, and the one that runs either.
_READERS = ("Scan parquet", "ChooseWhenRun")
LOGGING = (ROOT / "examples" / "log4j2.properties").as_uri()


def start(name: str, data: Path) -> Spark:
    """Start a session over the Parquet tables; without the extension, it is Spark from PyPI."""
    session = open_session(name, data, name == engines.OURS, {})
    for table in TABLES:
        if (data / table.name).exists():
            # The files are listed here, once; the view stores the listing.
            session.read.parquet(str(data / table.name)).createOrReplaceTempView(table.name)
    return Spark(session)


def open_session(
    name: str, data: Path, has_extension: bool, settings: Mapping[str, str]
) -> SparkSession:
    """Start a local session with two cores, and these settings besides."""
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
    for key, value in settings.items():
        builder = builder.config(key, value)
    if has_extension:
        builder = limit_pruning.configure(builder)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if has_extension:
        limit_pruning.verify(session)
    return session


def downloaded(script: str) -> list[Path]:
    """Return the JARs that a script of ``bin/`` downloads once for the Spark that is installed."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    command = [str(ROOT / "bin" / script), minor]
    folder = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return sorted(Path(folder).glob("*.jar"))


def version_in(jars: Sequence[Path], pattern: str) -> str:
    """Return the version of a format: the group of a pattern that the name of one JAR matches."""
    (found,) = re.findall(pattern, " ".join(jar.name for jar in jars))
    return str(found)


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

    def run(self, query: Asked, output: Path) -> int:
        """Run the query with the DataFrame method of its action."""
        df = self.session.sql(query.sql)
        if query.action == PLAN:
            df._jdf.queryExecution().executedPlan()
            return 0
        if query.action == WRITE:
            df.write.mode("overwrite").parquet(str(output))
            return rows_written(output)
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
        # Delta Lake queries its log with Spark, so the last execution may not be the query's.
        for execution in reversed(_items(store.executionsList().takeRight(_LAST_EXECUTIONS))):
            found = self._decoded(store, execution.executionId())
            if found is not None:
                return found
        return Decoded()

    def _decoded(self, store: Any, execution: int) -> Decoded | None:
        values = store.executionMetrics(execution)
        groups: list[int] = []
        rows: list[int] = []
        for node in _items(store.planGraph(execution).allNodes()):
            if not any(name in node.name() for name in _READERS):
                continue
            metrics = {m.name(): m.accumulatorId() for m in _items(node.metrics())}
            found = {
                name: values.get(key).get() for name, key in metrics.items() if values.contains(key)
            }
            if "row groups read" in found:
                groups.append(_number(found["row groups read"]))
            # The join's other side has four rows, which do not matter.
            rows.append(_number(found.get("number of output rows", "0")))
        return Decoded(sum(groups) if groups else None, sum(rows)) if rows else None

    def stop(self) -> None:
        """Stop the session."""
        self.session.stop()


def rows_written(folder: Path) -> int:
    """Return the rows of the Parquet files in a folder, as their footers state them."""
    return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _number(text: str) -> int:
    return int(text.split(" (")[0].replace(",", "").split("\n")[-1])
