"""Reads settings from a file such as spark-defaults.conf."""

import os
import re
from pathlib import Path

from limit_pruning._pyspark import spark_home

_ENTRY = re.compile(r"^\s*(?P<key>[^#!\s=:]+)\s*[=:\s]\s*(?P<value>.*?)\s*$")


def spark_defaults() -> Path:
    """Return the path of spark-defaults.conf, which need not exist.

    The file is in ``SPARK_CONF_DIR``, else in ``conf`` of ``SPARK_HOME``, else in ``conf`` of the
    installed PySpark, as for Spark.
    """
    directory = os.environ.get("SPARK_CONF_DIR")
    return Path(directory or Path(spark_home() or "", "conf"), "spark-defaults.conf")


def setting_in(file: Path, key: str) -> str | None:
    """Return the value of `key` in `file`, or None where there is no such file or entry."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    entries = [entry for entry in map(_ENTRY.match, lines) if entry and entry["key"] == key]
    return entries[-1]["value"] if entries else None
