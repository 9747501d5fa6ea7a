"""What the installed Spark has, for tests of what not every Spark has."""

from __future__ import annotations

import pyspark
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

LINE = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
EXPLAINS_REASONS = LINE >= (4, 0)
"""Whether EXPLAIN has a place for the reasons of LIMITs that are not pruned."""

QUERY_ERRORS = (PySparkException, Py4JJavaError)
"""Errors of queries. PySpark 3.5 has no class for those that occur while a query runs."""

needs_spark_4 = pytest.mark.skipif(LINE < (4, 0), reason="Spark 3.5 does not have it")
