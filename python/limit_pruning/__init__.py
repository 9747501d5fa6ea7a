"""Makes Spark read only what a LIMIT needs from Parquet, with or without a WHERE.

Examples:
    >>> import limit_pruning
    >>> from pyspark.sql import SparkSession
    >>> spark = limit_pruning.configure(SparkSession.builder).getOrCreate()
    >>> limit_pruning.verify(spark)
    >>> df = spark.sql("SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3")
    >>> print(limit_pruning.report(df))
"""

from limit_pruning._counts import (
    ByteCounts,
    FileCounts,
    PageCounts,
    RowCounts,
    RowGroupCounts,
    Timings,
)
from limit_pruning._errors import (
    ExtensionNotActiveError,
    InspectionError,
    JarMismatchError,
    JarNotFoundError,
    LimitPruningError,
    PandasNotInstalledError,
    PySparkNotInstalledError,
    SparkConnectNotSupportedError,
    UnsupportedSparkVersionError,
)
from limit_pruning._history import QueryReport, Totals, history, totals
from limit_pruning._inspect import inspect
from limit_pruning._inspection import (
    ColumnLayout,
    InspectedFiles,
    InspectedRowGroups,
    InspectedRows,
    Inspection,
)
from limit_pruning._jar import jar_path
from limit_pruning._report import LimitReport, PruningReport, Reason, report
from limit_pruning._row_groups import RowGroupReport
from limit_pruning._session import configure, disabled, is_active, verify
from limit_pruning._version import __version__

__all__ = [
    "ByteCounts",
    "ColumnLayout",
    "ExtensionNotActiveError",
    "FileCounts",
    "InspectedFiles",
    "InspectedRowGroups",
    "InspectedRows",
    "Inspection",
    "InspectionError",
    "JarMismatchError",
    "JarNotFoundError",
    "LimitPruningError",
    "LimitReport",
    "PageCounts",
    "PandasNotInstalledError",
    "PruningReport",
    "PySparkNotInstalledError",
    "QueryReport",
    "Reason",
    "RowCounts",
    "RowGroupCounts",
    "RowGroupReport",
    "SparkConnectNotSupportedError",
    "Timings",
    "Totals",
    "UnsupportedSparkVersionError",
    "__version__",
    "configure",
    "disabled",
    "history",
    "inspect",
    "is_active",
    "jar_path",
    "report",
    "totals",
    "verify",
]
