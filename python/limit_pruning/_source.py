"""Finds the table that a user names, by path or by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def source(spark: SparkSession, path_or_table: str) -> DataFrame:
    """Return the files at a path, where it looks like one or is there, else the table of the name.

    Raises:
        AnalysisException: There is neither.
    """
    if Path(path_or_table).exists():
        # The JVM may have been started in another folder.
        return spark.read.parquet(str(Path(path_or_table).absolute()))
    if "/" in path_or_table:
        return spark.read.parquet(path_or_table)
    return spark.table(path_or_table)
