"""What must never be counted on: encrypted columns, and footers or files that tell nothing."""

from __future__ import annotations

import base64
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from pyspark.sql import SparkSession

from support.predicates import Compare
from support.runs import ENABLED, check, conf, hold_sql, outcome
from support.tables import NUMBERED, numbered_files, one_column, write


def test_line_37_files_that_are_no_data(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "events.parquet"
    made = numbered_files(folder)
    wrong = write(tmp_path / "wrong.parquet", [{"id": [0], "c": [500]}], NUMBERED).read_bytes()
    for name in ("_metadata", "_common_metadata", "_SUCCESS", ".hidden.parquet", "_hidden.parquet"):
        (folder / name).write_bytes(b"" if name == "_SUCCESS" else wrong)
    (folder / ".0.parquet.crc").write_bytes(b"not the sum of it")
    (folder / "_temporary").mkdir()
    (folder / "_temporary" / "9.parquet").write_bytes(wrong)
    made[0].with_name(".0.parquet.crc").unlink()
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    for predicate in ("c >= 0", "c = 500", "c < 500", "c >= 12"):
        hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 1, 4, 16, 17)
    report = hold_sql(spark, "SELECT * FROM t WHERE c >= 0", 16).only
    assert report.covered
    assert report.files.total == 4


@pytest.mark.usefixtures("planned_at_root")
def test_line_37_footers_without_any_statistics(spark: SparkSession, tmp_path: Path) -> None:
    groups: list[list[Any]] = [[1, 2], [None, None]]
    table = one_column(tmp_path, pa.int32(), groups, write_statistics=False, use_dictionary=False)
    table.register(spark)
    for predicate in ("c > 0", "c IS NULL", "c IS NOT NULL", "NOT (c > 0)"):
        report = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 4, 2)
        assert not report.only.covered
    assert check(spark, table, None, 4).covered, "rows are counted without statistics"


# pyarrow has no types.
class Keys(pe.KmsClient):  # type: ignore[misc]
    """Wraps keys in nothing: who has the file has them. Spark has no such client."""

    def __init__(self, _config: Any) -> None:
        """Take no configuration."""
        super().__init__()

    def wrap_key(self, key: bytes, _master: str) -> bytes:
        """Return the key as text."""
        return base64.b64encode(key)

    def unwrap_key(self, wrapped: bytes, _master: str) -> bytes:
        """Return what was wrapped."""
        return base64.b64decode(wrapped)


def encrypted(path: Path, plain_footer: bool) -> Path:
    """Write ``id`` in the clear and ``c`` encrypted, two row groups."""
    configuration = pe.EncryptionConfiguration(
        footer_key="footer",
        column_keys={"column": ["c"]},
        plaintext_footer=plain_footer,
        cache_lifetime=timedelta(minutes=5),
    )
    properties = pe.CryptoFactory(Keys).file_encryption_properties(
        pe.KmsConnectionConfig(), configuration
    )
    path.parent.mkdir(parents=True)
    table = pa.table({"id": [0, 1, 2, 3], "c": [5, 6, 7, 8]}, schema=NUMBERED)
    with pq.ParquetWriter(path, NUMBERED, encryption_properties=properties) as writer:
        writer.write_table(table, row_group_size=2)
    return path


def test_line_37_encrypted_columns_in_the_open(spark: SparkSession, tmp_path: Path) -> None:
    path = encrypted(tmp_path / "t" / "f.parquet", plain_footer=True)
    frame = spark.read.schema("id BIGINT, c INT").parquet(str(path))
    frame.createOrReplaceTempView("t")
    for select in ("id", "id, c", "c"):
        for where in ("", "WHERE id >= 0", "WHERE c > 0", "WHERE id >= 0 AND c IS NOT NULL"):
            for limit in (1, 4):
                query = f"SELECT {select} FROM t {where} LIMIT {limit}"
                pruned = outcome(spark, query)
                with conf(spark, {ENABLED: "false"}):
                    assert pruned == outcome(spark, query), query
                is_readable = select == "id" and "c" not in where
                assert isinstance(pruned, list) == is_readable, query
    hold_sql(spark, "SELECT id FROM t WHERE id >= 1", 3)


def test_line_37_encrypted_footers(spark: SparkSession, tmp_path: Path) -> None:
    encrypted(tmp_path / "t" / "f.parquet", plain_footer=False)
    numbered_files(tmp_path / "t", 1)
    frame = spark.read.schema("id BIGINT, c INT").parquet(str(tmp_path / "t"))
    frame.createOrReplaceTempView("t")
    for where in ("", "WHERE c >= 0"):
        query = f"SELECT id FROM t {where} LIMIT 8"
        pruned = outcome(spark, query)
        with conf(spark, {ENABLED: "false"}):
            assert pruned == outcome(spark, query)
        assert isinstance(pruned, str)


def test_line_37_a_clear_file_beside_an_encrypted_one(spark: SparkSession, tmp_path: Path) -> None:
    encrypted(tmp_path / "t" / "f.parquet", plain_footer=True)
    table = one_column(tmp_path / "u", pa.int32(), [[1, 2]]).register(spark)
    assert check(spark, table, Compare("c", ">", 0), 2).covered
