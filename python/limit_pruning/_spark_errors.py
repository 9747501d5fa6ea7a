"""Errors that Spark raises, as one line."""

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

SPARK_ERRORS = (PySparkException, Py4JJavaError)


def one_line(error: Exception) -> str:
    """Return the first line of the message of an error in `SPARK_ERRORS`, without a stack trace."""
    problem: object = error
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        problem = cause.getMessage() or cause.getClass().getName()
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(error).__name__
