"""Names that are equal letter by letter in upper case, and for Spark are names of two columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.runs import INTERPRETED, conf, hold_sql, on_off

pytestmark = [pytest.mark.random, pytest.mark.usefixtures("quiet")]

TABLES = 6
DOTLESS, LONG, MICRO = "\u0131", "\u017f", "\u00b5"
SIGMAS = ("\u03c3", "\u03c2")
PAIRS = [("yil", f"y{DOTLESS}l"), ("YIL", f"y{DOTLESS}l"), ("size", f"{LONG}{DOTLESS}ze")]
PAIRS += [("s", LONG), SIGMAS, (MICRO, "\u03bc")]
# A column in a file, and the same column in the schema of a table.
SPELLINGS = [("\u212aey", "key"), ("İd", "i̇d"), ("ΑΣ", "ας"), ("Straẞe", "straße")]
ROWS, ROW_GROUPS = 12, 4  # in each file


@dataclass(frozen=True)
class Names:
    """The names of a table's columns; those that are alike are of different kinds."""

    data: str
    struct: str
    field: str
    partitions: tuple[str, ...]

    def all(self) -> list[str]:
        """Return how SQL writes each column."""
        nested = f"`{self.struct}`.`{self.field}`"
        return [f"`{self.data}`", nested, *(f"`{name}`" for name in self.partitions)]


@st.composite
def names(draw: st.DrawFn) -> Names:
    one, other = draw(st.permutations(draw(st.sampled_from(PAIRS))))
    kind = draw(st.sampled_from(["data", "nested", "partitions", "all"]))
    if kind == "data":
        return Names(one, "nested", other, (other,))
    if kind == "nested":
        return Names("value", one, one, (other,))
    if kind == "partitions":
        return Names("value", "nested", one, (one, other))
    return Names(one, "nested", one, (other, "day"))


@st.composite
def files(draw: st.DrawFn, columns: Names, folder: Path) -> None:
    """Write three files in directories of their own; their row groups have ranges of values."""
    for number in range(3):
        values = [draw(st.integers(0, 9)) for _ in columns.partitions]
        parts = [f"{name}={value}" for name, value in zip(columns.partitions, values, strict=True)]
        directory = folder.joinpath(*parts)
        directory.mkdir(parents=True, exist_ok=True)
        starts = [10 * draw(st.integers(0, 9)) for _ in range(ROW_GROUPS)]
        data = [start + i % 3 for start in starts for i in range(ROWS // ROW_GROUPS)]
        table = pa.table(
            {
                "id": pa.array(range(ROWS * number, ROWS * (number + 1)), pa.int32()),
                columns.data: pa.array(data, pa.int32()),
                columns.struct: pa.array(
                    [{columns.field: 99 - value} for value in data],
                    pa.struct({columns.field: pa.int32()}),
                ),
            }
        )
        pq.write_table(table, directory / f"{number}.parquet", row_group_size=ROWS // ROW_GROUPS)


def queries(column: str, limit: int, value: int) -> list[str]:
    least = f"SELECT {column} v FROM named ORDER BY v LIMIT {limit}"
    return [
        f"SELECT * FROM named WHERE {column} > {value}",
        f"SELECT {column} FROM named WHERE {column} BETWEEN {value} AND {value + 5}",
        f"SELECT DISTINCT {column} FROM named",
        f"SELECT {column} k, count(*), max(id) FROM named GROUP BY {column}",
        f"SELECT * FROM named WHERE {column} = (SELECT max({column}) FROM named)",
        f"SELECT * FROM named WHERE {column} >= (SELECT max(v) FROM ({least}))",
    ]


def test_columns_that_differ_in_lower_case_alone(spark: SparkSession) -> None:
    covered = []

    def check(data: st.DataObject) -> None:
        columns = data.draw(names())
        with TemporaryDirectory() as folder:
            data.draw(files(columns, Path(folder)))
            is_in_catalog = data.draw(st.booleans())
            limit = data.draw(st.integers(1, 6))
            settings = data.draw(st.sampled_from([{}, {"spark.sql.caseSensitive": "true"}]))
            with (
                conf(spark, settings | INTERPRETED),
                registered(spark, columns, folder, in_catalog=is_in_catalog),
            ):
                for column in columns.all():
                    value = data.draw(st.integers(0, 90))
                    for query in data.draw(st.permutations(queries(column, limit, value)))[:3]:
                        report = hold_sql(spark, query, limit)
                        covered.append(all(limit.covered for limit in report))
                    ordered = f"SELECT * FROM named ORDER BY {column} DESC, id LIMIT {limit}"
                    runs = on_off(spark, ordered)
                    assert runs.on == runs.off, (ordered, columns)

    random_profiles.run(TABLES, check)
    assert covered.count(True) > 0.3 * len(covered)


@contextmanager
def registered(
    spark: SparkSession, columns: Names, folder: str, *, in_catalog: bool
) -> Iterator[None]:
    """Register the files as ``named``: as a view of the folder, or as a table of the catalog."""
    if not in_catalog:
        spark.read.parquet(folder).createOrReplaceTempView("named")
        yield
        spark.catalog.dropTempView("named")
        return
    parts = [f"`{name}` INT" for name in columns.partitions]
    nested = f"`{columns.struct}` STRUCT<`{columns.field}`: INT>"
    ddl = ", ".join(["id INT", f"`{columns.data}` INT", nested, *parts])
    by = ", ".join(f"`{name}`" for name in columns.partitions)
    spark.sql(f"CREATE TABLE named ({ddl}) USING parquet PARTITIONED BY ({by}) LOCATION '{folder}'")
    try:
        spark.sql("MSCK REPAIR TABLE named")
        yield
    finally:
        spark.sql("DROP TABLE named")


@pytest.mark.parametrize(("in_file", "in_table"), SPELLINGS)
def test_columns_that_are_equal_in_lower_case(
    spark: SparkSession, tmp_path: Path, in_file: str, in_table: str
) -> None:
    """Spark finds such a column of a file, also if the lengths of the two names differ."""
    table = pa.table({in_file: pa.array(range(12), pa.int32())})
    pq.write_table(table, tmp_path / "0.parquet", row_group_size=3)
    spark.read.schema(f"`{in_table}` INT").parquet(str(tmp_path)).createOrReplaceTempView("spelled")
    report = hold_sql(spark, f"SELECT * FROM spelled WHERE `{in_table}` >= 6", 4)
    assert report.only.covered
    assert report.only.row_groups.fully_matched == 2
    report = hold_sql(spark, f"SELECT * FROM spelled WHERE `{in_table}` IS NULL", 4)
    assert report.only.row_groups.matched == 0


@pytest.mark.parametrize("field", ["FILE_BLOCK_START", "file_bloc\u212a_start"])
def test_metadata_columns_are_found_by_position(
    spark: SparkSession, tmp_path: Path, field: str
) -> None:
    """Spark finds a field of a struct letter by letter; it depends on splits in any spelling."""
    pq.write_table(pa.table({"id": range(12)}), tmp_path / "0.parquet", row_group_size=3)
    report = limit_pruning.report(
        spark.sql(f"SELECT id, _metadata.`{field}` FROM parquet.`{tmp_path}` WHERE id >= 6 LIMIT 4")
    )
    assert report.only.reason is not None
    assert report.only.reason.code == "split-dependent"
