"""``python -m limit_pruning doctor``: checks that pruning works, and shows what to do if not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from limit_pruning._bridge import delete_folder
from limit_pruning._errors import (
    LimitPruningError,
    PySparkNotInstalledError,
    UnsupportedSparkVersionError,
)
from limit_pruning._jar import jar_path
from limit_pruning._pyspark import pyspark_version, require_supported
from limit_pruning._report import report
from limit_pruning._source import local_uri
from limit_pruning._spark_errors import one_line, spark_errors
from limit_pruning._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_OLDEST_JAVA = 17
# Settings that prevent or weaken pruning unless they have this value, and what this value does.
_SETTINGS = {
    "spark.limitPruning.enabled": ("true", "enables pruning"),
    "spark.sql.parquet.enableVectorizedReader": ("true", "makes it possible to skip pages"),
    "spark.sql.files.ignoreMissingFiles": ("false", "makes it possible to prune more LIMITs"),
    "spark.sql.files.ignoreCorruptFiles": ("false", "makes it possible to prune more LIMITs"),
}
_V1_SOURCES = "spark.sql.sources.useV1SourceList"


@dataclass(frozen=True)
class Check:
    """The result of one check.

    Attributes:
        name: What was checked.
        found: What was found.
        advice: What to do; None where the check passed.
        is_fatal: Whether a failure prevents all pruning.
        is_skipped: Whether nothing was checked, for the reason in `found`.
    """

    name: str
    found: str
    advice: str | None = None
    is_fatal: bool = True
    is_skipped: bool = False

    def __str__(self) -> str:
        """Return one line, and a second one with the advice."""
        problem = "skip" if self.is_skipped else "FAIL" if self.is_fatal else "warn"
        mark = "ok  " if self.advice is None else problem
        line = f"{mark}  {self.name}: {self.found}"
        return line if self.advice is None else f"{line}\n      {self.advice}"


def doctor(directory: str | None = None) -> int:
    """Print the checks, one by one; return 1 after a fatal failure, else 0.

    Args:
        directory: Folder for the table of the test query, as a path or URI for Spark; None for a
            temporary folder of this machine.
    """
    conclusion = "LIMITs are pruned here."
    for check in _checks(directory):
        print(check, flush=True)
        if check.is_skipped:
            conclusion = "No query was run, so it is not known whether LIMITs are pruned here."
        elif check.advice is not None and check.is_fatal:
            print("\nLIMITs are NOT pruned here.")
            return 1  # the next checks depend on this one
    print(f"\n{conclusion}")
    return 0


def _checks(directory: str | None) -> Iterator[Check]:
    yield Check("limit_pruning", __version__)
    yield Check("Python", platform.python_version())
    yield _spark()
    yield _java()
    yield _jar()
    yield from _session(directory)


def _spark() -> Check:
    try:
        version = pyspark_version()
    except PySparkNotInstalledError as error:
        return Check("PySpark", "not found", str(error))
    try:
        require_supported("PySpark", version)
    except UnsupportedSparkVersionError as error:
        return Check("PySpark", version, str(error))
    return Check("PySpark", version)


def _java() -> Check:
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home, "bin", "java")) if home else shutil.which("java")
    advice = f"install Java {_OLDEST_JAVA} or later, and set JAVA_HOME to its folder"
    if command is None:
        return Check("Java", "not on the PATH, and JAVA_HOME is not set", advice)
    try:
        run = subprocess.run([command, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return Check("Java", str(error), advice)
    version = re.search(r'version "((\d+)[^"]*)"', run.stderr)
    if version is None or int(version[2]) < _OLDEST_JAVA:
        return Check("Java", version[1] if version else run.stderr.strip(), advice)
    return Check("Java", f"{version[1]} ({command})")


def _jar() -> Check:
    try:
        return Check("JAR", str(jar_path()))
    except LimitPruningError as error:
        return Check("JAR", "none to use", str(error))


def _session(directory: str | None) -> Iterator[Check]:
    from limit_pruning._quiet_session import quiet_session

    try:
        with quiet_session("limit-pruning doctor") as spark:
            yield Check(
                "session", f"started on {spark.sparkContext.master}; the extension is active"
            )
            yield from _settings(spark)
            yield _query(spark, directory)
    except LimitPruningError as error:
        first, *others = str(error).splitlines()
        yield Check("session", first, "\n      ".join(others) or "see the line above")


def _settings(spark: SparkSession) -> Iterator[Check]:
    for name, (target, effect) in _SETTINGS.items():
        value = str(spark.conf.get(name)).lower()
        advice = None if value == target else f"{name}={target} {effect}"
        yield Check(name, value, advice, is_fatal=name == "spark.limitPruning.enabled")
    v1 = str(spark.conf.get(_V1_SOURCES))
    sources = [source.strip().lower() for source in v1.split(",")]
    advice = None if "parquet" in sources else f"add parquet to {_V1_SOURCES}"
    yield Check(_V1_SOURCES, v1, advice)


def _query(spark: SparkSession, directory: str | None = None) -> Check:
    """Run one query that can be pruned, on a table that is deleted afterwards."""
    name = "a query"
    master = str(spark.sparkContext.master)
    if directory is None and not master.startswith("local"):
        return Check(
            name,
            f"not run, because executors of {master} may not see the folders of this machine",
            "add --directory PATH, a folder that the driver and all executors can read and write",
            is_skipped=True,
        )
    try:
        with _folder(spark, directory) as path:
            spark.range(0, 4000, numPartitions=4).write.parquet(path)
            df = spark.read.parquet(path).where("id >= 3000").limit(5)
            rows = [row.id for row in df.collect()]
            limit = report(df).only
    except spark_errors() as error:
        where = directory or tempfile.gettempdir()
        advice = f"make sure that the driver and all executors can read and write {where}"
        return Check(name, f"failed: {one_line(error)}", advice)
    if len(rows) != 5 or min(rows) < 3000:
        return Check(
            name, f"returned the rows {rows}", "this is a bug: please report it with this output"
        )
    if limit.reason:
        return Check(name, f"not covered: {limit.reason.message}", "see the settings above")
    read = f"{limit.row_groups.read} of {limit.row_groups.total} row groups"
    if limit.pages.not_skipped_reason:
        return Check(name, f"read {read}", limit.pages.not_skipped_reason, is_fatal=False)
    return Check(name, f"read {read}")


@contextmanager
def _folder(spark: SparkSession, directory: str | None) -> Iterator[str]:
    """Return the path of a folder that does not exist; it is deleted at the end."""
    if directory is None:
        with tempfile.TemporaryDirectory() as folder:
            yield local_uri(Path(folder, "numbers"))
    else:
        path = f"{directory.rstrip('/')}/limit-pruning-doctor-{uuid4().hex}"
        try:
            yield path
        finally:
            delete_folder(spark, path)
