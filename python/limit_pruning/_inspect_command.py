"""``python -m limit_pruning inspect``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from limit_pruning._inspect import inspect
from limit_pruning._inspection import Inspection
from limit_pruning._quiet_session import quiet_session

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession


def inspect_command(given: argparse.Namespace) -> int:
    """Inspect a table and print the result; return the exit code 0."""
    with quiet_session("limit-pruning inspect") as spark:
        inspection = _with_progress(spark, given)
    if given.json:
        print(inspection.to_json())
    else:
        inspection.show()
    return 0


def _with_progress(spark: SparkSession, given: argparse.Namespace) -> Inspection:
    bar = Progress(
        TextColumn("footers"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("footers", total=None)
        return inspect(
            spark,
            given.table,
            given.where,
            limit=given.limit,
            max_files=given.max_files,
            progress=lambda done, files: bar.update(task, completed=done, total=files),
        )
