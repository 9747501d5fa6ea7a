"""The exceptions of this package: one base class, and one subclass for each cause."""


class LimitPruningError(Exception):
    """Base class of all exceptions that are specific to this package."""

    __module__ = "limit_pruning"  # tracebacks show the name by which it is imported


class ExtensionNotActiveError(LimitPruningError):
    """The Spark session was started without the extension. No LIMIT is pruned in it."""

    __module__ = "limit_pruning"


class SparkConnectNotSupportedError(LimitPruningError):
    """The call needs the driver's JVM. A Spark Connect session, builder or DataFrame has none."""

    __module__ = "limit_pruning"


class UnsupportedSparkVersionError(LimitPruningError):
    """This release does not support the version of Spark or PySpark, or its version of Scala."""

    __module__ = "limit_pruning"


class JarMismatchError(LimitPruningError):
    """The session's JAR and this package have different versions."""

    __module__ = "limit_pruning"


class InspectionError(LimitPruningError):
    """A table cannot be inspected.

    It is missing or not Parquet, an argument is wrong, or LIMITs over the query are never pruned.
    """

    __module__ = "limit_pruning"


class JarNotFoundError(LimitPruningError):
    """The extension's JAR is neither in the package nor in the checkout's ``target`` folder."""

    __module__ = "limit_pruning"


class PySparkNotInstalledError(LimitPruningError, ImportError):
    """The call needs PySpark, which is not installed. This package does not install it."""

    __module__ = "limit_pruning"


class PandasNotInstalledError(LimitPruningError, ImportError):
    """``to_pandas()`` was called, and pandas is not installed."""

    __module__ = "limit_pruning"
