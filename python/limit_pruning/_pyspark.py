"""PySpark is no dependency of this package: whether it is there, which version, and where.

A managed platform has its own PySpark, which an installation of this package must not replace.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

from limit_pruning._errors import PySparkNotInstalledError, UnsupportedSparkVersionError

SUPPORTED_SPARK_LINES = ("3.5", "4.0", "4.1", "4.2", "4.3")
SUPPORTED_SPARKS = ", ".join(SUPPORTED_SPARK_LINES)
_MAJOR, _, _NEWEST = SUPPORTED_SPARK_LINES[-1].partition(".")
_RANGE = f"pyspark>={SUPPORTED_SPARK_LINES[0]},<{_MAJOR}.{int(_NEWEST) + 1}"
INSTALL_SPARK = f"`pip install '{_RANGE}'`"


def require_pyspark() -> None:
    """Raise an error unless a supported PySpark can be imported.

    Raises:
        PySparkNotInstalledError: This Python has no PySpark.
        UnsupportedSparkVersionError: This release does not support its version.
    """
    require_supported("PySpark", pyspark_version())


def pyspark_version() -> str:
    """Return the version of PySpark, or raise PySparkNotInstalledError."""
    try:
        import pyspark
    except ImportError as error:
        raise PySparkNotInstalledError(
            f"PySpark was not found ({error}); supported are {SUPPORTED_SPARKS}. "
            f"On a managed platform, use the Python that has PySpark; elsewhere {INSTALL_SPARK}."
        ) from error
    return pyspark.__version__


def require_supported(name: str, version: str) -> None:
    """Raise UnsupportedSparkVersionError unless `version`, of what `name` names, is supported."""
    if not is_supported(version):
        raise UnsupportedSparkVersionError(
            f"{name} {version} was found; supported are {SUPPORTED_SPARKS}. "
            f"Install one of these, for example {INSTALL_SPARK}."
        )


def is_supported(version: str) -> bool:
    """Return whether this release supports a version of Spark."""
    line = re.match(r"\d+\.\d+", version)
    return line is not None and line[0] in SUPPORTED_SPARK_LINES


def spark_home() -> Path | None:
    """Return the folder of the Spark that PySpark starts; None without PySpark and ``SPARK_HOME``.

    It is ``SPARK_HOME``, else the folder of the installed PySpark. PySpark is not imported.
    """
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    found = find_spec("pyspark")
    places = found.submodule_search_locations if found else None
    return Path(places[0]) if places else None


def disable_query_log(disabled: bool) -> None:
    """Disable or enable PySpark's log of errors in queries, which PySpark 3.5 does not have."""
    if find_spec("pyspark.logger"):
        from pyspark.logger import PySparkLogger

        # By PySpark's own class: whoever asks first decides of which class the logger is.
        PySparkLogger.getLogger("SQLQueryContextLogger").disabled = disabled
