"""Adds the extension to a session, checks that it is active, and disables it for a block."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from limit_pruning._bridge import ReportBridge
from limit_pruning._connect import connect_error, is_connect, is_connect_session
from limit_pruning._connect_reports import ConnectReports
from limit_pruning._errors import ExtensionNotActiveError
from limit_pruning._jar import jar_path
from limit_pruning._pyspark import (
    is_supported,
    pyspark_version,
    require_pyspark,
    require_supported,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

EXTENSION = "limitpruning.LimitPruningExtensions"

_ENABLED = "spark.limitPruning.enabled"
_JARS = "spark.jars"
_EXTENSIONS = "spark.sql.extensions"
_CLASSIC_OR_CONNECT = "a classic or a Spark Connect SparkSession"


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the extension to the session that `builder` starts.

    Appends the JAR to ``spark.jars`` and the entry point to ``spark.sql.extensions``. Entries from
    the builder, the command line of ``spark-submit``, ``PYSPARK_SUBMIT_ARGS`` or
    spark-defaults.conf stay; a second call changes nothing. If ``PYSPARK_SUBMIT_ARGS`` contains
    JARs, the JAR is added to that environment variable, too, because Spark prefers the JARs of that
    variable to those of the builder.

    Spark reads these settings when it starts: a running session does not change. With
    ``spark-submit`` the driver has already started, so add the JAR on the command line:
    ``spark-submit --jars "$(python -m limit_pruning jar)" ...``.

    Args:
        builder: A classic ``SparkSession.builder``. Set its own JARs and extensions before this
            call, because a later value replaces the result. Set other options before or after.

    Returns:
        The same builder.

    Raises:
        TypeError: `builder` is not a builder, but for example a session.
        SparkConnectNotSupportedError: The builder or the environment is set up for Spark Connect.
        PySparkNotInstalledError: PySpark is not installed.
        UnsupportedSparkVersionError: This release does not support the version of PySpark.
        JarNotFoundError: The JAR does not exist.

    Examples:
        >>> spark = limit_pruning.configure(SparkSession.builder).getOrCreate()
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    from limit_pruning._launch import change_submit_jars, launch_setting

    options: dict[str, object] = getattr(builder, "_options", {})
    _refuse_connect(builder, options)
    if not isinstance(builder, SparkSession.Builder):
        raise TypeError(f"configure() takes SparkSession.builder, not {type(builder).__name__}")
    jar = str(jar_path())
    for key, entry in ((_JARS, jar), (_EXTENSIONS, EXTENSION)):
        present = options[key] if key in options else launch_setting(key)
        builder = builder.config(key, _appended(present, entry))
    change_submit_jars(lambda jars: _appended(jars, jar))
    return builder


def verify(spark: SparkSession) -> None:
    """Raise an error unless the extension is loaded in `spark`.

    If Spark cannot load an extension, it logs a warning and continues without it. Call this
    function once after the start. It does not check ``spark.limitPruning.enabled``, which can
    change at any time; `is_active` does.

    Args:
        spark: A classic or a Spark Connect session.

    Raises:
        TypeError: `spark` is not a session.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.

    Examples:
        >>> limit_pruning.verify(spark)
    """
    require(spark, "verify")


def is_active(spark: SparkSession) -> bool:
    """Return whether LIMITs over Parquet are pruned in `spark`.

    Args:
        spark: A classic session, or a Spark Connect one: then the server must have loaded the
            extension.

    Returns:
        True if the extension is loaded and ``spark.limitPruning.enabled`` is true. False for a
        classic session with a Spark version that this release does not support.

    Raises:
        TypeError: `spark` is neither a classic nor a Spark Connect session.

    Examples:
        >>> limit_pruning.is_active(spark)
        True
    """
    _check_session(spark, "is_active", _CLASSIC_OR_CONNECT)
    loaded = (is_connect(spark) or is_supported(spark.version)) and reports_of(spark).is_active()
    return loaded and str(spark.conf.get(_ENABLED)).strip().lower() == "true"


@contextmanager
def disabled(spark: SparkSession) -> Iterator[None]:
    """Disable the extension in `spark` for a block: queries are planned as without it.

    The block sets ``spark.limitPruning.enabled`` to false. At its end, the setting has its previous
    value again, or is unset as before; blocks can be nested. The setting belongs to the session, so
    it applies to all threads that use `spark`, and blocks of two threads must not overlap.

    A classic DataFrame is planned once, by its first action or report. One that was planned before
    the block does not change. A DataFrame that is created in the block and first used after the
    block is pruned.

    Args:
        spark: A classic or a Spark Connect session.

    Raises:
        TypeError: `spark` is neither a classic nor a Spark Connect session.

    Examples:
        >>> with limit_pruning.disabled(spark):
        ...     plain = spark.sql("SELECT * FROM t WHERE s >= 50 LIMIT 3").collect()
    """
    _check_session(spark, "disabled", _CLASSIC_OR_CONNECT)
    before = spark.conf.get(_ENABLED, None)
    spark.conf.set(_ENABLED, "false")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_ENABLED)
        else:
            spark.conf.set(_ENABLED, before)


def reports_of(spark: SparkSession) -> ReportBridge | ConnectReports:
    """Return what reads the reports of a session, classic or of Spark Connect."""
    return ConnectReports(spark) if is_connect(spark) else ReportBridge(spark)


def require(spark: SparkSession, call: str) -> None:
    """Do what `verify` does for another public function, which errors name."""
    _check_session(spark, call, _CLASSIC_OR_CONNECT)
    require_supported("Spark", spark.version)
    if not reports_of(spark).is_active():
        raise ExtensionNotActiveError(_not_active_message(spark))


def _check_session(spark: object, call: str, supported: str) -> None:
    """Raise TypeError unless `spark` is a session, classic or of Spark Connect.

    Args:
        spark: The argument of this name of a public function.
        call: The name of the public function, without the package.
        supported: The type that the public function takes.
    """
    pyspark_version()  # raises where there is none
    from pyspark.sql import SparkSession

    if not (isinstance(spark, SparkSession) or is_connect_session(spark)):
        # Without the repr: that of a DataFrame can run a query.
        raise TypeError(f"{call}() takes {supported} as spark, not {type(spark).__name__}")


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
    # spark-submit makes URIs of the paths of JARs.
    paths = [unquote(urlsplit(part).path) for part in entries if part.startswith("file:")]
    return ",".join(entries if entry in (*entries, *paths) else [*entries, entry])


def _not_active_message(spark: SparkSession) -> str:
    extensions = spark.conf.get(_EXTENSIONS, None) or "empty"
    if is_connect(spark):
        return (
            f"The extension {EXTENSION} is not active on this Spark Connect server "
            f"(spark.sql.extensions is {extensions}). Start the server with the JAR in spark.jars "
            f"and {EXTENSION} in spark.sql.extensions."
        )
    jars = spark.sparkContext.getConf().get(_JARS) or "empty"
    return (
        f"The extension {EXTENSION} is not active in this session (spark.sql.extensions is "
        f"{extensions}, spark.jars is {jars}). Stop the session and "
        "start it with limit_pruning.configure(SparkSession.builder).getOrCreate(); "
        'with spark-submit, pass --jars "$(python -m limit_pruning jar)" '
        f"--conf spark.sql.extensions={EXTENSION}."
    )
