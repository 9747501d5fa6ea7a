"""The newest rows of each group: keys are read first, and then only the rows of the result."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.costs import counts, searches
from support.runs import BY_ROWS, VECTORIZED, conf
from support.scan_tables import physical, plain

ADAPTIVE = "spark.sql.adaptive.enabled"
MIN_BYTES = "spark.limitPruning.rows.minBytes"
FILES, ROWS = 5, 1_000
COLUMNS = (
    "id",
    "CAST(hash(id) % 40 AS INT) AS device",
    "IF(id % 9 = 0, NULL, concat('user ', hash(id, 1) % 60)) AS user",
    "CAST(hash(id, 2) % 30 AS DECIMAL(20, 3)) AS money",
    "DATE'2024-01-01' + CAST(hash(id, 3) % 200 AS INT) AS day",
    "IF(id % 6 = 0, NULL, hash(id, 4) % 500) AS value",
    "CAST(hash(id, 5) % 50 AS DOUBLE) / 10 AS price",
    "IF(id % 2 = 0, 0.0D, -0.0D) AS zeros",
    "struct(id % 5 AS a, concat('n', id) AS b) AS nested",
)


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of several row groups and pages, in no order."""
    path = tmp_path_factory.mktemp("first of groups") / "t"
    rows = spark.range(0, FILES * ROWS, 1, FILES).selectExpr(
        *COLUMNS, *(f"concat('{c} of ', hash(id, 7, {c})) AS c{c}" for c in range(8))
    )
    rows.write.option("parquet.block.size", "80000").option(
        "parquet.page.row.count.limit", "100"
    ).parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Search by rows wherever it is possible."""
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    with conf(spark, BY_ROWS):
        yield


def first(
    groups: str, order: str, most: int, where: str = "true", function: str = "row_number()"
) -> str:
    """Return a query for the first rows of each group."""
    numbered = f"SELECT *, {function} OVER (PARTITION BY {groups} ORDER BY {order}) AS n FROM t"
    return f"SELECT * FROM ({numbered} WHERE {where}) WHERE n <= {most}"


def is_by_rows(df: DataFrame) -> bool:
    """Return whether the query, which has run, read keys first."""
    return "RowsVerified" in physical(df)


def hold(spark: SparkSession, query: str) -> DataFrame:
    """Hold a query with one right result to plain Spark."""
    df = spark.sql(query)
    assert Counter(map(repr, map(tuple, df.collect()))) == Counter(map(repr, plain(spark, query)))
    return df


@pytest.mark.core
@pytest.mark.parametrize(
    ("adaptive", "vectorized"),
    [("true", "true"), ("false", "true"), ("true", "false")],
    ids=["adaptive", "static", "row-based"],
)
def test_newest_of_each_group(spark: SparkSession, adaptive: str, vectorized: str) -> None:
    with conf(spark, {ADAPTIVE: adaptive, VECTORIZED: vectorized}):
        for query in (
            first("device", "day DESC, id", 1),
            first("device, user", "value DESC NULLS LAST, id DESC", 2, "money > 0"),
            first("user", "id", 3, "value IS NULL AND day > DATE'2024-02-01'"),
            first("device", "id", 1, "value = 1000"),  # no row
        ):
            df = hold(spark, query)
            assert is_by_rows(df), physical(df)


def test_few_rows_are_read(spark: SparkSession) -> None:
    df = hold(spark, first("device", "day DESC, id", 1))
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.order_by
    assert report.order_by.startswith("t.day DESC")
    groups = spark.sql("SELECT count(DISTINCT device) AS n FROM t").collect()[0].n
    assert f"RowsVerified: {groups}," in physical(df)
    assert report.rows.read == groups


def test_ties(spark: SparkSession) -> None:
    """Of rows with the same keys, any ones are right, but as many as in plain Spark."""
    query = first("device", "day", 2)
    df = spark.sql(query).select("device", "day", "n")
    found = Counter(map(tuple, df.collect()))
    assert found == Counter(plain(spark, f"SELECT device, day, n FROM ({query})"))
    assert is_by_rows(df)


def test_too_many_groups_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 24_000, 1, 4).selectExpr("id", "hash(id) AS h", "repeat('x', 50) AS x")
    rows.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert not is_by_rows(hold(spark, first("id", "h", 1)))
    assert not is_by_rows(hold(spark, first("id % 6000", "h, id", 2)))
    assert is_by_rows(hold(spark, first("id % 3000", "h, id", 2)))


def test_other_parts_have_other_groups(spark: SparkSession, tmp_path: Path) -> None:
    """In a table that is clustered by the groups, few parts of it show that they are too many."""
    rows = spark.range(0, 72_000, 1, 12).selectExpr(
        "id", "id DIV 2 AS session", "id % 3000 AS user", "repeat('x', 50) AS x"
    )
    rows.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    with conf(spark, {"spark.sql.files.openCostInBytes": "1g"}):
        assert _searching(spark, first("session", "id", 1)) == 1
        assert _searching(spark, first("user", "id", 1)) == 2
        assert not is_by_rows(hold(spark, first("session", "id", 1)))
        assert is_by_rows(hold(spark, first("user", "id", 1)))


def _searching(spark: SparkSession, query: str) -> int:
    """Run a query, and return how many jobs search for its rows."""
    before = searches(spark, "first rows of the groups")
    spark.sql(query).collect()
    return len(searches(spark, "first rows of the groups") - before)


def test_few_groups_pay_where_row_groups_are_read_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A chunk has one page. The dictionary of a key tells that few row groups have rows."""
    rng = random.Random(7)
    for i in range(4):
        rows = range(i * 8_000, i * 8_000 + 8_000)
        columns: dict[str, list[object]] = {
            "id": list(rows),
            "status": [rng.choice((200, 301, 404)) for _ in rows],
            "user": [rng.randrange(700) for _ in rows],
            "time": [rng.randrange(10**9) for _ in rows],
        }
        wide = {f"c{n}": [rng.randbytes(12).hex() for _ in rows] for n in range(8)}
        pq.write_table(
            pa.table(columns | wide),
            tmp_path / f"{i}.parquet",
            row_group_size=1_000,
            use_dictionary=["status", "user"],
        )
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    with conf(spark, {MIN_BYTES: "100k"}):
        assert is_by_rows(hold(spark, first("status", "time DESC, id", 1)))
        assert not is_by_rows(hold(spark, first("user", "time DESC, id", 1)))
        assert not is_by_rows(hold(spark, first("status", "time DESC, id", 40)))


def test_what_is_left_alone(spark: SparkSession) -> None:
    for query in (
        first("device", "day", 2, function="rank()"),
        first("device", "day", 2, function="dense_rank()"),
        first("zeros", "id", 2),
        first("nested", "id", 2),
        first("device", "id", 2) + " UNION ALL " + first("user", "id", 2),
        first("device", "id", 2, "rand() + id >= 0"),
        first("device", "id", 2, "device = (SELECT max(device) FROM t)"),
        first("device", "id", 2).replace("SELECT *, row", "SELECT /*+ NO_LIMIT_PRUNING */ *, row"),
        "SELECT *, row_number() OVER (PARTITION BY device ORDER BY id) AS n FROM t",
    ):
        df = hold(spark, query)
        assert not is_by_rows(df), query


@pytest.mark.parametrize(
    ("columns", "least"), [("*", "1g"), ("device, id", "1")], ids=["small", "narrow"]
)
def test_planning_reads_no_footer_in_vain(
    spark: SparkSession, tmp_path: Path, columns: str, least: str
) -> None:
    """Little can be saved in a small table, and nothing if the query reads the keys alone."""
    rows = spark.range(0, 4_000, 1, 2).selectExpr("id", "id % 7 AS device", "repeat('x', 50) AS x")
    rows.write.parquet(str(tmp_path / "t"))  # no footer of which is cached
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    query = first("device", "id", 1).replace("SELECT *, ", f"SELECT {columns}, ")
    with conf(spark, {MIN_BYTES: least}):
        before = counts(spark)
        df = spark.sql(query)
        df._jdf.queryExecution().executedPlan()
        assert (counts(spark) - before).stream_bytes == 0
        assert not is_by_rows(df)


def test_copies_take_the_same_of_equal_rows(spark: SparkSession) -> None:
    """Of a window that the query has more than once, no copy is searched for on its own."""
    newest = first("device", "day", 2)
    every = newest.replace("WHERE n <= 2", "")
    halves = "SELECT id FROM v WHERE n <= 2 UNION ALL SELECT id FROM v WHERE n > 2"
    sums = "SELECT (SELECT sum(id) FROM w), (SELECT count(id) FROM w), id FROM range(1)"
    devices = spark.sql("SELECT count(DISTINCT device) AS n FROM t").collect()[0].n
    for query, rows in (
        (f"WITH w AS ({newest}) SELECT id FROM w WHERE id IN (SELECT id FROM w)", 2 * devices),
        (f"WITH w AS ({newest}) SELECT a.id FROM w a JOIN w b ON a.id = b.id", 2 * devices),
        (
            f"WITH v AS ({every}) {halves}",
            FILES * ROWS,
        ),
        (
            f"WITH w AS ({newest}) {sums}",
            1,
        ),
    ):
        df = spark.sql(query)
        assert len({tuple(row) for row in df.collect()}) == rows, query
        assert not is_by_rows(df), query


def test_filters_above_and_below(spark: SparkSession) -> None:
    """A filter on the groups may be below the window; one on other columns must stay above."""
    newest = first("device", "day DESC, id", 2)
    for query in (
        f"SELECT * FROM ({newest}) WHERE device = 5",
        f"SELECT * FROM ({newest}) WHERE value > 0",
        f"SELECT a.id, b.id FROM ({newest}) a JOIN t b ON a.id = b.id + 1",
        f"SELECT count(*), sum(id) FROM ({newest})",
        f"SELECT id FROM t WHERE value > 3 AND id IN (SELECT id FROM ({newest}))",
    ):
        assert is_by_rows(hold(spark, query)), query


def test_line_112_random_groups_and_orders(spark: SparkSession) -> None:
    rng = random.Random(3)
    names = [column.rpartition(" AS ")[2] for column in COLUMNS]
    wheres = ["true", "value > 0", "user LIKE '%1'", "id % 3 = 0", "day < DATE'2024-03-01'"]
    orders = [name for name in names if name != "nested"]
    by_rows = 0
    for _ in range(40):
        groups = ", ".join(
            rng.sample([*orders[1:5], "id % 7", "nested.a", "zeros"], rng.randint(1, 2))
        )
        keys = [
            f"{key} {rng.choice(['ASC', 'DESC'])} NULLS {rng.choice(['FIRST', 'LAST'])}"
            for key in [*rng.sample(orders, rng.randint(0, 2)), "id"]
        ]
        query = first(groups, ", ".join(keys), rng.choice([1, 2, 7]), rng.choice(wheres))
        by_rows += is_by_rows(hold(spark, query))
    assert by_rows >= 20
