"""Iceberg tables with known rows."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.iceberg.session import java_table, reads_defaults
from support.runs import INTERPRETED, REFERENCE, conf, hold_counts, in_threads
from support.scan_tables import physical

A = TypeVar("A")
B = TypeVar("B")

ROWS, FILES = 2000, 8
_numbers = itertools.count()

COLUMNS = (
    "id",
    "CAST(id % 7 AS INT) AS m",
    "CONCAT('s', LPAD(CAST(id AS STRING), 4, '0')) AS s",
    "TIMESTAMP'2024-01-01' + MAKE_INTERVAL(0, 0, 0, 0, 0, id, 0) AS ts",
    "TIMESTAMP_NTZ'2024-01-01' + MAKE_INTERVAL(0, 0, 0, 0, 0, id, 0) AS tn",
    "DATE'2024-01-01' + CAST(id AS INT) AS d",
    "CAST(id AS DOUBLE) / 4 AS f",
    "CAST(id AS FLOAT) AS r",
    "CAST(id AS DECIMAL(12, 2)) AS c",
    "CAST(id AS INT) AS i",
    "id >= 1000 AS b",
    "CAST(CONCAT('s', LPAD(CAST(id AS STRING), 4, '0')) AS BINARY) AS x",
    "NAMED_STRUCT('x', id, 'y', CAST(id AS STRING)) AS p",
    "IF(id < 500, NULL, id) AS n",
)


SMALL_ROW_GROUPS = {
    "write_parquet_row__group__size__bytes": "1",
    "write_parquet_row__group__check__min__record__count": "100",
    "write_parquet_row__group__check__max__record__count": "100",
}
"""The properties of a table whose row groups have 100 rows."""


def new_name() -> str:
    """A name that no other table has."""
    return f"ice.db.t{next(_numbers)}"


def rows(spark: SparkSession, first: int = 0, last: int = ROWS) -> DataFrame:
    """Rows of all types, by ``id``."""
    return spark.range(first, last).selectExpr(*COLUMNS)


def in_files(rows: DataFrame, files: int = FILES) -> DataFrame:
    """Divide rows into files by ``id``, each sorted."""
    return rows.repartitionByRange(files, "id").sortWithinPartitions("id")


def write(spark: SparkSession, **properties: str) -> str:
    """Write `rows` in files that are sorted by ``id``. Return how SQL names the table."""
    return write_frame(spark.range(0, ROWS, 1, FILES).selectExpr(*COLUMNS), **properties)


def write_frame(frame: DataFrame, name: str | None = None, /, **properties: str) -> str:
    """Write rows as a new table, in the files that the DataFrame has partitions for.

    Underscores in the names of properties are dots and hyphens: ``write_delete_mode`` is
    ``write.delete.mode``, ``format__version`` is ``format-version``.

    Args:
        frame: The rows.
        name: How SQL names the table; a name of its own if it is not given.
        **properties: Of the table.
    """
    name = name or new_name()
    writer = frame.writeTo(name).using("iceberg")
    for key, value in properties.items():
        writer = writer.tableProperty(key.replace("__", "-").replace("_", "."), value)
    writer.create()
    return name


def hold(spark: SparkSession, query: str, limit: int) -> DataFrame:
    """Hold ``query LIMIT limit`` to plain Spark. Return it."""
    df = spark.sql(f"{query} LIMIT {limit}")
    with conf(spark, REFERENCE):
        allowed = Counter(map(repr, spark.sql(query).collect()))  # NaN is not equal to itself
    hold_counts(Counter(map(repr, df.collect())), allowed, limit, query)
    return df


def hold_order(spark: SparkSession, query: str) -> DataFrame:
    """Hold a query, whose order has no ties, to plain Spark. Return it."""
    df = spark.sql(query)
    with conf(spark, REFERENCE):
        plain = list(map(repr, spark.sql(query).collect()))  # NaN is not equal to itself
    assert list(map(repr, df.collect())) == plain, query
    return df


def is_pruned(df: DataFrame) -> bool:
    """Tell whether a scan of chosen files is in the plan."""
    return "LimitPruned(files=" in physical(df)


def outcome_of(df: DataFrame) -> list[str]:
    """Return whether a query that has run is pruned, and whether its rows were found by reading."""
    names = ["pruned"] if is_pruned(df) else []
    return [*names, "by rows"] if "RowsVerified" in physical(df) else names


def by_metadata_and_by_rows(
    spark: SparkSession, run: Callable[[A], B], queries: Sequence[A]
) -> list[B]:
    """Run queries, every third of them by rows where that is possible; return what each gives.

    Code is compiled only for those by rows: what metadata choose does not depend on it.
    """
    chosen = [position % 3 == 2 for position in range(len(queries))]
    with conf(spark, INTERPRETED):
        others = [q for q, rows in zip(queries, chosen, strict=True) if not rows]
        by_metadata = in_threads(run, others)
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        by_rows = in_threads(run, [q for q, rows in zip(queries, chosen, strict=True) if rows])
    found = {False: iter(by_metadata), True: iter(by_rows)}
    return [next(found[rows]) for rows in chosen]


def reason_of(df: DataFrame) -> str | None:
    """Return why the query's one LIMIT is not covered."""
    reason = limit_pruning.report(df).only.reason
    return reason.code if reason else None


def hold_pruned(spark: SparkSession, query: str, limit: int) -> LimitReport:
    """Hold ``query LIMIT limit`` to plain Spark, and require that files are skipped."""
    df = hold(spark, query, limit)
    assert is_pruned(df), limit_pruning.report(df)
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.rows.to_read is not None
    assert report.rows.to_read >= limit
    assert report.files.scanned is not None
    assert report.files.total is not None
    assert report.files.scanned < report.files.total
    return report


def hold_unpruned(spark: SparkSession, query: str, limit: int, reason: str) -> None:
    """Hold ``query LIMIT limit`` to plain Spark, and require the reason why nothing is skipped."""
    df = hold(spark, query, limit)
    assert not is_pruned(df)
    assert reason_of(df) == reason, limit_pruning.report(df)


def add_with_default(spark: SparkSession, table: str, name: str, default: str) -> None:
    """Add a column of type ``DECIMAL(12, 3)`` that has a default in the rows that are there."""
    jvm: Any = spark._jvm
    iceberg = jvm.org.apache.iceberg
    value = iceberg.expressions.Expressions.lit(jvm.java.math.BigDecimal(default))
    update = java_table(spark, table).updateSchema()
    update.addColumn(name, iceberg.types.Types.DecimalType.of(12, 3), value).commit()
    spark.sql(f"REFRESH TABLE {table}")


def delete_by_equality(spark: SparkSession, table: str, column: str, value: int) -> None:
    """Delete the rows of an unpartitioned table in which an int column has a value.

    Spark itself writes no equality deletes.
    """
    jvm: Any = spark._jvm
    iceberg = jvm.org.apache.iceberg
    loaded = java_table(spark, table)
    names = spark.sparkContext._gateway.new_array(jvm.String, 1)  # type: ignore[union-attr]
    names[0] = column
    schema = loaded.schema().select(names)
    ids = spark.sparkContext._gateway.new_array(jvm.int, 1)  # type: ignore[union-attr]
    ids[0] = schema.findField(column).fieldId()
    output = iceberg.io.OutputFileFactory.builderFor(loaded, 1, next(_numbers)).build()
    parquet, file = iceberg.FileFormat.PARQUET, output.newOutputFile()
    if reads_defaults():  # Iceberg 1.12 has another factory
        builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(loaded)
        builder = builder.deleteFileFormat(parquet).equalityFieldIds(ids)
        factory = builder.equalityDeleteRowSchema(schema).build()
        writer = factory.newEqualityDeleteWriter(file, loaded.spec(), None)
    else:
        factory = iceberg.data.GenericAppenderFactory(
            loaded, loaded.schema(), loaded.spec(), None, ids, schema, None
        )
        writer = factory.newEqDeleteWriter(file, parquet, None)
    record = iceberg.data.GenericRecord.create(schema)
    record.setField(column, value)
    writer.write(record)
    writer.close()
    loaded.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    spark.sql(f"REFRESH TABLE {table}")
