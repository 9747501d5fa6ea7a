"""Random tables and predicates, of which tasks at the root read the predicate's columns first."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from support.runs import VECTORIZED, VECTORIZED_NESTED, conf
from support.scan_tables import physical

ROWS = 3000
MANY_ROWS = 40_000  # so many that the predicate is compiled while a file is read
COLUMNS = [
    "id",
    "id * 7919 % 1009 AS v",
    "IF(id % 11 = 0, NULL, cast(id % 97 AS int)) AS i",
    "named_struct('a', id % 50, 'b', concat('x', id)) AS s",
    "date_add(DATE'1900-01-01', cast(id * 17 % 90000 AS int)) AS dt",
    "timestamp_micros(id * 86399000001 - 3000000000000000) AS ts",
    "cast(id % 1000 / 7 AS decimal(20, 6)) AS de",
    "IF(id % 13 = 0, double('NaN'), id / 3 - 500) AS fl",
    "cast(id AS string) AS t",
    "array(id, id + 1) AS ar",
    "id % 3 = 1 AS b",
    *(f"concat('{c} of ', id) AS c{c}" for c in range(24)),
]
# Columns that not every file has: each other file lacks some of them.
LACKING = [name for name in COLUMNS if not name.endswith((" v", " i"))]
PREDICATES = [
    "v % {} = 3",
    "v IS NULL AND id % {} = 1",
    "p * 10 + v % 10 = 2{}",
    "p = 2 AND v % {} = 1",
    "s.a = {} % 50 AND v % 2 = 0",
    "s.b LIKE '%{}%'",
    "i % {} = 5 OR i IS NULL",
    "coalesce(i, 5) % {} = 5",
    "month(dt) = {} % 12 + 1",
    "hour(ts) = {} % 24",
    "de * 7 % {} = 1",
    "fl <> fl OR fl % {} < 1",
    "isnan(fl) AND id % {} > 2",
    "t LIKE '%{}'",
    "ar[0] % {} = 2",
    "b AND id % {} = 0",
    "NOT b AND length(t) = 4",
    "v % 3 = 1 AND id >= {} AND id < 2500",
    "id BETWEEN 700 AND 700 + {} * 9 AND v % 4 <> 1",
    "V % {} = 3 AND C7 LIKE '%1'",
    "1000 / (v + 1) > {}",
]
SELECTED = [
    "*",
    "*",
    "c1, c2, c3, c4, c5, c6, c7, c8, c9",
    "s.b, c4, c5, c6, c7, c8, c9, v, p",
    "_metadata.row_index, _metadata.file_name, id, c1, c2, c3, c4, c5, c6, c7, c8",
    "input_file_name(), ar, c1, c2, c3, c4, c5, c6, c7, c8",
    "c0, fl, de, ts, dt, b, i, c1, c2, c3, c4, c5, c6, c7, c8",
]
SETTINGS = {
    "spark.limitPruning.rows.inFirstTask": "true",
    "spark.limitPruning.rows.minBytes": "1",
    "spark.limitPruning.pages.minBytes": "0",
    "spark.limitPruning.planning.maxTime": "60s",
    "spark.sql.parquet.mergeSchema": "true",
}


def written(spark: SparkSession, draw: random.Random, path: Path, each: int) -> str:
    """Write three partitions, of which one has other columns, and return the table's name."""
    for part in range(3):
        lacks = part == 1 and draw.random() < 0.5
        rows = spark.range(part * each, (part + 1) * each, 1, draw.choice([1, 2]))
        rows.selectExpr(*(LACKING if lacks else COLUMNS)).write.options(
            **{
                "parquet.page.row.count.limit": str(draw.choice([50, 100, 300]) * each // ROWS),
                "parquet.block.row.count.limit": draw.choice(["1000", "20000", "20000", "20000"]),
                "parquet.enable.dictionary": draw.choice(["true", "false"]),
                "parquet.writer.version": draw.choice(["PARQUET_1_0", "PARQUET_2_0"]),
                # Not "none": plain Spark 4.0 to 4.2 misreads uncompressed DELTA_BYTE_ARRAY pages.
                "compression": draw.choice(["snappy", "gzip"]),
            }
        ).parquet(str(path / f"p={part}"))
    return f"parquet.`{path}`"


@pytest.fixture(autouse=True)
def settings(spark: SparkSession) -> Iterator[None]:
    """Read columns first wherever it saves a byte."""
    with conf(spark, SETTINGS):
        yield


def counted(rows: list[Row]) -> Counter[str]:
    return Counter(str(row) for row in rows)


def collected(df: DataFrame) -> list[Row]:
    """Return the rows; they must be the same number in each run of the same plan."""
    rows = df.collect()
    assert len(df.collect()) == len(rows)
    return rows


@pytest.mark.parametrize("seed", range(7))
def test_random_predicates(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    has_many = seed % 7 == 6
    table = written(spark, draw, tmp_path, MANY_ROWS if has_many else ROWS)
    divisors = [97, 409, 1009, 5003] if has_many else [2, 3, 7, 23, 97, 409]
    first = 0
    for _ in range(6 if has_many else 14):
        predicate = draw.choice(PREDICATES).format(draw.choice(divisors))
        query = f"SELECT {draw.choice(SELECTED)} FROM {table} WHERE {predicate}"
        limit, offset = draw.choice([1, 5, 20, 60]), draw.choice([0, 0, 0, 7])
        drawn = {
            VECTORIZED: draw.choice(["true", "true", "true", "false"]),
            "spark.sql.codegen.wholeStage": draw.choice(["true", "false"]),
            "spark.sql.codegen.factoryMode": draw.choice(["FALLBACK", "NO_CODEGEN"]),
            "spark.sql.ansi.enabled": draw.choice(["true", "false"]),
            "spark.sql.adaptive.enabled": draw.choice(["true", "false"]),
            "spark.sql.parquet.filterPushdown": draw.choice(["true", "true", "false"]),
            "spark.sql.parquet.columnarReaderBatchSize": draw.choice(["4096", "7", "100"]),
            VECTORIZED_NESTED: draw.choice(["true", "true", "true", "false"]),
            "spark.sql.files.openCostInBytes": draw.choice(["0", "1g"]),
            "spark.sql.files.maxPartitionBytes": draw.choice(["128m", "40k"]),
            "spark.sql.limit.initialNumPartitions": draw.choice(["1", "100"]),
        }
        with conf(spark, drawn):
            with conf(spark, {"spark.limitPruning.enabled": "false"}):
                matching = counted(spark.sql(query).collect())
            df = spark.sql(f"{query} LIMIT {limit} OFFSET {offset}")
            rows = collected(df)
            expected = max(0, min(limit, matching.total() - offset))
            assert len(rows) == expected, (query, limit, offset, drawn)
            assert not counted(rows) - matching, (query, limit, offset, drawn)
            first += "the predicate first" in physical(df)
    assert first > 0
