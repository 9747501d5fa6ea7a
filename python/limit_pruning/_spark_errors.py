"""Errors that Spark raises, as one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.errors import PySparkException


def spark_errors() -> tuple[type[Exception], ...]:
    """Return the classes of the errors that calls of Spark raise."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JJavaError


def condition(error: PySparkException) -> str | None:
    """Return the condition of an error, which PySpark 3.5 calls its class."""
    if hasattr(error, "getCondition"):
        return error.getCondition()
    return error.getErrorClass()


_OURS = "USER_RAISED_EXCEPTION"  # the condition of the errors of table functions


def one_line(error: Exception) -> str:
    """Return the first line of the message of one of `spark_errors()`, without a stack trace."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    problem: object = error
    if isinstance(error, PySparkException) and condition(error) in (_OURS, None):
        problem = (error.getMessageParameters() or {}).get("errorMessage", error)
        problem = re.sub(r"^limit_pruning_\w+: ", "", str(problem))
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        problem = cause.getMessage() or cause.getClass().getName()
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(error).__name__
