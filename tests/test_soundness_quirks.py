"""What must never be proved from metadata that lies, as some writers leave it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import footer_edit
import footers
import limit_pruning
import oracle
from predicates import Compare, In, IsNull, Not, Predicate, StartsWith, sql
from runs import ENABLED, as_dicts, assert_answer, check, conf, hold, on_off
from tables import Table, one_column

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data" / "quirks"
FILES = sorted(file.stem for file in DATA.glob("*.parquet"))
TRUSTED_ONLY = "spark.limitPruning.trustedWritersOnly"
CURRENT = "parquet-cpp-arrow version 26.0.1"


def made_by(spark: SparkSession, name: str) -> Table:
    """Register one of the files in `DATA` as the table ``q``."""
    file = DATA / f"{name}.parquet"
    return Table("q", file, oracle.read(file)).register(spark)


NULL_COUNTS: dict[str, tuple[str, Predicate, int]] = {
    "ARROW-12513": ("pyarrow-5.0.0-nulls", Not(IsNull("s")), 8),
    "pola-rs/polars#7842": ("polars-0.16.18", Not(IsNull("c")), 8),
    "pola-rs/polars#29321": ("polars-1.38.1-half", IsNull("s"), 2),
    "pola-rs/polars#29321, last release": ("polars-1.44.2-half", IsNull("s"), 2),
    "duckdb-0.6.1.parquet": ("duckdb-0.6.1", IsNull("s"), 2048),
    "duckdb-0.9.2.parquet": ("duckdb-0.9.2", IsNull("s"), 2048),
}


@pytest.mark.parametrize("source", NULL_COUNTS)
def test_line_44_null_counts_that_are_wrong(spark: SparkSession, source: str) -> None:
    name, predicate, rows = NULL_COUNTS[source]
    table = made_by(spark, name)
    assert len(oracle.matching(table.rows, predicate)) < len(table.rows)
    for limit in (1, rows // 2, rows):
        assert not _covered_and_right(spark, table, predicate, limit)


def test_line_44_zero_nulls_are_believed_of_those_who_count_too_many(spark: SparkSession) -> None:
    for name in ("polars-1.44.2", "duckdb-0.9.2"):
        table = made_by(spark, name)
        assert check(spark, table, Compare("id", ">=", 0), 3, ["id"]).covered, name


def test_line_45_bounds_of_the_first_chunk(spark: SparkSession) -> None:
    table = made_by(spark, "pyarrow-10.0.1-chunks")  # apache/arrow#15042
    lies: list[Predicate] = [
        Compare("s", "<=", "o"),
        Compare("s", ">=", "m"),
        Not(Compare("s", "=", "zzz")),
    ]
    for predicate in lies:
        assert footers.counts(table.files, predicate, 5).fully_matched == (predicate != lies[2])
        for limit in (3, 4, 5):
            assert not _covered_and_right(spark, table, predicate, limit)


NAN_FILES = [name for name in FILES if "nan" in name or re.match("(polars|duckdb|fast)", name)]


@pytest.mark.parametrize("name", [name for name in NAN_FILES if "half" not in name])
def test_line_46_bounds_without_nan(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    for op, value in (("<=", 3.0), ("<", 8.0), ("=", 1.0), ("<>", 9.0), (">=", 1.0), (">", 0.0)):
        covered = _covered_and_right(spark, table, Compare("d", op, value), len(table.rows))
        assert not (covered and op in ("<", "<=", "=")), f"{name}: d {op} {value}"
    assert not _covered_and_right(spark, table, In("d", (1.0, 2.0, 2.5, 3.0)), len(table.rows))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("polars-")])
def test_line_47_column_indexes_that_are_wrong(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    columns = {"d", "n", "s", "i", "m"} & set(table.rows[0])
    for column in sorted(columns):
        for predicate in (IsNull(column), Not(IsNull(column))):
            for limit in (1, len(table.rows)):
                _covered_and_right(spark, table, predicate, limit)


def test_line_48_bloom_filters_that_deny_what_is_there(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    values = spark.range(100).selectExpr("id", "id % 10 AS c").coalesce(1)
    options = {"parquet.bloom.filter.enabled#c": "true", "compression": "uncompressed"}
    values.write.options(**options, **{"parquet.enable.dictionary": "false"}).parquet(str(folder))
    file = next(folder.glob("*.parquet"))
    for crc in folder.glob(".*.crc"):
        crc.unlink()
    footer_edit.clear_bloom_filters(file)
    table = Table("t", folder, oracle.read(folder)).register(spark)
    for predicate in (Compare("c", "<>", 5), Not(In("c", (1, 5)))):
        for limit in (1, 79, 90, 95, 100):
            hold(spark, table, predicate, limit)
    with conf(spark, {"parquet.filter.bloom.enabled": "false"}):
        for wanted in (0, 5, 9):
            hold(spark, table, Compare("c", "=", wanted), 3)


def test_line_49_strings_that_are_not_utf_8(spark: SparkSession, tmp_path: Path) -> None:
    raw = [b"\xff", b"\xfe\x80", b"\xc3", b"z", b"\xed\xa0\x80"]
    strings = pa.array(raw, pa.binary()).view(pa.string())
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": list(range(5)), "c": strings}), file)
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    for op in ("<", "<=", ">", ">=", "=", "<>"):
        for bound in [*raw, b"\xef\xbf\xbd", b"y"]:
            matching = {number for number, value in enumerate(raw) if _compare(value, op, bound)}
            query = f"SELECT id FROM t WHERE c {op} CAST(X'{bound.hex()}' AS STRING)"
            for limit in (1, 5):
                runs = on_off(spark, f"{query} LIMIT {limit}")
                assert {row["id"] for row in runs.on} <= matching
                # Spark's own push-down may lose rows to bytes that change in a Java string.
                if any(report.covered for report in runs.report):
                    assert len(runs.on) == min(limit, len(matching))


def test_line_50_row_counts_that_are_wrong(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[5, 6, 7], [8, 9]])
    footer_edit.set_row_counts(table.path, 25)
    table.register(spark)
    for limit in (1, 3, 5, 25):
        query = f"SELECT * FROM t WHERE c > 4 LIMIT {limit}"
        plain = _rows_or_error(spark, query, "false")
        pruned = _rows_or_error(spark, query, "true")
        if isinstance(pruned, str):
            assert "t.parquet" in pruned, "the error names the file"
        else:
            assert pruned == plain


@dataclass(frozen=True)
class Lie:
    """A footer as the writer would leave it, and what it would prove."""

    writer: str
    kind: pa.DataType
    values: list[Any]
    predicate: Predicate
    edit: Callable[[Path], None]


MONEY = pa.decimal128(9, 2)


def _money(writer: str) -> Lie:
    values = [Decimal("-1.50"), Decimal("2.25"), Decimal("0.00")]

    def edit(file: Path) -> None:
        footer_edit.set_bounds(file, "c", bytes(4), (225).to_bytes(4, "big"))

    return Lie(writer, MONEY, values, Compare("c", ">=", Decimal("0.00")), edit)


def _no_nulls(writer: str, kind: pa.DataType, values: list[Any]) -> Lie:
    def edit(file: Path) -> None:
        footer_edit.set_null_count(file, "c", 0)

    return Lie(writer, kind, values, Not(IsNull("c")), edit)


def _low_max(file: Path) -> None:
    footer_edit.set_bounds(file, "c", (1).to_bytes(8, "little"), (3).to_bytes(8, "little"))


EDITED = {
    "apache/arrow#10729": _no_nulls(
        "parquet-cpp version 1.5.1-SNAPSHOT", pa.string(), ["a", None, "b"]
    ),
    "ARROW-6149": _money("parquet-cpp-arrow version 5.0.0"),
    "G-Research/ParquetSharp#68": _money("parquet-cpp version 1.5.1-SNAPSHOT"),
    "apache/arrow-rs#1621": _money("parquet-rs version 13.0.0"),
    "pola-rs/polars#29347": _money("Polars"),
    "ClickHouse/ClickHouse#83754": _money("ClickHouse v24.8.1.2684"),
    "hyparam/hyparquet-writer#38": _money("hyparquet"),
    "apache/arrow-rs#306": _no_nulls("parquet-rs version 4.1.0", pa.int64(), [None, None]),
    "pola-rs/polars#7842": Lie(
        "Arrow2 - Native Rust implementation of Arrow",
        pa.int64(),
        [1, 2, 9],
        Compare("c", "<=", 3),
        _low_max,
    ),
    "NVIDIA/cudf#9303": _no_nulls("", pa.int64(), [1, None, 3]),
}


@pytest.mark.parametrize("source", EDITED)
def test_line_51_writers_that_cannot_be_installed(
    spark: SparkSession, tmp_path: Path, source: str
) -> None:
    lie = EDITED[source]
    believed = one_column(tmp_path / "believed", lie.kind, [lie.values])
    lie.edit(believed.path)
    footer_edit.set_writer(believed.path, CURRENT)
    believed.register(spark)
    query = f"SELECT * FROM t WHERE {sql(lie.predicate)} LIMIT 2"
    assert limit_pruning.report(spark.sql(query)).only.covered, "the lie would be believed"
    table = one_column(tmp_path / "doubted", lie.kind, [lie.values])
    lie.edit(table.path)
    footer_edit.set_writer(table.path, lie.writer)
    table.register(spark)
    assert not _covered_and_right(spark, table, lie.predicate, 2)
    assert not limit_pruning.report(spark.sql(query)).only.covered


def test_line_51_one_file_knows_the_writers_and_each_of_its_lines_has_a_test() -> None:
    sources = sorted((ROOT / "jvm" / "src" / "main").rglob("*.scala"))
    table = next(file for file in sources if file.name == "WriterQuirks.scala")
    lines = re.findall(r'^ +quirk\("(.*)", .*"([^"]+)"\),?$', table.read_text(), re.MULTILINE)
    assert len(lines) >= 15, "the expression above finds the lines of the table"
    suite = (ROOT / "jvm/src/test/scala/limitpruning/parquet/WriterQuirksSuite.scala").read_text()
    tests = Path(__file__).read_text() + suite
    for writer, source in lines:
        assert source in tests, f"no test names {source}"
        others = [file.name for file in sources if file != table]
        for file in sources:
            if writer in ("", "parquet-mr") or file.name not in others:
                continue
            found = f'"{writer}' in file.read_text()
            assert not found or file.name == "TestedWriters.scala", f"{file.name} knows {writer}"


TRUSTED = ("pyarrow-18", "pyarrow-26", "polars-2", "duckdb-2", "fastparquet-2026.9")


@pytest.mark.parametrize("name", FILES)
def test_line_51_trusted_writers_only(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    trusted = name.startswith(TRUSTED)
    with conf(spark, {TRUSTED_ONLY: "true"}):
        assert check(spark, table, None, 1, ["id"]).covered == trusted
        assert check(spark, table, Compare("id", ">=", 0), 1, ["id"]).covered == trusted
    assert check(spark, table, None, 1, ["id"]).covered


def test_line_51_files_of_spark_itself_are_trusted(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(10).write.parquet(str(tmp_path / "t"))
    table = Table("t", tmp_path / "t", oracle.read(tmp_path / "t")).register(spark)
    with conf(spark, {TRUSTED_ONLY: "true"}):
        assert check(spark, table, Compare("id", ">=", 0), 3).covered


@pytest.mark.parametrize("name", FILES)
def test_line_51_whatever_a_file_says_the_answer_is_right(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    rows = len(table.rows)
    candidates: dict[str, list[Predicate]] = {
        "s": [Compare("s", ">=", "a"), Compare("s", "<>", "q"), StartsWith("s", "x")],
        "i": [Compare("i", ">", 0), Compare("i", "<=", 5), Compare("i", "<=>", None)],
        "m": [Compare("m", ">=", Decimal("-1.50")), Compare("m", "<", Decimal("3.00"))],
        "n": [Compare("n", ">", 1.0), Not(Compare("n", "<", 1.0))],
    }
    for column in candidates.keys() & set(table.rows[0]):
        for predicate in [*candidates[column], IsNull(column), Not(IsNull(column))]:
            _covered_and_right(spark, table, predicate, rows // 2)


def _covered_and_right(spark: SparkSession, table: Table, predicate: Predicate, limit: int) -> bool:
    """Return whether the limit is covered.

    If so, the answer is the data's, even where Spark alone loses rows to such metadata; what is
    left to Spark is whatever it makes of the file.
    """
    query = f"SELECT id FROM {table.name} WHERE {sql(predicate)} LIMIT {limit}"
    pruned = spark.sql(query)
    rows = as_dicts(pruned)
    matching = oracle.matching(table.rows, predicate)
    if limit_pruning.report(pruned).only.covered:
        assert_answer(rows, matching, limit, ["id"])
        return True
    with conf(spark, {ENABLED: "false"}):
        assert len(rows) == spark.sql(query).count()
    assert not oracle.as_bag(rows, ["id"]) - oracle.as_bag(matching, ["id"])
    return False


def _rows_or_error(spark: SparkSession, query: str, enabled: str) -> list[Any] | str:
    with conf(spark, {"spark.limitPruning.enabled": enabled}):
        try:
            return [tuple(row) for row in spark.sql(query).collect()]
        except Exception as error:  # noqa: BLE001 -- whichever error Spark raises for such a file
            return str(error)


def _compare(value: bytes, op: str, bound: bytes) -> bool:
    return {
        "<": value < bound,
        "<=": value <= bound,
        ">": value > bound,
        ">=": value >= bound,
        "=": value == bound,
        "<>": value != bound,
    }[op]
