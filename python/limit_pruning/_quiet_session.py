"""A Spark session for one command. Its JVM logs to a file instead of the terminal."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from limit_pruning._errors import LimitPruningError
from limit_pruning._pyspark import disable_query_log
from limit_pruning._session import configure, verify

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAST_LINES = 20


class SessionNotStartedError(LimitPruningError):
    """Spark could not be started; the message ends with the last lines of its log."""


@contextmanager
def quiet_session(name: str) -> Iterator[SparkSession]:
    """Start a session with the extension, and stop it at the end.

    The settings are those of spark-defaults.conf; without a master there, Spark runs locally.
    """
    # PySpark logs the stack of each error in a query; commands print one line instead.
    disable_query_log(True)
    with tempfile.TemporaryFile("w+b") as log:
        try:
            with _stderr_into(log.fileno()):
                spark = _start(name)
        except LimitPruningError:
            raise
        except Exception as error:
            raise SessionNotStartedError(_problem(error, log.fileno())) from error
        try:
            yield spark
        finally:
            spark.stop()


def _start(name: str) -> SparkSession:
    builder = SparkSession.builder.appName(name).config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    verify(spark)
    return spark


@contextmanager
def _stderr_into(file: int) -> Iterator[None]:
    """Redirect the standard error of this process, and of processes it starts, to a file."""
    sys.stderr.flush()
    terminal = os.dup(2)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


def _problem(error: Exception, log: int) -> str:
    os.lseek(log, 0, os.SEEK_SET)
    with os.fdopen(os.dup(log), encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()[-_LAST_LINES:]
    return "\n".join([f"Spark could not be started: {error}", *lines])
