"""What must never be proved from the footers of writers that cannot be installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.files import footer_edit
from support.files.quirky_files import covered_and_right
from support.paths import SCALA, SCALA_TESTS, TEST_FILES
from support.predicates import Compare, IsNull, Not, Predicate, sql
from support.tables import one_column

CURRENT = "parquet-cpp-arrow version 26.0.1"


KNOW_WRITERS = ("WriterQuirks.scala", "ListedWriters.scala", "TestedWriters.scala", "Writer.scala")


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
    assert not covered_and_right(spark, table, lie.predicate, 2)
    assert not limit_pruning.report(spark.sql(query)).only.covered


def test_line_51_few_files_know_writers_and_each_known_error_has_a_test() -> None:
    sources = sorted(SCALA.rglob("*.scala"))
    table = next(file for file in sources if file.name == "WriterQuirks.scala")
    lines = re.findall(r'^ +quirk\("(.*)", .*"([^"]+)"\),?$', table.read_text(), re.MULTILINE)
    assert len(lines) >= 15, "the expression above finds the lines of the table"
    suite = SCALA_TESTS / "limitpruning/parquet/WriterQuirksSuite.scala"
    tests = "".join(file.read_text() for file in [*TEST_FILES, suite])
    for writer, source in lines:
        assert source in tests, f"no test names {source}"
        for file in sources:
            if writer in ("", "parquet-mr") or file.name in KNOW_WRITERS:
                continue
            assert f'"{writer}' not in file.read_text(), f"{file.name} knows {writer}"
