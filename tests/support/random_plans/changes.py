"""What may change between planning a query and running it: files, partitions, settings."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support.random_plans import files, places, specs
from support.random_plans.files import Rewrite
from support.random_plans.places import Sessions, Table
from support.runs import ENABLED

Change = Callable[[Table, Sessions], None]
NEW_IDS = 20_000


def nothing(_table: Table, _sessions: Sessions) -> None:
    """Nothing changes."""


def appended(table: Table, sessions: Sessions) -> None:
    """A file is added, by Spark if the table is in the catalog."""
    _insert(table, sessions[1], "INTO")


def appended_by_own_session(table: Table, sessions: Sessions) -> None:
    """A file is added, in the session that planned the query."""
    _insert(table, sessions[0], "INTO")


def overwritten(table: Table, sessions: Sessions) -> None:
    """All files are replaced by others."""
    _insert(table, sessions[1], "OVERWRITE")


def overwritten_by_own_session(table: Table, sessions: Sessions) -> None:
    """All files are replaced by others, in the session that planned the query."""
    _insert(table, sessions[0], "OVERWRITE")


def deleted(table: Table, _sessions: Sessions) -> None:
    """A file is deleted."""
    _files(table)[0].unlink()


def truncated(table: Table, _sessions: Sessions) -> None:
    """A file loses its end."""
    file = _files(table)[0]
    file.write_bytes(file.read_bytes()[:-30])
    files.without_checksum(file)


def partition_dropped(table: Table, sessions: Sessions) -> None:
    """A partition is gone, from the catalog and from the file system."""
    values = table.spec.partition_values[0]
    if table.in_catalog and values:
        partition = places.partition(table.spec, values)
        sessions[1].sql(f"ALTER TABLE {table.name} DROP IF EXISTS {partition}")
    elif values:
        shutil.rmtree(table.folders[values])


def partition_added(table: Table, sessions: Sessions) -> None:
    """There is another partition."""
    if not table.spec.partition_columns:
        return
    values = places.extra(table.spec)
    folder = table.folder / table.spec.folder(values)
    specs.write(folder / "part-0.parquet", random.Random(1), NEW_IDS, table.spec)
    if table.in_catalog:
        partition = places.partition(table.spec, values)
        added = f"{partition} LOCATION '{folder}'"
        sessions[1].sql(f"ALTER TABLE {table.name} ADD IF NOT EXISTS {added}")


def refreshed(table: Table, sessions: Sessions) -> None:
    """The session forgets the listing."""
    refresh(table, sessions[0])


def refresh(table: Table, spark: SparkSession) -> None:
    """Make a session list the table again."""
    if table.source == table.name:
        spark.catalog.refreshTable(table.name)
    else:
        spark.catalog.refreshByPath(str(table.folder))


def rewritten(how: Rewrite, keeps_time: bool, every: bool) -> Change:
    """One file, or every one, is written again in place."""

    def change(table: Table, _sessions: Sessions) -> None:
        for file in _files(table)[: None if every else 1]:
            files.rewrite(file, how, table.spec, keeps_time)

    return change


def setting(key: str, value: str) -> Change:
    """A setting of the session that planned the query is another."""

    def change(_table: Table, sessions: Sessions) -> None:
        sessions[0].conf.set(key, value)

    return change


CHANGES: dict[str, Change] = {
    "nothing": nothing,
    "appended": appended,
    "appended by own session": appended_by_own_session,
    "overwritten": overwritten,
    "overwritten by own session": overwritten_by_own_session,
    "other rows": rewritten(files.more_rows, keeps_time=False, every=False),
    "other ids": rewritten(files.other_ids, keeps_time=False, every=True),
    "other ids, same time": rewritten(files.other_ids, keeps_time=True, every=True),
    "one file of other ids, same time": rewritten(files.other_ids, keeps_time=True, every=False),
    "reversed rows, same time": rewritten(files.reversed_rows, keeps_time=True, every=True),
    "other words, same time": rewritten(files.other_words, keeps_time=True, every=True),
    "deleted": deleted,
    "truncated": truncated,
    "partition dropped": partition_dropped,
    "partition added": partition_added,
    "refreshed": refreshed,
}
SETTINGS: dict[str, Change] = {
    "ignore corrupt files": setting("spark.sql.files.ignoreCorruptFiles", "true"),
    "ignore missing files": setting("spark.sql.files.ignoreMissingFiles", "true"),
    "row-based reader": setting("spark.sql.parquet.enableVectorizedReader", "false"),
    "small tasks": setting("spark.sql.files.maxPartitionBytes", "1k"),
    "no extension": setting(ENABLED, "false"),
    "other ANSI mode": setting("spark.sql.ansi.enabled", "false"),
}
ALL = CHANGES | SETTINGS
OFTEN = 4 * ["overwritten", "overwritten by own session"]


def _files(table: Table) -> list[Path]:
    return sorted(table.folder.rglob("*.parquet"))


def _insert(table: Table, spark: SparkSession, mode: str) -> None:
    values = table.spec.partition_values[-1]
    new = table.folder.parent / "new" / "part-0.parquet"
    specs.write(new, random.Random(2), NEW_IDS, table.spec)
    if table.in_catalog:
        spark.read.parquet(str(new)).createOrReplaceTempView("new_rows")
        rows = ", ".join(["*", *values])
        spark.sql(f"INSERT {mode} {table.name} SELECT {rows} FROM new_rows")
        return
    if mode == "OVERWRITE":
        for file in _files(table):
            file.unlink()
    shutil.copy(new, table.folders[values] / "part-new.parquet")
