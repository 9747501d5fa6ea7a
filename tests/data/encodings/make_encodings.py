"""Makes the files beside it with arrow-rs and DuckDB; see README.md."""

# The writers are not installed where mypy runs.
# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import duckdb
import pyarrow as pa
from arro3.io import write_parquet

from support.encoded_files import (
    DECLARED,
    DECLARED_TYPES,
    KINDS,
    LARGE_PAGES,
    TYPES,
    WITHOUT_BYTE_STREAMS,
    Cell,
    cells,
    table,
)

ROWS_OF_ROW_GROUP = 295  # half of the rows


def by_arrow_rs(of: Sequence[Cell], number: int, name: str) -> None:
    """Write columns in their encodings, in pages of a version."""
    by_dictionary = {cell.path_in_rust for cell in of if cell.has_dictionary}
    others = {c.path_in_rust: c.encoding for c in of if c.path_in_rust not in by_dictionary}
    write_parquet(
        table(of),
        Path(__file__).with_name(f"arro3-{version('arro3-io')}-{name}.parquet"),
        writer_version=f"parquet_{number}_0",
        dictionary_enabled=False,
        column_dictionary_enabled=dict.fromkeys(by_dictionary, True),
        column_encoding={"key": "PLAIN", "odd": "PLAIN", **others},
        compression="zstd(9)",
        data_page_size_limit=LARGE_PAGES,
        write_batch_size=1,
        skip_arrow_metadata=True,
    )


def by_duckdb(of: Sequence[Cell], number: int, name: str) -> None:
    """Write columns in encodings that DuckDB chooses by their values, in two row groups."""
    columns = table(of)
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    batches = columns.to_batches(max_chunksize=ROWS_OF_ROW_GROUP)
    connection.register("t", pa.RecordBatchReader.from_batches(columns.schema, batches))
    path = Path(__file__).with_name(f"duckdb-{version('duckdb')}-{name}.parquet")
    connection.execute(
        f"COPY (FROM t) TO '{path}' (FORMAT parquet, PARQUET_VERSION 'V{number}', CODEC zstd,"
        f" COMPRESSION_LEVEL 19, ROW_GROUP_SIZE {ROWS_OF_ROW_GROUP})"
    )


def main() -> None:
    """Write one file for each version of pages, and one with types that need a schema."""
    # DuckDB has no FLOAT16, and makes microseconds of milliseconds.
    declared = [name for name in DECLARED_TYPES if name not in ("half", "timemillis")]
    for number, name, by_encoding, types in (
        (1, "v1", WITHOUT_BYTE_STREAMS, TYPES),
        (2, "v2", WITHOUT_BYTE_STREAMS, TYPES),
        (2, "declared", DECLARED, declared),
    ):
        first = number * len(KINDS) // 3
        by_arrow_rs(cells(by_encoding, of_each=1, first=first), number, name)
        by_values = {"PLAIN": list(types), "RUNS": list(types)}
        by_duckdb(cells(by_values, of_each=1, first=first), number, name)


if __name__ == "__main__":
    main()
