"""``python -m limit_pruning doctor``: checks that pruning works, and shows what to do if not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from limit_pruning._errors import LimitPruningError
from limit_pruning._jar import jar_path
from limit_pruning._report import report
from limit_pruning._session import SUPPORTED_SPARK_LINES
from limit_pruning._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_OLDEST_JAVA = 17
# Settings that prevent pruning with another value than this one, and what this one does.
_SETTINGS = {
    "spark.limitPruning.enabled": ("true", "enables pruning"),
    "spark.sql.parquet.enableVectorizedReader": ("true", "makes it possible to skip pages"),
    "spark.sql.files.ignoreMissingFiles": ("false", "makes it possible to prune LIMITs"),
    "spark.sql.files.ignoreCorruptFiles": ("false", "makes it possible to prune LIMITs"),
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
    """

    name: str
    found: str
    advice: str | None = None
    is_fatal: bool = True

    def __str__(self) -> str:
        """Return one line, and a second one with the advice."""
        mark = "ok  " if self.advice is None else "FAIL" if self.is_fatal else "warn"
        line = f"{mark}  {self.name}: {self.found}"
        return line if self.advice is None else f"{line}\n      {self.advice}"


def doctor() -> int:
    """Print the checks, one by one; return 1 after a fatal failure, else 0."""
    failed = False
    for check in _checks():
        print(check, flush=True)
        failed = failed or (check.advice is not None and check.is_fatal)
        if failed:
            break  # the next checks depend on this one
    print("\nLIMITs are NOT pruned here." if failed else "\nLIMITs are pruned here.")
    return 1 if failed else 0


def _checks() -> Iterator[Check]:
    yield Check("limit_pruning", __version__)
    yield Check("Python", platform.python_version())
    yield _spark()
    yield _java()
    yield _jar()
    yield from _session()


def _spark() -> Check:
    line = ".".join(pyspark.__version__.split(".")[:2])
    if line in SUPPORTED_SPARK_LINES:
        return Check("PySpark", pyspark.__version__)
    supported = ", ".join(SUPPORTED_SPARK_LINES)
    advice = f"supported are {supported}: pip install 'pyspark>=4.0,<4.4'"
    return Check("PySpark", pyspark.__version__, advice)


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
        return Check("JAR", "not found", str(error))


def _session() -> Iterator[Check]:
    from limit_pruning._quiet_session import quiet_session

    try:
        with quiet_session("limit-pruning doctor") as spark:
            yield Check(
                "session", f"started on {spark.sparkContext.master}; the extension is active"
            )
            yield from _settings(spark)
            yield _query(spark)
    except LimitPruningError as error:
        first, *others = str(error).splitlines()
        yield Check("session", first, "\n      ".join(others) or "see the line above")


def _settings(spark: SparkSession) -> Iterator[Check]:
    for name, (target, effect) in _SETTINGS.items():
        value = str(spark.conf.get(name)).lower()
        advice = None if value == target else f"{name}={target} {effect}"
        yield Check(name, value, advice, is_fatal=name == "spark.limitPruning.enabled")
    v1 = str(spark.conf.get(_V1_SOURCES))
    advice = None if "parquet" in v1.lower().split(",") else f"add parquet to {_V1_SOURCES}"
    yield Check(_V1_SOURCES, v1, advice)


def _query(spark: SparkSession) -> Check:
    """Run one query that can be pruned, on a temporary table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "numbers").as_uri()
        spark.range(0, 4000, numPartitions=4).write.parquet(path)
        df = spark.read.parquet(path).where("id >= 3000").limit(5)
        rows = [row.id for row in df.collect()]
        limit = report(df).only
    name = "a query"
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
