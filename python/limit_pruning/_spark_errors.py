"""Errors that Spark raises, as one line."""

from __future__ import annotations

import re


def spark_errors() -> tuple[type[Exception], ...]:
    """Return the classes of the errors that calls of Spark raise."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JJavaError


_OURS = "USER_RAISED_EXCEPTION"  # the condition of the errors of table functions


def one_line(error: Exception) -> str:
    """Return the first line of the message of one of `spark_errors()`, without a stack trace."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    problem: object = error
    if isinstance(error, PySparkException) and error.getCondition() == _OURS:
        problem = (error.getMessageParameters() or {}).get("errorMessage", error)
        problem = re.sub(r"^limit_pruning_\w+: ", "", str(problem))
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        problem = cause.getMessage() or cause.getClass().getName()
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(error).__name__
