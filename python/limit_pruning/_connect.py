"""Distinguishes Spark Connect objects from classic ones, without importing Spark Connect."""

from limit_pruning._errors import SparkConnectNotSupportedError


def is_connect(thing: object) -> bool:
    """Return whether the class of `thing`, or one of its bases, belongs to Spark Connect."""
    return bool(_connect_classes(thing))


def is_connect_session(thing: object) -> bool:
    """Return whether `thing` is a Spark Connect session."""
    return "SparkSession" in _connect_classes(thing)


def is_connect_frame(thing: object) -> bool:
    """Return whether `thing` is a Spark Connect DataFrame."""
    return "DataFrame" in _connect_classes(thing)


def connect_error(call: str, found: str) -> SparkConnectNotSupportedError:
    """Return the error for a call that does not work with Spark Connect.

    Args:
        call: The name of the public function, without the package.
        found: A clause about the Spark Connect object, such as "this session is a Spark Connect
            one".
    """
    return SparkConnectNotSupportedError(
        f"limit_pruning.{call} needs the JVM of a classic session, but {found}. A Spark Connect "
        "server prunes LIMITs if it is started with the JAR in spark.jars and the extension in "
        "spark.sql.extensions; df.explain() and spark.sql('EXPLAIN …') show what it prunes."
    )


def _connect_classes(thing: object) -> list[str]:
    bases = type(thing).__mro__
    return [base.__name__ for base in bases if base.__module__.startswith("pyspark.sql.connect")]
