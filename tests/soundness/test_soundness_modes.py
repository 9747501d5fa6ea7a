"""What must never differ by the way in which Spark executes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.runs import conf, hold_sql
from support.tables import write

VECTORIZED = "spark.sql.parquet.enable{}VectorizedReader"
MODES: dict[str, dict[str, str]] = {
    "adaptive": {"spark.sql.adaptive.enabled": "true"},
    "not adaptive": {"spark.sql.adaptive.enabled": "false"},
    "ansi": {"spark.sql.ansi.enabled": "true"},
    "not ansi": {"spark.sql.ansi.enabled": "false"},
    "rows": {VECTORIZED.format(""): "false"},
    "nested rows": {
        VECTORIZED.format("Nested").replace("enableNested", "enableNestedColumn"): "false"
    },
    "off heap": {"spark.sql.columnVector.offheap.enabled": "true"},
    "interpreted": {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    },
    "small batches": {"spark.sql.parquet.columnarReaderBatchSize": "3"},
}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 120 columns and a struct, two row groups of eight rows."""
    kinds = [pa.int32(), pa.string(), pa.float64()]
    pair = ("pair", pa.struct([("a", pa.int32()), ("b", pa.string())]))
    columns = [(f"c{number}", kinds[number % 3]) for number in range(120)]
    groups = []
    for start in (0, 8):
        rows = range(start, start + 8)
        group: dict[str, list[Any]] = {"pair": [{"a": row, "b": f"b{row}"} for row in rows]}
        for number, (name, _) in enumerate(columns):
            group[name] = [[row, f"text {row}", row / 2][number % 3] for row in rows]
        groups.append(group)
    folder = tmp_path_factory.mktemp("wide")
    return write(folder / "wide.parquet", groups, pa.schema([*columns, pair]))


@pytest.mark.parametrize("mode", MODES)
def test_line_43_modes_of_execution(spark: SparkSession, wide: Path, mode: str) -> None:
    with conf(spark, MODES[mode]):
        spark.read.parquet(str(wide)).createOrReplaceTempView("wide")
        covered = 0
        for select in ("*", "c0, c1", "pair, c119", "pair.b", "c0 + 1 AS n, upper(c4) AS u"):
            for predicate in ("c0 >= 8", "pair.a < 8", "c1 IS NOT NULL", "c3 >= 4"):
                report = hold_sql(spark, f"SELECT {select} FROM wide WHERE {predicate}", 9, 8)
                covered += report.only.covered
        assert covered >= 15
