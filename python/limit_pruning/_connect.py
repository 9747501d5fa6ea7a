"""Tells Spark Connect objects from classic ones, without importing Spark Connect."""

from limit_pruning.errors import SparkConnectNotSupportedError


def is_connect(thing: object) -> bool:
    """Return whether the class of `thing`, or one of its bases, comes from Spark Connect."""
    return any(base.__module__.startswith("pyspark.sql.connect") for base in type(thing).__mro__)


def connect_error(found: str) -> SparkConnectNotSupportedError:
    """Return the error that says `found` is of Spark Connect, and what to use instead."""
    return SparkConnectNotSupportedError(
        f"{found}. Spark Connect is not supported: reports are read from the driver's JVM, which a "
        "Connect client does not have. Use a classic session, for example limit_pruning.configure("
        "SparkSession.builder.master('local[*]')).getOrCreate(); to prune on a Connect server, set "
        "spark.jars and spark.sql.extensions where the server is started."
    )
