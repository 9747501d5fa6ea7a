"""Tables for an object store, and the queries over them with what must come of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import oracle, tables

Row = dict[str, Any]

ROWS = 300  # of a row group of `numbers`
PAGES = {"spark.limitPruning.pages.minBytes": "0"}
PLANNED_AT_ROOT = {"spark.limitPruning.planning.atRoot": "true"}
BY_ROWS = {"spark.sql.parquet.enableVectorizedReader": "false"}
SEVERAL_TASKS = {
    "spark.sql.files.maxPartitionBytes": "1000",
    "spark.sql.files.openCostInBytes": str(32 * 1024 * 1024),
}
ONE_FILE_SEEN = {"spark.limitPruning.planning.maxFiles": "1"}


@dataclass(frozen=True)
class Case:
    """A query and what must come of it.

    Attributes:
        table: The one of `write` that it reads.
        sql: With `{table}` where the table is named.
        allows: Tells which rows of the table it may give.
        rows: How many of them.
        reason: Why it is not covered; None where it is.
        cuts: Whether less than whole row groups is read.
        first: The ids of the rows, where just one answer is right.
    """

    table: str
    sql: str
    allows: Callable[[Row], bool]
    rows: int
    settings: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    cuts: bool = False
    first: list[int] | None = None


def write(folder: Path) -> None:
    """Write the tables that no test changes."""
    tables.sightings(folder)  # 240 rows in four partitions
    for part in range(2):
        numbers(folder / "numbers" / f"{part}.parquet", first=2 * ROWS * part)


def numbers(file: Path, first: int = 0, sign: int = 1, rows: int = ROWS) -> Path:
    """Write two row groups of several pages, all of one length for the same number of rows."""
    starts = (first, first + rows)
    values = [[sign * (start + n) for n in range(1, rows + 1)] for start in starts]
    groups = [{"id": part, "c": part} for part in values]
    options = {"compression": "none", "use_dictionary": False, "column_encoding": "PLAIN"}
    pages = {"max_rows_per_page": 50, "write_batch_size": 50, "write_page_index": True}
    return tables.write(file, groups, tables.NUMBERED, **options, **pages)


def allowed(case: Case, folder: Path) -> list[int]:
    """Return the ids of the rows that a query may give, as pyarrow reads them."""
    return [row["id"] for row in oracle.read(folder / case.table) if case.allows(row)]


READ = {
    "covered": Case(
        "sightings", "SELECT id FROM {table} WHERE s >= 4 LIMIT 25", lambda row: row["s"] >= 4, 25
    ),
    "no predicate": Case(
        "sightings", "SELECT id FROM {table} LIMIT 25", lambda _: True, 25, reason="at-root"
    ),
    "no predicate, planned with the query": Case(
        "sightings", "SELECT id FROM {table} LIMIT 25", lambda _: True, 25, PLANNED_AT_ROOT
    ),
    "partitioned": Case(
        "sightings",
        "SELECT id FROM {table} WHERE day = DATE'2024-01-02' AND s >= 8 LIMIT 30",
        lambda row: str(row["day"]) == "2024-01-02" and row["s"] >= 8,
        30,
    ),
    "several tasks": Case(
        "sightings",
        "SELECT id FROM {table} WHERE s >= 4 LIMIT 150",
        lambda row: row["s"] >= 4,
        150,
        SEVERAL_TASKS,
    ),
    "row by row": Case(
        "numbers",
        "SELECT id FROM {table} WHERE c > 350 LIMIT 80",
        lambda row: row["c"] > 350,
        80,
        BY_ROWS,
    ),
    "pages": Case(
        "numbers",
        "SELECT id FROM {table} WHERE c > 350 AND c <= 1050 LIMIT 500",
        lambda row: 350 < row["c"] <= 1050,
        500,
        PAGES,
        cuts=True,
    ),
    "not covered": Case(
        "sightings",
        "SELECT id FROM {table} WHERE s >= 4 AND id % 7 <> 3 LIMIT 1000",
        lambda row: row["s"] >= 4 and row["id"] % 7 != 3,
        172,
        reason="not-clustered",
    ),
    "files that planning did not look at": Case(
        "numbers",
        "SELECT id FROM {table} WHERE c > 350 LIMIT 700",
        lambda row: row["c"] > 350,
        700,
        ONE_FILE_SEEN,
        reason="out-of-budget",
    ),
    "ordered": Case(
        "sightings",
        "SELECT id FROM {table} WHERE s < 20 ORDER BY id DESC LIMIT 7",
        lambda row: row["s"] < 20,
        7,
        first=list(range(199, 192, -1)),
    ),
    "ordered, pages": Case(
        "numbers",
        "SELECT id FROM {table} ORDER BY c LIMIT 7",
        lambda _: True,
        7,
        PAGES,
        cuts=True,
        first=list(range(1, 8)),
    ),
}
