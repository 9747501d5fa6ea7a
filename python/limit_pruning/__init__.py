"""Makes Spark read only what a LIMIT needs from Parquet, with or without a WHERE.

Example:
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
    JarMismatchError,
    JarNotFoundError,
    LimitPruningError,
    PandasNotInstalledError,
    SparkConnectNotSupportedError,
    UnsupportedSparkVersionError,
)
from limit_pruning.jar import jar_path
from limit_pruning.report import LimitReport, PruningReport, Reason, report
from limit_pruning.row_groups import RowGroupReport
from limit_pruning.session import configure, verify

__all__ = [
    "ExtensionNotActiveError",
    "JarMismatchError",
    "JarNotFoundError",
    "LimitPruningError",
    "LimitReport",
    "PandasNotInstalledError",
    "PruningReport",
    "Reason",
    "RowGroupReport",
    "SparkConnectNotSupportedError",
    "UnsupportedSparkVersionError",
    "__version__",
    "configure",
    "jar_path",
    "report",
    "verify",
]
