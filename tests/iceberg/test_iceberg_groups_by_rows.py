"""DISTINCT … LIMIT over Iceberg reads the keys of few row groups, if metadata find no groups."""

from __future__ import annotations

import random

import pytest
from pyspark.sql import SparkSession

from support.groups_by_rows import found, in_sample
from support.iceberg import tables
from support.iceberg.tables import hold, reason_of
from support.runs import conf
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

MIN_BYTES = "spark.limitPruning.rows.minBytes"
ALWAYS = {MIN_BYTES: "0"}
# A search pays if it saves anything, so that small tables are searched, too.
SMALL = {MIN_BYTES: "1"}
VECTORIZED = "spark.sql.iceberg.vectorization.enabled"
MERGE_ON_READ = {"write_delete_mode": "merge-on-read"}
# Values are in no order.
COLUMNS = (
    "id",
    "concat('user ', hash(id) % 3000) AS user",
    "sha2(CAST(id AS STRING), 256) AS hash",
    "CAST(id * 7 % 12 AS INT) AS few",
    "IF(hash(id, 2) % 3 = 0, NULL, CAST(hash(id, 3) % 500 AS DECIMAL(9, 2))) AS money",
    "IF(id % 2 = 0, 0.0D, -0.0D) AS zeros",
    "struct(id % 4 AS a) AS nested",
)


def write(spark: SparkSession, files: int, rows: int = 6000, /, **properties: str) -> str:
    """Write files of row groups of 100 rows, and of equal numbers of rows."""
    frame = spark.range(0, files * rows, 1, files).selectExpr(*COLUMNS)
    return tables.write_frame(frame, **{**tables.SMALL_ROW_GROUPS, **properties})


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table of 80 row groups."""
    return write(spark, 4, 2000)


@pytest.mark.core
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_few_row_groups_are_read(spark: SparkSession, table: str, vectorized: str) -> None:
    with conf(spark, ALWAYS | {VECTORIZED: vectorized}):
        for keys in ("user", "few", "user, money", "concat(user, few) AS k", "id % 7 AS k"):
            for where in ("", " WHERE hash LIKE '%9'", " WHERE id % 3 = 0 AND few > 3"):
                query = f"SELECT DISTINCT {keys} FROM {table}{where}"
                for limit in (2, 6, 5000):
                    hold(spark, query, limit)
        report, plan = found(spark, f"SELECT DISTINCT user FROM {table} LIMIT 8")
    assert ", groups=8 by " in plan
    assert report.rows.verified == 8
    assert report.files.scanned == 1
    assert (report.row_groups.scanned or 20) <= 2


def test_all_groups_are_fewer(spark: SparkSession, table: str) -> None:
    with conf(spark, ALWAYS):
        report, _ = found(spark, f"SELECT DISTINCT few FROM {table} WHERE id <> 5 LIMIT 50")
        assert report.rows.verified == 12
        hold(spark, f"SELECT few, count(*) FROM {table} WHERE id <> 5 GROUP BY few", 50)
        hold(spark, f"SELECT DISTINCT user FROM {table} WHERE hash LIKE 'x%'", 5)


def test_deleted_rows_have_no_groups(spark: SparkSession) -> None:
    for version in ("2", "3"):
        table = write(spark, 3, 600, format__version=version, **MERGE_ON_READ)
        spark.sql(f"DELETE FROM {table} WHERE few <> 7 AND id < 1500")
        with conf(spark, ALWAYS):
            for keys in ("few", "user", "few, money"):
                for limit in (1, 2, 12, 2000):
                    hold(spark, f"SELECT DISTINCT {keys} FROM {table}", limit)
            found(spark, f"SELECT DISTINCT user FROM {table} WHERE id % 2 = 1 LIMIT 8")


def test_a_sample_has_enough_groups(spark: SparkSession, table: str) -> None:
    with conf(spark, SMALL):
        for keys, where in (("user", "few < 10"), ("user, money", "hash LIKE '%a'")):
            query = f"SELECT DISTINCT {keys} FROM {table} WHERE {where}"
            hold(spark, query, 3)
            assert in_sample(spark, f"{query} LIMIT 4") == (True, True), query
            report, _ = found(spark, f"{query} LIMIT 4")
            assert (report.row_groups.scanned or 20) <= 2


def test_a_sample_without_enough_groups_is_left_to_iceberg(spark: SparkSession, table: str) -> None:
    """Then, queries of the same form do not try: three, then fifteen."""
    with conf(spark, SMALL):
        query = f"SELECT DISTINCT user FROM {table} WHERE hash(hash) % 5000 = {{}}"
        tried = [in_sample(spark, f"{query.format(literal)} LIMIT 9") for literal in range(10)]
        assert tried[0] == (True, False)
        assert tried[1:4] == [(False, False)] * 3
        assert sum(searched for searched, _ in tried) == 2
        df = hold(spark, query.format(3), 9)
        assert reason_of(df) == "not-enough-groups"
        # Another form tries, and then none with other literals, which leave other files.
        moved = f"SELECT DISTINCT user FROM {table} WHERE id >= {{}} AND hash(hash) % 5000 = 7"
        assert in_sample(spark, f"{moved.format(1)} LIMIT 9") == (True, False)
        assert in_sample(spark, f"{moved.format(2500)} LIMIT 9") == (False, False)
        other = f"SELECT DISTINCT user FROM {table} WHERE hash(hash) > 0 LIMIT 9"
        assert in_sample(spark, other) == (True, True)


def test_a_dictionary_promises_many_values(spark: SparkSession) -> None:
    """One row group is searched then, also of a small table."""
    table = write(spark, 3, 400)
    with conf(spark, SMALL):
        assert in_sample(spark, f"SELECT DISTINCT hash FROM {table} LIMIT 9") == (True, True)
        report, _ = found(spark, f"SELECT DISTINCT hash FROM {table} WHERE id >= 0 LIMIT 9")
        assert report.row_groups.scanned == 1
        for keys, rest in (
            ("few", "LIMIT 9"),
            ("hash", "LIMIT 11"),  # a row group has too few rows for so many groups
            ("hash", "WHERE hash LIKE '%a' LIMIT 9"),  # rows may not match
        ):
            query = f"SELECT DISTINCT {keys} FROM {table} {rest}"
            assert in_sample(spark, query) == (False, False), query


def test_small_dictionaries_show_that_a_sample_is_in_vain(spark: SparkSession, table: str) -> None:
    with conf(spark, SMALL):
        query = f"SELECT DISTINCT few FROM {table} WHERE hash LIKE '%7' LIMIT 60"
        assert in_sample(spark, query) == (False, False)


def test_others_are_left_alone(spark: SparkSession, table: str) -> None:
    for query in (
        f"SELECT DISTINCT zeros FROM {table}",  # whose bytes do not decide
        f"SELECT DISTINCT nested FROM {table}",
        f"SELECT user, count(*) FROM {table} GROUP BY user",
    ):
        with conf(spark, ALWAYS):
            df = spark.sql(f"{query} LIMIT 5")
            assert len(df.collect()) == len(spark.sql(query).limit(5).collect())
            assert "RowsVerified" not in physical(df)
    # As the settings are: the search takes as long to start as the whole table takes.
    query = f"SELECT DISTINCT user FROM {table} WHERE few = 8 LIMIT 8"
    assert in_sample(spark, query) == (False, False)


def test_in_subqueries_joins_and_unions(spark: SparkSession, table: str) -> None:
    few = f"(SELECT DISTINCT user FROM {table} WHERE id >= 5 LIMIT 9)"
    others = f"(SELECT DISTINCT user FROM {table} WHERE few > 3 LIMIT 9)"
    same = f"(SELECT DISTINCT money FROM {table} WHERE hash(user, money) > 0 LIMIT 9)"
    again = f"(SELECT DISTINCT user FROM {table} WHERE hash(user, money) > 0 LIMIT 9)"
    counted = "SELECT count(*) AS n FROM {}"
    with conf(spark, ALWAYS):
        for query in (
            counted.format(few),
            f"SELECT sum(n) AS n FROM ({counted.format(few)} UNION ALL {counted.format(others)})",
            f"SELECT count(*) AS n FROM {few} a LEFT JOIN {others} b USING (user)",
            f"SELECT (SELECT count(*) FROM {same}) + (SELECT count(*) FROM {again}) AS n",
        ):
            df = spark.sql(query)
            (row,) = df.collect()
            assert row.n == (9 if "sum" not in query and "+" not in query else 18), query
            assert "RowsVerified" in physical(df)


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_line_111_random_groups(spark: SparkSession, table: str, vectorized: str) -> None:
    chance = random.Random(f"groups {vectorized}")
    names = ["id", "user", "hash", "few", "money", "user || few", "nested.a", "length(user)"]
    wheres = ["", "few < {}", "id >= {} * 500", "hash LIKE '%{}'", "money IS NULL", "hash(id) < {}"]
    by_rows = 0
    for _ in range(15):
        keys = ", ".join(chance.sample(names, chance.randint(1, 3)))
        where = chance.choice(wheres).format(chance.randrange(12))
        query = f"SELECT DISTINCT {keys} FROM {table}" + (f" WHERE {where}" if where else "")
        with conf(spark, {VECTORIZED: vectorized} | chance.choice([ALWAYS, ALWAYS, SMALL])):
            df = hold(spark, query, chance.choice([2, 3, 9, 50, 10_000]))
        by_rows += "RowsVerified" in physical(df)
    assert by_rows >= 5, "else it says nothing"


FORMATS: list[dict[str, str]] = [
    {},
    {"format__version": "3"},
    {"write_format_default": "orc"},
    {"write_parquet_row__group__size__bytes": "100000000"},
]
CHANGES = [
    "DELETE FROM {t} WHERE id % {n} = 1 AND id < 3000",
    "DELETE FROM {t} WHERE few = {n}",
    "UPDATE {t} SET few = few + 100 WHERE id < 30 * {n}",
    "INSERT INTO {t} SELECT * FROM {t} WHERE id < 50 * {n}",
    "ALTER TABLE {t} ALTER COLUMN few TYPE BIGINT",
    "ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id)",
    "ALTER TABLE {t} RENAME COLUMN money TO cash",
]


@pytest.mark.parametrize("seed", range(2))
def test_line_111_random_samples(spark: SparkSession, seed: int) -> None:
    """Tables of several formats, with deleted and changed rows, renamed and wider columns."""
    chance = random.Random(f"samples {seed}")
    keys = ["user", "few", "user, few", "hash", "upper(user)", "id % 2000"]
    wheres = [
        "few <> {}",
        "id >= {} * 100",
        "hash LIKE '%{}'",
        "hash(id) % 4 = 0",
        "user > 'user {}'",
    ]
    samples = enough = 0
    for _ in range(4):
        kind = chance.choice([{}, *FORMATS])
        name = write(spark, chance.choice([2, 5]), 2500, **MERGE_ON_READ, **kind)
        for change in chance.sample(CHANGES, 2):
            spark.sql(change.format(t=name, n=chance.randrange(2, 9)))
        for _ in range(6):
            where = chance.choice(["", *wheres]).format(chance.randrange(1, 10))
            query = f"SELECT DISTINCT {chance.choice(keys)} FROM {name}"
            query += f" WHERE {where}" if where else ""
            limit = chance.choice([2, 4, 8])
            with conf(spark, SMALL):
                searched, has_enough = in_sample(spark, f"{query} LIMIT {limit}")
                hold(spark, query, limit)
            samples += searched
            enough += has_enough
    assert samples >= 4, "else it says nothing"
    assert enough >= 3, "else it says nothing"
