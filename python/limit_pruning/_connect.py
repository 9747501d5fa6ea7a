"""Tells Spark Connect objects from classic ones, without importing Spark Connect."""

from limit_pruning._errors import SparkConnectNotSupportedError


def is_connect(thing: object) -> bool:
    """Return whether the class of `thing`, or one of its bases, comes from Spark Connect."""
    return any(base.__module__.startswith("pyspark.sql.connect") for base in type(thing).__mro__)


def connect_error(call: str, found: str) -> SparkConnectNotSupportedError:
    """Return the error that says why `call` cannot work with what was found, and what does.

    Args:
        call: The name of the public function, without the package.
        found: A clause that says what is of Spark Connect, such as "this session is one".
    """
    return SparkConnectNotSupportedError(
        f"limit_pruning.{call} talks to the JVM of a classic session, but {found}. A Spark Connect "
        "server prunes, too, if it is started with the JAR in spark.jars and with "
        "spark.sql.extensions; what it prunes is shown by df.explain() or spark.sql('EXPLAIN …')."
    )
