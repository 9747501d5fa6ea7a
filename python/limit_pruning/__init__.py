"""Makes Spark read only what a LIMIT needs from Parquet, with or without a WHERE.

Examples:
    >>> import limit_pruning
    >>> from pyspark.sql import SparkSession
    >>> spark = limit_pruning.configure(SparkSession.builder).getOrCreate()
    >>> limit_pruning.verify(spark)
    >>> df = spark.sql("SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3")
    >>> print(limit_pruning.report(df))
"""

from limit_pruning._version import __version__
from limit_pruning.errors import (
    ExtensionNotActiveError,
    InspectionError,
    JarMismatchError,
    JarNotFoundError,
    LimitPruningError,
    PandasNotInstalledError,
    SparkConnectNotSupportedError,
    UnsupportedSparkVersionError,
)
from limit_pruning.history import QueryReport, Totals, history, totals
from limit_pruning.inspection import ColumnLayout, Inspection, inspect
from limit_pruning.jar import jar_path
from limit_pruning.report import LimitReport, PruningReport, Reason, report
from limit_pruning.row_groups import RowGroupReport
from limit_pruning.session import configure, verify

__all__ = [
    "ColumnLayout",
    "ExtensionNotActiveError",
    "Inspection",
    "InspectionError",
    "JarMismatchError",
    "JarNotFoundError",
    "LimitPruningError",
    "LimitReport",
    "PandasNotInstalledError",
    "PruningReport",
    "QueryReport",
    "Reason",
    "RowGroupReport",
    "SparkConnectNotSupportedError",
    "Totals",
    "UnsupportedSparkVersionError",
    "__version__",
    "configure",
    "history",
    "inspect",
    "jar_path",
    "report",
    "totals",
    "verify",
]
