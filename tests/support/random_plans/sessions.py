"""Two sessions for a random table, one with the extension and one without, and what both know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from support import tables
from support.random_plans import conditions
from support.random_plans.places import Sessions, Table
from support.random_plans.settings import Settings
from support.random_plans.specs import TYPES, Spec, value
from support.runs import ENABLED
from support.sparks import LINE

_ARROW = {
    "INT": pa.int32(),
    "STRING": pa.string(),
    "DATE": pa.date32(),
    "DECIMAL(5, 2)": pa.decimal128(5, 2),
    "BIGINT": pa.int64(),
}
_SPARK = {arrow: kind for kind, arrow in _ARROW.items()}


def pair(spark: SparkSession, settings: Settings) -> Sessions:
    """Return a session with the extension and a plain one, with equal settings and functions."""
    sessions = (spark.newSession(), spark.newSession())
    for session in sessions:
        for key, setting in settings.items():
            session.conf.set(key, setting)
        # Python's workers cannot import this module: functions without names are sent as they are.
        session.udf.register("py_even", lambda number: number % 2 == 0, "boolean")
        session.udf.register("py_given", lambda value: value is not None, "boolean")
        if LINE >= (4, 0):
            session.sql("CREATE TEMPORARY FUNCTION sql_next(i BIGINT) RETURNS BIGINT RETURN i + 1")
    sessions[1].conf.set(ENABLED, "false")
    return sessions


def copied(spark: SparkSession, settings: Settings) -> SparkSession:
    """Return a session with the views, functions and settings of another, and settings of its own.

    Whether the extension is enabled stays.
    """
    sources: Any = spark
    session = SparkSession(spark.sparkContext, sources._jsparkSession.cloneSession())
    for key, setting in settings.items():
        session.conf.set(key, setting)
    return session


def add_helpers(sessions: Sessions, table: Table, folder: Path) -> None:
    """Make tables to join with the random one, a view of it, and a function.

    ``big`` has every id, ``dim`` every partition value, ``few`` one or two of these values, and
    ``ids`` two ids.
    """
    spec = table.spec
    kind = TYPES.get(conditions.point(spec)[0], "INT")
    for name, columns in _helpers(spec, kind).items():
        schema = pa.schema([(column, kind) for column, (kind, _) in columns.items()])
        rows = {column: values for column, (_, values) in columns.items()}
        file = tables.write(folder / f"{name}.parquet", [rows], schema)
        ddl = ", ".join(f"{column} {_SPARK[arrow]}" for column, (arrow, _) in columns.items())
        for session in sessions:  # with a schema, which takes a job to find
            session.read.schema(ddl).parquet(str(file)).createOrReplaceTempView(name)
    for session in sessions:
        session.sql(f"CREATE TEMPORARY VIEW {table.name}_v AS SELECT * FROM {table.source}")
        if LINE >= (4, 0):
            session.sql(f"CREATE TEMPORARY FUNCTION sql_same(x {kind}) RETURNS {kind} RETURN x")


def _helpers(spec: Spec, kind: str) -> dict[str, dict[str, tuple[pa.DataType, list[Any]]]]:
    points = [value(literal) for literal in conditions.point(spec)[1]]
    few = points[: 1 + spec.seed % 2]
    ids = list(range(spec.rows))
    return {
        "few": {"k": (_ARROW[kind], few)},
        "dim": {
            "dk": (_ARROW[kind], points),
            "dname": (pa.string(), list("abcdef"[: len(points)])),
        },
        "ids": {"i": (pa.int64(), [spec.rows // 2, spec.rows // 3])},
        "big": {"bid": (pa.int64(), ids), "bw": (pa.string(), [f"w{n % 9}" for n in ids])},
    }
