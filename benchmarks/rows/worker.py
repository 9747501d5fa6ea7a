"""One engine in its own process: `python -m benchmarks.rows.worker NAME DATA SCRATCH`."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from benchmarks import worker
from benchmarks.engines import DATAFUSION, DUCKDB, OURS
from benchmarks.rows import formats
from benchmarks.rows.queries import TABLES, RowsQuery


def start(name: str, data: Path) -> Any:
    """Start an engine with two threads, over the tables."""
    paths = {table.name: data / table.name for table in TABLES if (data / table.name).exists()}
    if name == DUCKDB:
        import duckdb

        from benchmarks.engines.duckdb import DuckDB

        connection = duckdb.connect(config={"threads": 2})
        for table, path in paths.items():
            files = f"read_parquet('{path}/*.parquet')"
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM {files}")
        return DuckDB(connection)
    if name == DATAFUSION:
        import datafusion

        from benchmarks.engines.datafusion import DataFusion

        settings = datafusion.SessionConfig(
            {"datafusion.execution.parquet.pushdown_filters": "true"}
        ).with_target_partitions(2)
        context = datafusion.SessionContext(settings)
        for table, path in paths.items():
            context.register_parquet(table, str(path))
        return DataFusion(context)
    from benchmarks.engines.spark import Spark, open_session

    of = formats.of_engine(name)
    if of:
        session = of.session(name, data)
        for copied in formats.COPIED:
            # A view of SQL is resolved by each query, as the name of a table is.
            view = f"CREATE TEMPORARY VIEW {copied.name} AS SELECT * FROM "
            session.sql(view + of.source(data, copied)).collect()
        return Spark(session)
    session = open_session(name, data, name == OURS, {"spark.driver.memory": "3g"})
    for table, path in paths.items():
        session.read.parquet(str(path)).createOrReplaceTempView(table)
    return Spark(session)


def answer(engine: Any, query: RowsQuery, scratch: Path) -> dict[str, Any]:
    """Return the costs of a query, or its error."""
    try:
        return worker.run(engine, query, scratch)
    except Exception:  # noqa: BLE001 (the other process names the query, and stops)
        return {"error": traceback.format_exc()}


def main(name: str, data: Path, scratch: Path) -> None:
    """Serve until the input ends; output of libraries goes to the error stream."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = start(name, data)

    def send(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    send({"version": engine.version})
    try:
        for line in sys.stdin:
            send(answer(engine, RowsQuery(**json.loads(line)), scratch))
    finally:
        engine.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
