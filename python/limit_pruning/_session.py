"""Switches the extension on in a session about to start, and checks one that has started."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from limit_pruning._bridge import ReportBridge
from limit_pruning._connect import connect_error, is_connect
from limit_pruning._errors import ExtensionNotActiveError, UnsupportedSparkVersionError
from limit_pruning._jar import jar_path
from limit_pruning._spark_defaults import spark_default

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSION = "limitpruning.LimitPruningExtensions"
SUPPORTED_SPARK_LINES = ("4.0", "4.1", "4.2", "4.3")

_JARS = "spark.jars"
_EXTENSIONS = "spark.sql.extensions"


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Make the session that `builder` starts prune LIMITs over Parquet.

    Appends the JAR to ``spark.jars`` and the entry point to ``spark.sql.extensions``. What is there
    already, on the builder or in spark-defaults.conf, stays; calling twice changes nothing more.
    These settings are read when Spark starts: a session that is running is not changed. A driver
    started by ``spark-submit`` has its class path already, so give the JAR there:
    ``spark-submit --jars "$(python -m limit_pruning jar)" ...``.

    Args:
        builder: A classic ``SparkSession.builder``, with any options set before or after.

    Returns:
        The same builder.

    Raises:
        SparkConnectNotSupportedError: The builder, or the environment, asks for Spark Connect.
        JarNotFoundError: The JAR is not there.

    Examples:
        >>> spark = limit_pruning.configure(SparkSession.builder).getOrCreate()
    """
    options: dict[str, object] = getattr(builder, "_options", {})
    _refuse_connect(builder, options)
    for key, entry in ((_JARS, str(jar_path())), (_EXTENSIONS, EXTENSION)):
        builder = builder.config(key, _appended(options.get(key, spark_default(key)), entry))
    return builder


def verify(spark: SparkSession) -> None:
    """Return only if LIMITs over Parquet are pruned in `spark`, else raise the reason.

    Spark merely logs a warning when an extension cannot be loaded, so call this once after start.
    A session in which ``spark.limitPruning.enabled`` is false passes: it can be set at any time.

    Args:
        spark: A running session.

    Raises:
        SparkConnectNotSupportedError: The session is a Spark Connect one.
        UnsupportedSparkVersionError: Spark is not one of the supported lines.
        ExtensionNotActiveError: The session was started without the extension.

    Examples:
        >>> limit_pruning.verify(spark)
    """
    require(spark, "verify")


def require(spark: SparkSession, call: str) -> None:
    """Do what `verify` does, for another call that is named if it cannot be made."""
    if is_connect(spark):
        raise connect_error(call, "this session is a Spark Connect one")
    _require_supported(spark.version)
    if not ReportBridge(spark).is_active():
        raise ExtensionNotActiveError(_not_active_message(spark))


def _refuse_connect(builder: object, options: dict[str, object]) -> None:
    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", ""))
    found = None
    if is_connect(builder):
        found = "this builder is a Spark Connect one"
    elif "spark.remote" in options:
        found = f"the builder has spark.remote={options['spark.remote']}"
    elif str(mode).lower() == "connect":
        found = "spark.api.mode is 'connect'"
    elif "SPARK_REMOTE" in os.environ:
        found = f"the environment has SPARK_REMOTE={os.environ['SPARK_REMOTE']}"
    if found:
        raise connect_error("configure", found)


def _appended(present: object, entry: str) -> str:
    entries = [part.strip() for part in str(present or "").split(",") if part.strip()]
    return ",".join(entries if entry in entries else [*entries, entry])


def _require_supported(version: str) -> None:
    line = re.match(r"\d+\.\d+", version)
    if line is None or line[0] not in SUPPORTED_SPARK_LINES:
        raise UnsupportedSparkVersionError(
            f"Spark {version} was found; supported are {', '.join(SUPPORTED_SPARK_LINES)}. "
            "Install one of these, for example `pip install 'pyspark>=4.0,<4.4'`."
        )


def _not_active_message(spark: SparkSession) -> str:
    extensions = spark.conf.get(_EXTENSIONS, None) or "empty"
    jars = spark.sparkContext.getConf().get(_JARS) or "empty"
    return (
        f"The extension {EXTENSION} is not active in this session (spark.sql.extensions is "
        f"{extensions}, spark.jars is {jars}). Stop the session and "
        "start it by limit_pruning.configure(SparkSession.builder).getOrCreate(); "
        'with spark-submit, pass --jars "$(python -m limit_pruning jar)" '
        f"--conf spark.sql.extensions={EXTENSION}."
    )
