"""Where metadata find no rows, the columns of predicate and sort keys are read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.runs import ENABLED, REFERENCE, VECTORIZED, conf, hold_counts
from support.scan_tables import hold, hold_frame, physical

ADAPTIVE = "spark.sql.adaptive.enabled"
MIN_BYTES = "spark.limitPruning.rows.minBytes"
ROWS, FILES = 8_000, 4


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of several row groups and pages; no column but ``id`` is sorted."""
    path = tmp_path_factory.mktemp("by rows") / "t"
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id",
        "hash(id) AS h",
        "id * 7919 % 101 AS v",
        "IF(id % 3 = 0, NULL, hash(id, 1) % 50) AS n",
        "IF(id % 11 = 0, double('NaN'), IF(id % 13 = 0, double('-0.0'), hash(id, 2) % 9D)) AS f",
        "concat('name ', id * 31 % 997) AS s",
        "named_struct('a', id * 17 % 89, 'b', concat('b', id)) AS st",
    )
    wide = rows.selectExpr("*", *(f"concat('{c} of ', id) AS c{c}" for c in range(12)))
    wide.write.option("parquet.block.size", "65536").option("parquet.page.size", "2048").option(
        "parquet.page.row.count.limit", "200"
    ).option("parquet.enable.dictionary", "false").parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    with conf(spark, {MIN_BYTES: "0", "spark.limitPruning.pages.minBytes": "0"}):
        yield


@pytest.fixture(params=["true", "false"], ids=["adaptive, vectorized", "static, row-based"])
def modes(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Adaptive execution and the vectorized reader on and off; `test_order_waves` mixes them."""
    with conf(spark, {ADAPTIVE: request.param, VECTORIZED: request.param}):
        yield


def core_of(every: Sequence[str], core: Sequence[str]) -> list[Any]:
    """Return parameters of which some are in the core."""
    marks = {name: pytest.mark.core if name in core else () for name in every}
    return [pytest.param(name, marks=marks[name]) for name in every]


@pytest.fixture
def t(spark: SparkSession, folder: Path) -> None:
    """Register the table."""
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


@cache
def plain_rows(spark: SparkSession, query: str) -> list[Row]:
    """Return the rows that a query over files that do not change has in plain Spark."""
    with conf(spark, REFERENCE):
        return spark.sql(query).collect()


def found(df: DataFrame) -> LimitReport:
    """Return the report on a query that has run, and whose rows were found by reading columns."""
    limit = limit_pruning.report(df).limits[0]
    assert "RowsVerified" in physical(df), physical(df)
    assert limit.reason is None
    assert limit.covered
    return limit


PREDICATES = {
    "rare": ("v = 100", 30),
    "frequent": ("v < 90", 30),
    "all that match": ("h % 1000 = 1", 100),
    "none": ("h % 1000 = 5000", 10),
    "string": ("s LIKE '%99%'", 20),
    "null": ("n IS NULL AND v = 7", 20),
    "three-valued": ("NOT (n > 10)", 50),
    "float": ("f <> 3", 50),
    "NaN": ("f = double('NaN') AND v > 50", 20),
    "nested": ("st.a = 5", 20),
    "several columns": ("v + n > 120", 20),
}


@pytest.mark.usefixtures("modes")
@pytest.mark.parametrize("name", core_of([*PREDICATES], ["rare", "nested"]))
def test_any_rows(spark: SparkSession, folder: Path, name: str) -> None:
    predicate, limit = PREDICATES[name]
    query = f"SELECT * FROM parquet.`{folder}` WHERE {predicate}"
    allowed = Counter(map(repr, plain_rows(spark, query)))
    df = spark.sql(f"{query} LIMIT {limit}")
    hold_counts(Counter(map(repr, df.collect())), allowed, limit, query)
    found(df)
    assert f"RowsVerified: {min(limit, allowed.total())}" in physical(df)


def pandas(df: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows by way of pandas."""
    frame: Any = df.toPandas()
    return [tuple(row) for row in frame.itertuples(index=False)]


ACTIONS: dict[str, Callable[[DataFrame], list[Any]]] = {
    "collect": lambda df: [row.id for row in df.collect()],
    "take": lambda df: [row.id for row in df.take(5)],
    "iterator": lambda df: [row.id for row in df.toLocalIterator()],
    "pandas": lambda df: [row[0] for row in pandas(df)],
}


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_actions(spark: SparkSession, action: Callable[[DataFrame], list[Any]]) -> None:
    df = spark.sql("SELECT id, c3 FROM t WHERE v = 42 LIMIT 5")
    first = action(df)
    assert len(set(first)) == 5
    assert all(one * 7919 % 101 == 42 for one in first)
    # The rows are found once, so the same rows come back.
    assert action(df) == first


@pytest.mark.usefixtures("t", "modes")
def test_below_the_root(spark: SparkSession, tmp_path: Path) -> None:
    limited = "SELECT id, c1 FROM t WHERE v = 42 LIMIT 9"
    other = limited.replace("42", "41")
    shapes = {
        "count": (f"SELECT count(*), min(id * 7919 % 101) FROM ({limited})", [(9, 42)]),
        "union": (f"SELECT count(*) FROM (({limited}) UNION ALL ({other}))", [(18,)]),
        "join": (
            f"SELECT count(*), max(t.v) FROM ({limited}) l JOIN t ON t.id = l.id",
            [(9, 42)],
        ),
        "subquery": (f"SELECT count(*) FROM t WHERE id IN (SELECT id FROM ({limited}))", [(9,)]),
        "scalar": ("SELECT (SELECT v FROM t WHERE v = 42 AND c2 LIKE '%of%' LIMIT 1)", [(42,)]),
    }
    for name, (query, expected) in shapes.items():
        df = spark.sql(query)
        assert [tuple(row) for row in df.collect()] == expected, name
        assert "RowsVerified" in physical(df), name
    spark.sql(limited).write.parquet(str(tmp_path / "copy"))
    copied = spark.read.parquet(str(tmp_path / "copy"))
    assert copied.where("id * 7919 % 101 = 42").count() == copied.count() == 9


ORDERS = [
    "h",
    "h DESC",
    "v, id",
    "v DESC, id DESC",
    "n, id",
    "n DESC NULLS FIRST, id",
    "n NULLS LAST, h",
    "f, id",
    "f DESC, id",
    "s, id",
    "length(s), s DESC, id",
    "abs(h)",
    "st.a, id",
    "v % 7, n, id DESC",
]
IN_THE_CORE = ["h DESC", "length(s), s DESC, id"]


@pytest.mark.usefixtures("t", "modes")
@pytest.mark.parametrize("order", core_of(ORDERS, IN_THE_CORE))
def test_first_rows(spark: SparkSession, order: str) -> None:
    for where in ("", " WHERE v > 50 AND c3 IS NOT NULL"):
        query = f"SELECT * FROM t{where} ORDER BY {order}"
        expected = list(map(repr, plain_rows(spark, f"{query} LIMIT 13")))
        for limit, offset in ((12, 0), (5, 8)):
            df = spark.sql(f"{query} LIMIT {limit} OFFSET {offset}")
            rows = list(map(repr, df.collect()))
            assert rows == expected[offset : offset + limit], (query, limit, offset)


@pytest.fixture(scope="module")
def unindexed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the table again without a page index, so that row groups are read whole."""
    path = tmp_path_factory.mktemp("unindexed") / "t"
    path.mkdir()
    rows = pq.read_table(str(folder))
    for number, start in enumerate(range(0, ROWS, 3_000)):
        part = rows.slice(start, 3_000)
        dictionaries = ["n", "c3"] if number else True
        encodings = {"id": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY"} if number else None
        pq.write_table(
            part,
            path / f"{number}.parquet",
            row_group_size=700 + number,
            data_page_size=1024,
            use_dictionary=dictionaries,
            column_encoding=encodings,
        )
    return path


@pytest.mark.usefixtures("modes")
@pytest.mark.parametrize("order", core_of(ORDERS, IN_THE_CORE))
def test_first_rows_without_a_page_index(spark: SparkSession, unindexed: Path, order: str) -> None:
    """Row groups are read whole, and only the rows that are found reach the sort."""
    for where in ("", " WHERE v > 50 AND c3 IS NOT NULL"):
        query = f"SELECT * FROM parquet.`{unindexed}`{where} ORDER BY {order}"
        expected = list(map(repr, plain_rows(spark, f"{query} LIMIT 1000")))
        for limit, offset in ((4, 1), (900, 100)):
            df = spark.sql(f"{query} LIMIT {limit} OFFSET {offset}")
            rows = list(map(repr, df.collect()))
            assert rows == expected[offset : offset + limit], (query, limit, offset)
            # Metadata may find the rows of keys with few values.
            assert "RowsVerified" in physical(df) or "h" not in order
            if "RowsVerified" in physical(df):
                assert found(df).rows.to_read == limit + offset
                if spark.conf.get(VECTORIZED) == "true":
                    assert scanned(df) == limit + offset


@pytest.mark.usefixtures("modes")
def test_nested_values_of_row_groups_that_are_read_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A row group is read up to the last row that is due, and rows are not values."""
    rows = spark.range(0, 3_000, 1, 1).selectExpr(
        "id",
        "hash(id) AS h",
        "IF(id % 5 = 0, NULL, sequence(id % 3, id % 11 + 3)) AS a",
        "IF(id % 7 = 0, map(), map(id, concat('m ', id))) AS m",
        "array(named_struct('x', id, 'y', IF(id % 2 = 0, NULL, array(id, id + 1)))) AS s",
    )
    rows.write.parquet(str(tmp_path / "written"))
    table = pq.read_table(str(tmp_path / "written"))
    (tmp_path / "t").mkdir()
    pq.write_table(table, tmp_path / "t" / "0.parquet", row_group_size=800, data_page_size=512)
    fields = "_metadata.row_index, _metadata.file_path"
    for order in ("h", "h DESC", "h % 100, id"):
        query = f"SELECT *, {fields} FROM parquet.`{tmp_path / 't'}` ORDER BY {order} LIMIT 23"
        expected = list(map(repr, plain_rows(spark, query)))
        df = spark.sql(query)
        assert list(map(repr, df.collect())) == expected, order
        assert "RowsVerified" in physical(df), order


def scanned(df: DataFrame) -> int:
    """Return the rows that the scan of the chosen rows has returned."""
    plan: Any = df._jdf.queryExecution().executedPlan()
    nodes = [plan.executedPlan() if plan.nodeName() == "AdaptiveSparkPlan" else plan]
    while nodes:
        node = nodes.pop()
        if node.nodeName() == "ChooseWhenRun":
            return int(node.metrics().apply("numOutputRows").value())
        children = node.children()
        nodes += [children.apply(i) for i in range(children.size())]
    raise AssertionError(physical(df))


@pytest.mark.usefixtures("t")
def test_the_first_rows_are_read_by_their_keys(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM t WHERE v > 50 ORDER BY h DESC, v LIMIT 4")
    df.collect()
    limit = found(df)
    assert limit.order_by
    assert limit.rows.to_read == 4


@pytest.mark.usefixtures("t")
def test_explain_before_and_after(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM t WHERE v = 42 LIMIT 9")
    assert "by reading the columns of the predicate and of the keys first" in physical(df)
    reason = limit_pruning.report(df).only.reason
    assert reason is not None
    assert reason.code == "decided-by-rows"
    df.collect()
    assert "RowsVerified: 9, ReadFirst: " in physical(df)


@pytest.mark.core
@pytest.mark.usefixtures("t")
def test_reports_show_what_was_read_first(spark: SparkSession) -> None:
    totals = limit_pruning.totals(spark)
    df = spark.sql("SELECT * FROM t WHERE v = 42 LIMIT 9")
    assert limit_pruning.report(df).only.rows.verified is None
    df.collect()
    limit = found(df)
    assert limit.rows.verified == 9
    assert limit.bytes.read_first is not None
    assert limit.bytes.read is not None
    assert limit.bytes.read_first > 0
    assert "verified: 9 rows, " in str(limit)
    query = limit_pruning.history(spark)[-1]
    assert query.report.only.bytes == limit.bytes
    read = limit_pruning.totals(spark).bytes_read - totals.bytes_read
    assert read == limit.bytes.read_first + limit.bytes.read
    (row,) = spark.sql("SELECT * FROM limit_pruning_history()").tail(1)
    assert row.bytes_read == read
    assert row.limits[0].rows.verified == 9
    df.collect()  # the rows are known
    again = limit_pruning.report(df).only
    assert (again.rows.verified, again.bytes.read_first) == (9, 0)
    everything = limit_pruning.report(spark.sql("SELECT * FROM t WHERE id >= 0 LIMIT 9")).only
    assert everything.rows.verified is None
    assert everything.bytes.read_first is None


@pytest.mark.usefixtures("t")
def test_a_row_at_which_a_predicate_fails(spark: SparkSession) -> None:
    """The error is that of plain Spark, and there is none if plain Spark has none."""
    with conf(spark, {"spark.sql.ansi.enabled": "true"}):
        failing = "SELECT * FROM t WHERE 10 / (v - 42) > 100 LIMIT 10"
        for enabled in ("false", "true"):
            with conf(spark, {ENABLED: enabled}), pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
                spark.sql(failing).collect()


def test_paths_partitions_and_missing_columns(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a folder, 100%25 # + é"
    p = "concat('p ', id % 3, '/%') AS p"
    old = spark.range(0, 500).selectExpr("id", "id * 7 % 31 AS v", p)
    old.write.partitionBy("p").parquet(str(path))
    new = spark.range(500, 1000).selectExpr("id", "id * 7 % 31 AS v", "id % 5 AS added", p)
    new.write.mode("append").partitionBy("p").parquet(str(path))
    schema = "id LONG, v LONG, added LONG, p STRING"
    spark.read.schema(schema).parquet(str(path)).createOrReplaceTempView("parts")
    for predicate in ("v = 3", "v = 3 AND p = 'p 1/%'", "added = v"):
        df = hold(spark, f"SELECT * FROM parts WHERE {predicate}", 7)
        assert "RowsVerified" in physical(df), predicate
    ordered = "SELECT id, v, added, p FROM parts ORDER BY added DESC, v, id"
    df = hold(spark, ordered, 9, ordered=True)
    assert "RowsVerified" in physical(df)


def test_a_path_that_is_read_twice(spark: SparkSession, folder: Path) -> None:
    """Positions of rows do not tell which of the two is meant."""
    spark.read.parquet(str(folder), str(folder)).createOrReplaceTempView("twice")
    query = "SELECT id, c1 FROM twice WHERE v = 42"
    df = hold(spark, query, 200)
    assert "RowsVerified" not in physical(df)


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("field", ["file_path", "row_index", "file_size"])
def test_selected_metadata(spark: SparkSession, folder: Path, field: str) -> None:
    query = f"SELECT id, c1, c2, c3, _metadata.{field} FROM parquet.`{folder}` WHERE v = 42"
    assert "RowsVerified" in physical(hold(spark, query, 7))
    ordered = f"SELECT id, c1, _metadata.{field} FROM parquet.`{folder}` ORDER BY h, id"
    assert "RowsVerified" in physical(hold(spark, ordered, 7, ordered=True))


@pytest.mark.parametrize("predicate", ["_metadata.row_index % 9 = 8", "_metadata.file_size > 9"])
def test_predicates_over_metadata(spark: SparkSession, folder: Path, predicate: str) -> None:
    query = f"SELECT id, c1, c2, c3 FROM parquet.`{folder}` WHERE {predicate} AND v < 60"
    df = hold(spark, query, 3)
    assert "ChooseWhenRun" not in physical(df)
    reason = limit_pruning.report(df).only.reason
    assert reason is not None
    assert reason.code == "not-enough-rows"


@pytest.mark.usefixtures("t")
def test_the_default_leaves_small_tables_alone(spark: SparkSession) -> None:
    with conf(spark, {MIN_BYTES: "8m"}):
        df = hold(spark, "SELECT id, c1, c2 FROM t WHERE v = 42", 9)
    assert "RowsVerified" not in physical(df)


@pytest.mark.usefixtures("t")
def test_switched_off_when_the_query_runs(spark: SparkSession) -> None:
    query = "SELECT id, c1, c2, c3 FROM t WHERE v = 42"
    df = spark.sql(f"{query} LIMIT 9")
    physical(df)
    with conf(spark, {ENABLED: "false"}):
        hold_frame(spark, df, query, 9)
    reason = limit_pruning.report(df).only.reason
    assert reason is not None
    assert reason.code == "disabled-when-run"


@pytest.mark.usefixtures("t")
def test_groups_are_not_rows(spark: SparkSession) -> None:
    """Rows of a LIMIT that counts groups would have too few groups, whatever the keys are."""
    arrays = ", ".join(f"array(id % 3, {number}) AS a{number}" for number in range(34))
    for keys, groups in ((arrays, 3), ("v % 2 AS k", 2), ("n", 6)):
        query = f"SELECT DISTINCT {keys} FROM t WHERE v < 90"
        df = spark.sql(f"{query} LIMIT 3")
        assert len(df.collect()) == min(groups, 3), keys
        assert "by reading the columns" not in physical(df)


def test_a_column_with_sparks_name_of_row_numbers(spark: SparkSession, tmp_path: Path) -> None:
    name = "_tmp_metadata_row_index"
    rows = spark.range(0, 400).selectExpr("id", "id * 7 % 31 AS v", f"id % 5 AS {name}")
    rows.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("numbers")
    df = spark.sql(f"SELECT id, v FROM numbers WHERE {name} % 5 = 3 AND v < 20 LIMIT 4")
    assert "by reading the columns" not in physical(df)
    assert len(df.collect()) == 4
    hold(spark, "SELECT id, v FROM numbers WHERE v = 3", 4)
