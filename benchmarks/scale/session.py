"""A Spark session whose storage has a set latency and counts its requests."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from benchmarks.engines.spark import LOGGING


@dataclass(frozen=True)
class Cost:
    """The cost of an action.

    Attributes:
        seconds: Wall time.
        opens: Files opened.
        reads: Reads that did not begin where the previous read ended.
        stats: File statuses requested.
        lists: Directories listed.
        bytes: Bytes read.
        allocated: Bytes that the calling thread allocated.
    """

    seconds: float
    opens: int
    reads: int
    stats: int
    lists: int
    bytes: int
    allocated: int

    @property
    def requests(self) -> int:
        """Requests to the storage."""
        return self.opens + self.reads + self.stats + self.lists

    def as_dict(self) -> dict[str, float]:
        """Return all of it, for JSON."""
        return asdict(self) | {"seconds": round(self.seconds, 4), "requests": self.requests}


class SlowSpark:
    """A session with the extension over storage of a given latency."""

    def __init__(self, scratch: Path) -> None:
        """Start it without a cache of footers, so that every query is a table's first."""
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = sys.executable
        jar = limit_pruning.jar_path()
        tests_jar = jar.with_name(f"{jar.stem}-tests.jar")
        builder = (
            SparkSession.builder.master("local[2]")
            .appName("benchmark-scale")
            .config("spark.driver.memory", "3g")
            .config("spark.driver.extraClassPath", str(tests_jar))
            .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOGGING}")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.hadoop.fs.slow.impl", "limitpruning.testing.LatencyFileSystem")
            .config("spark.local.dir", str(scratch))
            .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
            .config("spark.limitPruning.cache.maxBytes", "0")
        )
        self.session = limit_pruning.configure(builder).getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        limit_pruning.verify(self.session)
        java: Any = self.session
        self._storage = java._jvm.limitpruning.testing.LatencyFileSystem

    @contextmanager
    def latency(self, milliseconds: int) -> Iterator[None]:
        """Set the duration of each request."""
        self._storage.setMillis(milliseconds)
        try:
            yield
        finally:
            self._storage.setMillis(0)

    def table(self, name: str, folder: Path) -> Cost:
        """Register the folder as a view; return the cost of listing it."""
        return self.cost(
            lambda: (
                self.session.read.schema(self._schema(folder))
                .parquet(f"slow://{folder}")
                .createOrReplaceTempView(name)
            )
        )

    def plan(self, query: str, enabled: bool) -> DataFrame:
        """Plan a query up to the executed plan, without running it."""
        self.session.conf.set("spark.limitPruning.enabled", str(enabled).lower())
        df = self.session.sql(query)
        java: Any = df
        java._jdf.queryExecution().executedPlan()
        return df

    def cost(self, action: Any) -> Cost:
        """Return the cost of an action."""
        before = [*self._storage.counts(), self._storage.allocated()]
        started = time.perf_counter()
        action()
        seconds = time.perf_counter() - started
        after = [*self._storage.counts(), self._storage.allocated()]
        return Cost(seconds, *(int(b - a) for a, b in zip(before, after, strict=True)))

    def heap(self) -> int:
        """Return the bytes of the heap that are in use after a collection."""
        return int(self._storage.heap())

    def stop(self) -> None:
        """Stop the session."""
        self.session.stop()

    def _schema(self, folder: Path) -> Any:
        file = next(folder.rglob("*.parquet"))
        return self.session.read.parquet(f"file://{file}").schema
