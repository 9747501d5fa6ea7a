"""Jobs that read sort keys first begin with the best row groups, and then skip others."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import IN_ONE_PARTITION, REFERENCE, VECTORIZED, as_dicts, conf
from support.scan_tables import physical

FILES, GROUPS, ROWS = 6, 40, 50


def values(seed: int) -> pa.Table:
    """Return columns of which none is sorted; most have another best value in each row group."""
    draw = np.random.default_rng(seed)
    count = GROUPS * ROWS
    ids = np.arange(count) + seed * count

    def some(values: Any, share: float = 0.2) -> Any:
        return pa.array(values, mask=draw.random(count) < share)

    wide = draw.integers(0, 2**40, count)
    floats = draw.normal(size=count)
    floats[draw.random(count) < 0.02] = np.nan
    floats[draw.random(count) < 0.1] = -0.0
    return pa.table(
        {
            "id": ids,
            "v": draw.integers(0, 1000, count),
            "k": wide,
            "n": some(wide),
            "i": some(draw.integers(-(2**31), 2**31, count).astype("int32"), 0.01),
            "few": some(draw.integers(0, 5, count)),
            "ties": draw.integers(0, 2000, count),
            "f": floats,
            "clean": draw.normal(size=count),
            "s": some([f"s {value:x}" for value in draw.integers(0, 2**60, count)]),
            "d": some((draw.integers(0, 10**5, count)).astype("datetime64[D]")),
            "t": some((draw.integers(0, 2**50, count)).astype("datetime64[us]")),
            "e": some([f"e{value}" for value in draw.integers(0, 9, count)]),
            "b": pa.array(draw.random(count) < 0.5),
            "m": pa.array(
                [int(value) * 10**9 for value in draw.integers(0, 2**40, count)],
                pa.decimal128(30, 2),
            ),
            **{f"c{c}": [f"{c} of {row}" for row in ids] for c in range(8)},
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of many row groups, of which one has no statistics."""
    path = tmp_path_factory.mktemp("waves")
    for seed in range(FILES):
        pq.write_table(
            values(seed),
            path / f"{seed}.parquet",
            row_group_size=ROWS,
            use_dictionary=["few", "e"],
            write_statistics=seed != FILES - 2,
            write_page_index=seed % 2 == 0,
            data_page_size=512,
        )
    return path


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[int, dict[str, Any]]:
    """All rows by their `id`."""
    return {row["id"]: row for row in pq.read_table(folder).to_pylist()}


def first_rows(
    spark: SparkSession, rows: dict[int, dict[str, Any]], query: str
) -> list[dict[str, Any]]:
    """Return what plain Spark finds; `query` has all columns, of which only the keys are read."""
    with conf(spark, REFERENCE | IN_ONE_PARTITION):
        found = spark.sql(query.replace("SELECT *", "SELECT id", 1)).collect()
    return [rows[row.id] for row in found]


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    changed = {
        "spark.limitPruning.rows.minBytes": "0",
        "spark.limitPruning.pages.minBytes": "0",
    }
    with conf(spark, changed):
        yield


def jobs(df: DataFrame) -> int:
    """Return how many jobs found the rows of a query that has run."""
    (found,) = set(re.findall(r"ReadFirst: \d+ bytes in (\d+) jobs?", physical(df)))
    return int(found)


def read_first(df: DataFrame) -> int:
    """Return the bytes that these jobs read."""
    count = limit_pruning.report(df).limits[0].bytes.read_first
    assert count is not None
    return count


KEYS = ["k", "n", "i", "few", "ties", "f", "clean", "s", "d", "t", "e", "b", "m"]
EXPRESSIONS = ["k + 1", "-n", "v * 1000 + few", "length(s)", "date_trunc('YEAR', t)", "abs(i)"]
PREDICATES = [
    "",
    "v % 5 < 2",
    "v % 1000 = 7",
    "s LIKE '%7'",
    "n IS NOT NULL AND v % 2 = 0",
    "few = 3 OR e = 'e1'",
    "v < 500 AND f <> 0",
    "k > 1000 AND v % 3 = 1",
    "v % 1000 = 1000",
]


def drawn_order(draw: random.Random) -> str:
    """Return an order of up to three keys; the last one makes it unique."""
    keys = draw.sample(KEYS + EXPRESSIONS, draw.choice([1, 1, 2]))
    ways = ["", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST"]
    return ", ".join([key + draw.choice(ways) for key in keys] + [f"id{draw.choice(ways)}"])


@pytest.mark.parametrize(
    ("adaptive", "vectorized"),
    [
        pytest.param("true", "true", id="adaptive-vectorized", marks=pytest.mark.core),
        pytest.param("true", "false", id="adaptive-row-based"),
        pytest.param("false", "true", id="static-vectorized"),
        pytest.param("false", "false", id="static-row-based"),
    ],
)
def test_line_110_random_orders(
    spark: SparkSession,
    folder: Path,
    rows: dict[int, dict[str, Any]],
    adaptive: str,
    vectorized: str,
) -> None:
    draw = random.Random(f"{adaptive} {vectorized}")
    settings = {"spark.sql.adaptive.enabled": adaptive, VECTORIZED: vectorized}
    seen: set[int] = set()
    with conf(spark, settings):
        for _ in range(25):
            where = draw.choice(PREDICATES)
            query = f"SELECT * FROM parquet.`{folder}`" + (f" WHERE {where}" if where else "")
            limit, offset = draw.choice([(1, 0), (3, 0), (7, 2), (20, 0), (60, 40), (900, 0)])
            query += f" ORDER BY {drawn_order(draw)} LIMIT {limit} OFFSET {offset}"
            expected = repr(first_rows(spark, rows, query))
            df = spark.sql(query)
            assert repr(as_dicts(df)) == expected, query
            if "RowsVerified" in physical(df):
                seen.add(jobs(df))
    assert seen >= {1, 2}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write larger row groups of fewer columns: footers are small beside them."""
    path = tmp_path_factory.mktemp("large")
    draw = np.random.default_rng(1)
    for number in range(3):
        count = 20 * 40_000
        whole = draw.integers(10**12, 2**50, count)
        columns = {
            "id": np.arange(count) + number * count,
            "v": draw.integers(0, 1000, count),
            "k": whole,
            "f": draw.normal(size=count),
            "s": pa.array(whole).cast(pa.string()),
            "t": whole.astype("datetime64[us]"),
        }
        pq.write_table(
            pa.table(columns),
            path / f"{number}.parquet",
            row_group_size=40_000,
            use_dictionary=False,
        )
    return path


@pytest.mark.parametrize("key", ["k DESC", "f", "s DESC", "t DESC NULLS LAST", "k + 1"])
def test_most_row_groups_are_skipped(spark: SparkSession, large: Path, key: str) -> None:
    def asked(limit: int) -> DataFrame:
        where = "v % 5 < 2"  # about which metadata say nothing
        sql = f"SELECT * FROM parquet.`{large}` WHERE {where} ORDER BY {key}, id LIMIT {limit}"
        df = spark.sql(sql)
        assert len(df.collect()) == limit
        return df

    # Vectored reads are not counted.
    with conf(spark, {"parquet.hadoop.vectored.io.enabled": "false"}):
        # So many rows are no threshold that skips others: one job reads the keys of all row groups.
        all_read, few = asked(1000), asked(3)
    assert jobs(all_read) == 1
    assert jobs(few) == 1, "the first eight row groups are enough"
    assert read_first(few) < read_first(all_read) / 4


def test_keys_that_do_not_differ_are_read_by_one_job(spark: SparkSession, folder: Path) -> None:
    for key in ("few", "b DESC", "abs(i)", "hash(k)"):
        df = spark.sql(
            f"SELECT * FROM parquet.`{folder}` WHERE v % 5 < 2 ORDER BY {key}, k, id LIMIT 3"
        )
        df.collect()
        assert jobs(df) == 1, key


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("v % 5 < 2", 2),
        ("v % 100 = 7", 3),
        ("v % 1000 = 1000", 4),
        ("v % 5 < 2 AND id >= 11990", 1),
    ],
)
def test_later_jobs_read_more(
    spark: SparkSession, folder: Path, rows: dict[int, dict[str, Any]], where: str, count: int
) -> None:
    """Eight row groups come first, then four times as many, and the fourth job reads the rest."""
    paths = [str(folder / f"{seed}.parquet") for seed in range(FILES) if seed != FILES - 2]
    spark.read.parquet(*paths).createOrReplaceTempView("t")
    query = f"SELECT * FROM t WHERE {where} ORDER BY k, id LIMIT 3"
    expected = repr(first_rows(spark, rows, query))
    df = spark.sql(query)
    assert repr(as_dicts(df)) == expected
    assert jobs(df) == count


def test_partitions_and_files_that_are_not_inspected(
    spark: SparkSession, folder: Path, rows: dict[int, dict[str, Any]], tmp_path: Path
) -> None:
    for seed in range(FILES):
        (tmp_path / "t" / f"p={seed % 3}").mkdir(parents=True, exist_ok=True)
        name = f"{seed}.parquet"
        (tmp_path / "t" / f"p={seed % 3}" / name).write_bytes((folder / name).read_bytes())
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    some = "v % 5 < 2"
    wheres = (f"p = 1 AND {some}", f"p + v % 2 = 2 AND {some}", f"{some} AND (p = 0 OR v < 300)")
    for where in wheres:
        for order in ("k, id", "p DESC, k, id", "k + p, id", "n DESC NULLS FIRST, id"):
            query = f"SELECT * FROM t WHERE {where} ORDER BY {order} LIMIT 7"
            expected = repr(
                [
                    row | {"p": row["id"] // (GROUPS * ROWS) % 3}
                    for row in first_rows(spark, rows, query)
                ]
            )
            for most in ("1000", "3"):
                with conf(spark, {"spark.limitPruning.planning.maxFiles": most}):
                    df = spark.sql(query)
                    assert repr(as_dicts(df)) == expected, (query, most)
                    assert "RowsVerified" in physical(df)
