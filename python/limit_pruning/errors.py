"""The exceptions of this package: one base class, one subclass for each thing a user can fix."""


class LimitPruningError(Exception):
    """Base class of every exception that this package raises on its own account."""


class ExtensionNotActiveError(LimitPruningError):
    """The Spark session runs without the extension, so no LIMIT is pruned in it."""


class SparkConnectNotSupportedError(LimitPruningError):
    """The session, builder or DataFrame is a Spark Connect one; only classic ones are supported."""


class UnsupportedSparkVersionError(LimitPruningError):
    """The Spark version is not one that this release is tested with."""


class JarMismatchError(LimitPruningError):
    """The JAR in the session is of another version than this package."""


class InspectionError(LimitPruningError):
    """A table cannot be inspected: it is not there, no Parquet, or the predicate is wrong."""


class JarNotFoundError(LimitPruningError):
    """The extension's JAR is neither inside the package nor built in the checkout."""


class PandasNotInstalledError(LimitPruningError, ImportError):
    """A table of pandas was asked for, and there is no pandas."""
