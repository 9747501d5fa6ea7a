"""Reads one setting from the spark-defaults.conf of the next session."""

import os
import re
from pathlib import Path

_ENTRY = re.compile(r"^\s*(?P<key>[^#!\s=:]+)\s*[=:\s]\s*(?P<value>.*?)\s*$")


def spark_default(key: str) -> str | None:
    """Return the value of `key` in spark-defaults.conf, or None where the file has no such entry.

    A value on the builder replaces the one in the file, so code that appends starts with this
    value. The file is in ``SPARK_CONF_DIR``, else in ``conf`` of ``SPARK_HOME``, as for Spark.
    """
    value: str | None = None
    for line in _lines():
        entry = _ENTRY.match(line)
        if entry and entry["key"] == key:
            value = entry["value"]
    return value


def _lines() -> list[str]:
    home = os.environ.get("SPARK_HOME")
    default_dir = Path(home, "conf") if home else None
    configured = os.environ.get("SPARK_CONF_DIR")
    directory = Path(configured) if configured else default_dir
    if directory is None:
        return []
    try:
        return (directory / "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
