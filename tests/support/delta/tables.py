"""Delta tables with known rows."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

ROWS, FILES = 2000, 8


def write(spark: SparkSession, path: Path, **properties: str) -> str:
    """Write ``id``, ``m = id % 7``, ``s``, ``ts`` and ``p``, in files that are sorted by ``id``.

    Return how SQL names the table.
    """
    rows = spark.range(ROWS).selectExpr(
        "id",
        "CAST(id % 7 AS INT) AS m",
        "CONCAT('s', id) AS s",
        "TIMESTAMP'2024-01-01' + MAKE_INTERVAL(0, 0, 0, 0, 0, 0, id) AS ts",
        "STRUCT(id AS x, CAST(id AS DOUBLE) AS y) AS p",
    )
    writer = in_files(rows).write.format("delta")
    for key, value in properties.items():
        writer = writer.option(f"delta.{key}", value)
    writer.save(str(path))
    return f"delta.`{path}`"


def in_files(rows: DataFrame) -> DataFrame:
    """Divide rows into files by ``id``, each sorted."""
    return rows.repartitionByRange(FILES, "id").sortWithinPartitions("id")
