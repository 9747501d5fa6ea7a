"""What a query costs: jobs, tasks, and bytes, as Spark, Hadoop and the kernel count them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Counts:
    """Counters that only grow; take two and subtract.

    Attributes:
        jobs: Spark jobs started.
        tasks: Spark tasks started.
        stream_bytes: Bytes that Hadoop's file systems count. Planning's are among them; a scan's
            vectored reads are not.
        process_bytes: Bytes that the JVM read, whatever of; zero where there is no /proc.
    """

    jobs: int
    tasks: int
    stream_bytes: int
    process_bytes: int

    def __sub__(self, earlier: Counts) -> Counts:
        """Return what came to pass between the two."""
        return Counts(
            self.jobs - earlier.jobs,
            self.tasks - earlier.tasks,
            self.stream_bytes - earlier.stream_bytes,
            self.process_bytes - earlier.process_bytes,
        )


def counts(spark: SparkSession) -> Counts:
    """Return the counters of a local session in which nothing runs."""
    python: Any = spark.sparkContext
    jvm, context = python._jvm, python._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    statistics = jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
    return Counts(
        jobs=int(context.dagScheduler().numTotalJobs()),
        tasks=int(context.statusStore().executorList(False).head().totalTasks()),
        stream_bytes=sum(int(one.getBytesRead()) for one in statistics),
        process_bytes=_process_bytes(int(jvm.java.lang.ProcessHandle.current().pid())),
    )


def searches(spark: SparkSession, what: str) -> set[int]:
    """Return the jobs so far that searched for rows, and whose descriptions contain a text."""
    python: Any = spark.sparkContext
    context = python._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().jobsList(None).iterator()
    jobs = set()
    while found.hasNext():
        job = found.next()
        description = str(job.description())
        if "limit pruning: " in description and what in description:
            jobs.add(int(job.jobId()))
    return jobs


def _process_bytes(pid: int) -> int:
    counters = Path(f"/proc/{pid}/io")
    if not counters.exists():
        return 0
    return int(dict(line.split(": ") for line in counters.read_text().splitlines())["rchar"])
