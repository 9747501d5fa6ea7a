"""The settings that Spark gets from its launch: the command line and spark-defaults.conf."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkContext

from limit_pruning._spark_defaults import setting_in, spark_defaults

if TYPE_CHECKING:
    from collections.abc import Callable

_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_JARS = "spark.jars"
# Options of spark-submit that have no value.
_SWITCHES = {"--help", "-h", "--load-spark-defaults", "--supervise", "--usage-error"}
_SWITCHES |= {"--verbose", "-v", "--version"}


def launch_setting(key: str) -> str | None:
    """Return the value of `key` that Spark has from its launch, or None where it has none.

    With spark-submit, and after an earlier session of this process, the JVM is running and has the
    settings as system properties. Otherwise the next session starts the JVM. This function does not
    start it, because ``spark.jars`` has no effect on the class path of a running JVM.
    """
    if _is_launched():
        SparkContext._ensure_initialized()
        jvm: Any = SparkContext._jvm
        value = jvm.java.lang.System.getProperty(key)  # PySpark 3.5 has no function for it
        return None if value is None else str(value)
    options, _ = _submit_arguments()
    value = _on_command_line(options, key)
    return value if value is not None else _in_file(options, key)


def change_submit_jars(change: Callable[[str], str]) -> None:
    """Change the JARs in ``PYSPARK_SUBMIT_ARGS``, which replace the builder's in the class path.

    Nothing changes where the variable has no JARs, or where the JVM is running.
    """
    if _is_launched():
        return
    options, resource = _submit_arguments()
    jars = _on_command_line(options, _JARS)
    if jars is not None and change(jars) != jars:
        words = shlex.split(os.environ[_ARGUMENTS])
        # Spark uses the last --jars, also if spark.jars is set with --conf.
        words[len(words) - len(resource) : len(words) - len(resource)] = ["--jars", change(jars)]
        os.environ[_ARGUMENTS] = shlex.join(words)


def _is_launched() -> bool:
    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def _submit_arguments() -> tuple[list[tuple[str, str]], list[str]]:
    """Return the options with their values, and the words after them, as spark-submit does."""
    words = shlex.split(os.environ.get(_ARGUMENTS, ""))
    options = []
    while words and words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        if not equals and name not in _SWITCHES and words:
            value = words.pop(0)
        options.append((name, value))
    return options, words


def _on_command_line(options: list[tuple[str, str]], key: str) -> str | None:
    settings = [value.split("=", 1) for name, value in options if name in ("--conf", "-c")]
    values = [setting[1] for setting in settings if setting[0] == key and len(setting) == 2]
    if key == _JARS:
        values += [value for name, value in options if name == "--jars"]
    return values[-1] if values else None


def _in_file(options: list[tuple[str, str]], key: str) -> str | None:
    files = [Path(value) for name, value in options if name == "--properties-file"][-1:]
    if not files or ("--load-spark-defaults", "") in options:
        files.append(spark_defaults())
    values = (setting_in(file, key) for file in files)
    return next((value for value in values if value is not None), None)
