"""What a session's JVM still holds: threads of ours, open files, objects."""

from __future__ import annotations

import gc
import re
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

PATIENCE = 20  # seconds, on a machine that is busy with other things
# Each of these belongs to one query; sessions have others.
OF_ONE_QUERY = (
    "limitpruning.parquet.Footer",
    "limitpruning.search.RowGroupSearch",
    "limitpruning.tables.SelectedFileIndex",
    "limitpruning.scan.LimitPrunedScanExec",
    "limitpruning.scan.PlannedRows",
)


def threads(jvm: Any) -> list[str]:
    """Return the names of the threads that we started."""
    alive = jvm.java.lang.Thread.getAllStackTraces().keySet()
    return [str(t.getName()) for t in alive if str(t.getName()).startswith("limit-pruning")]


def open_files(jvm: Any, folder: Path) -> list[str]:
    """Return the files below the folder that the JVM has open; none where there is no /proc."""
    descriptors = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/fd")
    if not descriptors.exists():
        return []
    found = []
    for descriptor in descriptors.iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:  # closed since
            continue
        if target.startswith(str(folder)):
            found.append(target)
    return found


def assert_nothing_left(spark: SparkSession, folder: Path) -> None:
    """Assert that soon there is neither a thread of ours nor an open file below the folder."""
    jvm: Any = spark.sparkContext._jvm
    deadline = time.monotonic() + PATIENCE
    while threads(jvm) or open_files(jvm, folder):
        assert time.monotonic() < deadline, f"{threads(jvm)} {open_files(jvm, folder)}"
        time.sleep(0.1)


def objects(spark: SparkSession) -> dict[str, int]:
    """Return how many objects of each query's own classes are left after a collection."""
    gc.collect()  # Python's own references keep objects of the JVM
    context: Any = spark.sparkContext
    java, new_array = context._jvm.java, context._gateway.new_array
    jmx = context._jvm.javax.management
    # By reflection, as py4j looks for methods in the server's own class, which is not public.
    kinds = new_array(java.lang.Class, 4)
    arguments = new_array(java.lang.Object, 4)
    signature = new_array(java.lang.String, 1)
    signature[0] = "[Ljava.lang.String;"
    given = (
        jmx.ObjectName("com.sun.management:type=DiagnosticCommand"),
        "gcClassHistogram",
        new_array(java.lang.Object, 1),
        signature,
    )
    names = "javax.management.ObjectName java.lang.String [Ljava.lang.Object; [Ljava.lang.String;"
    for position, name in enumerate(names.split()):
        kinds[position] = java.lang.Class.forName(name)
        arguments[position] = given[position]
    server = java.lang.Class.forName("javax.management.MBeanServer")
    platform = java.lang.management.ManagementFactory.getPlatformMBeanServer()
    histogram = str(server.getMethod("invoke", kinds).invoke(platform, arguments))
    counts = {name: int(n) for n, name in re.findall(r"\d+:\s+(\d+)\s+\d+\s+(\S+)", histogram)}
    assert len(counts) > 1000, histogram[:1000]
    return {name: counts.get(name, 0) for name in OF_ONE_QUERY}


def grown(spark: SparkSession, before: dict[str, int]) -> dict[str, int]:
    """Return the classes of which there are more objects than before."""
    return {name: count for name, count in objects(spark).items() if count > before[name]}
