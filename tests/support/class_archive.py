"""Writes the archive of the classes that a session loads: `python -m support.class_archive FILE`.

A JVM that finds them in the archive starts in two thirds of the time (class data sharing).
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import SparkContext
from pyspark.sql import SparkSession

from support.sessions import local_builder

QUERIES = [
    "CREATE TABLE t (id BIGINT, s STRING, p INT) USING parquet PARTITIONED BY (p)",
    "INSERT INTO t SELECT id, cast(id AS STRING), id % 3 FROM range(0, 1000, 1, 2)",
    "SELECT * FROM t WHERE id >= 10 AND s LIKE '1%' LIMIT 10",
    "SELECT * FROM t WHERE p = (SELECT max(p) FROM t) ORDER BY id DESC LIMIT 10",
    "SELECT p, count(*), max(s) FROM t GROUP BY p",
    "SELECT a.id FROM t a JOIN t b ON a.id = b.id WHERE b.p = 1",
    "EXPLAIN FORMATTED SELECT DISTINCT p FROM t",
]


def main(file: Path) -> None:
    """Run some queries in a JVM that writes the archive when it ends."""
    with TemporaryDirectory() as scratch:
        options = f"-XX:+UseSerialGC -XX:ArchiveClassesAtExit={file} -Xlog:disable"
        builder = local_builder(Path(scratch)).config("spark.driver.extraJavaOptions", options)
        spark: SparkSession = builder.getOrCreate()
        for query in QUERIES:
            spark.sql(query).collect()
        spark.stop()
        gateway = SparkContext._gateway
        assert gateway
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
    assert file.exists(), f"the JVM wrote no {file}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
