"""With ``spark.limitPruning.trustedWritersOnly`` nothing is proved of other writers' files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import oracle
from support.files.quirky_files import FILES, made_by
from support.predicates import Compare
from support.runs import check, conf
from support.tables import Table

pytestmark = pytest.mark.usefixtures("planned_at_root")

TRUSTED_ONLY = "spark.limitPruning.trustedWritersOnly"
TRUSTED = (
    *("pyarrow-18", "pyarrow-26", "polars-2", "duckdb-2", "fastparquet-2026.9"),
    *("parquet-mr-1.13", "parquet-mr-1.17"),
)


@pytest.mark.parametrize("name", FILES)
def test_line_51_trusted_writers_only(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    trusted = name.startswith(TRUSTED)
    with conf(spark, {TRUSTED_ONLY: "true"}):
        assert check(spark, table, None, 1, ["id"]).covered == trusted
        # fastparquet is not listed for min and max.
        proves = trusted and not name.startswith("fastparquet")
        assert check(spark, table, Compare("id", ">=", 0), 1, ["id"]).covered == proves
    assert check(spark, table, None, 1, ["id"]).covered


def test_line_51_files_of_spark_itself_are_trusted(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(10).write.parquet(str(tmp_path / "t"))
    table = Table("t", tmp_path / "t", oracle.read(tmp_path / "t")).register(spark)
    with conf(spark, {TRUSTED_ONLY: "true"}):
        assert check(spark, table, Compare("id", ">=", 0), 3).covered
