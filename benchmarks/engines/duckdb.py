"""DuckDB, with as many threads as Spark has cores."""

from __future__ import annotations

import json
import os
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from benchmarks.engines import Decoded
from benchmarks.queries import COUNT, TO_PANDAS, WRITE, Asked, Query
from benchmarks.tables import TABLES


def start(name: str, data: Path) -> DuckDB:
    """Create a view of each table; files are listed when a query runs."""
    del name
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET TimeZone = 'UTC'")
    for table in TABLES:
        if (data / table.name).exists():
            pattern = data / table.name / ("*/*.parquet" if table.partitioned else "*.parquet")
            connection.execute(
                f"CREATE VIEW {table.name} AS SELECT * FROM "
                f"read_parquet('{pattern}', hive_partitioning = {table.partitioned})"
            )
    return DuckDB(connection)


class DuckDB:
    """A connection over the tables."""

    version = duckdb.__version__

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Take a connection with a view of each table."""
        self._connection = connection

    def pid(self) -> int:
        """Return this process, in which the engine runs."""
        return os.getpid()

    def run(self, query: Asked, output: Path) -> int:
        """Run the query; the rows become Python objects, pandas or Parquet."""
        if query.action == WRITE:
            file = output.with_suffix(".parquet")
            self._connection.execute(f"COPY ({query.sql}) TO '{file}' (FORMAT parquet)")
            return int(pq.read_metadata(file).num_rows)
        result = self._connection.execute(query.sql)
        if query.action == TO_PANDAS:
            return len(result.df())
        rows = result.fetchall()
        return int(rows[0][0]) if query.action == COUNT else len(rows)

    def count(self, source: str) -> int:
        """Return the number of matching rows of a table, without a LIMIT."""
        row = self._connection.execute(f"SELECT count(*) FROM {source}").fetchone()
        return 0 if row is None else int(row[0])

    def values(self, sql: str) -> list[list[object]]:
        """Return the rows of any SQL."""
        return [list(row) for row in self._connection.execute(sql).fetchall()]

    def started(self) -> tuple[int, int] | None:
        """Return None: there are no jobs."""
        return None

    def decoded(self, query: Query) -> Decoded:
        """Run the query again, and return the totals of its scans."""
        row = self._connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.sql}").fetchone()
        totals = {} if row is None else json.loads(row[1])["query"]
        return Decoded(totals.get("total_row_groups_scanned"), totals.get("total_rows_scanned"))

    def stop(self) -> None:
        """Close the connection."""
        self._connection.close()
