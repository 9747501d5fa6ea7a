"""What the installed Spark has, for tests of what not every Spark has."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyspark
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

LINE = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
EXPLAINS_REASONS = LINE >= (4, 0)
"""Whether EXPLAIN has a place for the reasons of LIMITs that are not pruned."""

QUERY_ERRORS = (PySparkException, Py4JJavaError)
"""Errors of queries. PySpark 3.5 has no class for those that occur while a query runs."""

FILE_IS_MISSING = r"FAILED_READ_FILE\.FILE_NOT_EXIST" if LINE >= (4, 0) else "FileNotFoundException"
"""What is in the message of Spark's error if a file of a table was deleted."""

ANY_DATE = {
    f"spark.sql.parquet.{kind}RebaseModeIn{way}": "CORRECTED"
    for kind in ("int96", "datetime")
    for way in ("Read", "Write")
}
"""The default settings of Spark 4. With those of Spark 3.5, ancient dates are errors."""


def to_arrow(df: DataFrame) -> pa.Table:
    """Return the rows of a query; PySpark 3.5 has no `toArrow`, only a part of it."""
    frame: Any = df
    return (
        frame.toArrow()
        if hasattr(frame, "toArrow")
        else pa.Table.from_batches(frame._collect_as_arrow())
    )


def needs_spark(what: str, since: tuple[int, int] = (4, 0)) -> pytest.MarkDecorator:
    """Skip a test on a Spark that is older than the first one with what it is about."""
    has_not = ".".join(map(str, LINE))
    return pytest.mark.skipif(since > LINE, reason=f"Spark {has_not} has no {what}")
