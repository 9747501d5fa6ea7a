"""Delta tables with known rows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Hashable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

ROWS, FILES = 2000, 8
_written: dict[Hashable, Path] = {}


def once(path: Path, key: Hashable, write_to: Callable[[Path], None]) -> str:
    """Write a table, or copy the one that was written with the same key. Return its name.

    The log of a table names files by paths that are relative to it.
    """
    if key not in _written:
        made = path.with_name(f"{path.name}-as-written")
        write_to(made)
        _written[key] = made
    shutil.copytree(_written[key], path)
    return f"delta.`{path}`"


def write(spark: SparkSession, path: Path, **properties: str) -> str:
    """Write ``id``, ``m = id % 7``, ``s``, ``ts`` and ``p``, in files that are sorted by ``id``.

    Return how SQL names the table.
    """
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id",
        "CAST(id % 7 AS INT) AS m",
        "CONCAT('s', id) AS s",
        "TIMESTAMP'2024-01-01' + MAKE_INTERVAL(0, 0, 0, 0, 0, 0, id) AS ts",
        "STRUCT(id AS x, CAST(id AS DOUBLE) AS y) AS p",
    )
    writer = rows.write.format("delta")
    for key, value in properties.items():
        writer = writer.option(f"delta.{key}", value)
    return once(path, frozenset(properties.items()), lambda made: writer.save(str(made)))


def in_files(rows: DataFrame) -> DataFrame:
    """Divide rows into files by ``id``, each sorted."""
    return rows.repartitionByRange(FILES, "id").sortWithinPartitions("id")


def write_log(path: Path, files: int, rows: int) -> str:
    """Write ``id`` in many small files with a log of one commit, without Spark, which takes long.

    Return how SQL names the table.
    """
    schema = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    actions: list[dict[str, object]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": "many",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": [schema]}),
                "partitionColumns": [],
                "configuration": {},
            }
        },
    ]
    path.mkdir()
    for number in range(files):
        first, last = number * rows, (number + 1) * rows - 1
        name = f"part-{number:06}.parquet"
        pq.write_table(pa.table({"id": pa.array(range(first, last + 1), pa.int64())}), path / name)
        statistics = {
            "numRecords": rows,
            "minValues": {"id": first},
            "maxValues": {"id": last},
            "nullCount": {"id": 0},
        }
        added = {
            "path": name,
            "partitionValues": {},
            "size": (path / name).stat().st_size,
            "modificationTime": 0,
            "dataChange": True,
            "stats": json.dumps(statistics),
        }
        actions.append({"add": added})
    log = path / "_delta_log" / f"{0:020}.json"
    log.parent.mkdir()
    log.write_text("\n".join(map(json.dumps, actions)))
    return f"delta.`{path}`"
