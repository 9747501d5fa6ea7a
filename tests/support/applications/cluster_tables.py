"""Tables for a cluster, and the queries over them with what must come of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from support import tables

ROWS_OF_A_FILE = 2000
TEXT = "x" * 200
SMALL_FILES = 300
MANY_FILES = "many small files"
FOUND_BY_ROWS = "found by reading columns first"
BY_ROWS = {"spark.sql.parquet.enableVectorizedReader": "false"}
PAGES = {"spark.limitPruning.pages.minBytes": "0"}
PLANNED_AT_ROOT = {"spark.limitPruning.planning.atRoot": "true"}
SEVERAL_TASKS = {
    "spark.sql.files.maxPartitionBytes": "1000",
    "spark.sql.files.openCostInBytes": str(32 * 1024 * 1024),
}


@dataclass
class Case:
    """A query and what must come of it: how many rows, all of them allowed, by which way."""

    sql: str
    rows: int
    allows: Callable[[dict[str, Any]], bool]
    settings: dict[str, str]
    reason: str | None = None
    cuts: bool = False


def write(folder: Path) -> None:
    """Write ``sightings``, ``paged`` of two files in many pages, ``small`` of many files."""
    tables.sightings(folder)
    kinds = pa.schema([("id", pa.int64()), ("text", pa.string())])
    for part in range(2):
        ids = list(range(part * ROWS_OF_A_FILE, (part + 1) * ROWS_OF_A_FILE))
        texts = [f"{number}{TEXT}" for number in ids]
        tables.write(
            folder / "paged" / f"{part}.parquet",
            [{"id": ids, "text": texts}],
            kinds,
            use_dictionary=False,
            max_rows_per_page=100,
            write_batch_size=100,
            write_page_index=True,
        )
    for part in range(SMALL_FILES):
        ids = [2 * part, 2 * part + 1]
        file = folder / "small" / f"{part:03}.parquet"
        tables.write(file, [{"id": ids, "c": ids}], tables.NUMBERED)


def cases(data: Path) -> dict[str, Case]:
    """Every way in which rows are read."""
    sightings = f"FROM parquet.`{data}/sightings`"
    paged = f"SELECT *, _metadata.row_index, _metadata.file_name FROM parquet.`{data}/paged`"
    small = f"SELECT * FROM parquet.`{data}/small`"

    def paged_row(row: dict[str, Any]) -> bool:
        part = int(row["file_name"].removesuffix(".parquet"))
        same: bool = row["id"] == part * ROWS_OF_A_FILE + row["row_index"]
        return same and bool(row["text"] == f"{row['id']}{TEXT}")

    read = {
        "no predicate": Case(
            f"SELECT id, species {sightings} LIMIT 25",
            25,
            lambda row: row["species"] == f"Alpine {row['id']}",
            {},
            reason="at-root",
        ),
        "partition columns": Case(
            f"SELECT id, s, CAST(day AS STRING) AS day {sightings} "
            "WHERE day = DATE'2024-01-02' AND s >= 8 LIMIT 30",
            30,
            lambda row: row["day"] == "2024-01-02" and 8 <= row["s"] == row["id"] // 10,
            {},
        ),
        "several tasks": Case(
            f"SELECT id, s {sightings} WHERE s >= 4 LIMIT 150",
            150,
            lambda row: 4 <= row["s"] == row["id"] // 10,
            SEVERAL_TASKS,
        ),
        "not covered": Case(
            f"SELECT id, s {sightings} WHERE s >= 4 AND id % 7 <> 3 LIMIT 1000",
            172,
            lambda row: row["id"] >= 40 and row["id"] % 7 != 3,
            {},
            reason="not-clustered",
        ),
        "the first pages": Case(
            f"{paged} LIMIT 500", 500, paged_row, PAGES | PLANNED_AT_ROOT, cuts=True
        ),
        "the first pages, taken": Case(
            f"{paged} LIMIT 500", 500, paged_row, PAGES, reason="at-root"
        ),
        "pages in the middle": Case(
            f"{paged} WHERE id >= 850 AND id < 1450 LIMIT 500",
            500,
            lambda row: paged_row(row) and 850 <= row["id"] < 1450,
            PAGES,
            cuts=True,
        ),
        MANY_FILES: Case(
            f"{small} WHERE c >= 20 LIMIT 570", 570, lambda row: 20 <= row["c"] == row["id"], {}
        ),
        f"{MANY_FILES}, not covered": Case(
            f"{small} WHERE c >= 20 AND id % 7 <> 3 LIMIT 1000",
            497,
            lambda row: 20 <= row["c"] == row["id"] and row["id"] % 7 != 3,
            {},
            reason="not-enough-rows",
        ),
    }
    by_rows = {
        f"{name}, row by row": Case(**{**vars(case), "settings": case.settings | BY_ROWS})
        for name, case in read.items()
        if MANY_FILES not in name and name != "no predicate"
    }
    return read | by_rows


def lost(data: Path) -> dict[str, Case]:
    """Queries that are long enough to lose an executor in them."""
    # Few rows at a time, so that the scan has hardly begun when its first row is held up.
    slowly = {"spark.sql.parquet.columnarReaderBatchSize": "16", **PAGES}
    rows = 2 * ROWS_OF_A_FILE - 900
    sql = f"SELECT held_up(id, text) AS id FROM parquet.`{data}/paged` WHERE id >= 850 LIMIT {rows}"
    by_metadata = {
        f"lost: {name}": Case(
            sql,
            rows,
            lambda row: 850 <= row["id"] < 2 * ROWS_OF_A_FILE,
            slowly | settings,
            cuts=True,
        )
        for name, settings in {"one task": {}, "several tasks": SEVERAL_TASKS}.items()
    }
    searched = f"SELECT held_up(id, text) AS id FROM parquet.`{data}/paged` WHERE id % 3 = 1"
    by_rows = Case(
        f"{searched} LIMIT 1000",
        1000,
        lambda row: row["id"] % 3 == 1,
        slowly | {"spark.limitPruning.rows.minBytes": "0"},
        cuts=True,
    )
    return by_metadata | {f"lost: {FOUND_BY_ROWS}": by_rows}
