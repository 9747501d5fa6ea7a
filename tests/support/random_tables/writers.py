"""Random ways to write a table: pyarrow's options, and Spark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support.runs import conf

if TYPE_CHECKING:
    from support.random_tables.columns import Column

Options = dict[str, Any]

_PYARROW: dict[str, list[Any]] = {
    "use_dictionary": [True, True, False],
    "write_statistics": [*[True] * 9, False],
    "version": ["2.6", "1.0"],
    "data_page_version": ["1.0", "2.0"],
    "compression": ["snappy", "none", "zstd", "gzip"],
    "write_page_index": [False, True],
    "max_rows_per_page": [20_000, 1, 2],
    "data_page_size": [1_048_576, 1],
    "write_batch_size": [1024, 1],
    "dictionary_pagesize_limit": [1_048_576, 1],
    "store_decimal_as_integer": [False, True],
    "use_deprecated_int96_timestamps": [False, False, False, False, True],
    "bloom_filter_options": [False, True],  # `fitting` names the columns
}

_SPARK: dict[str, list[str]] = {
    "parquet.block.row.count.limit": ["4", "1", "1000"],
    "maxRecordsPerFile": ["0", "6"],
    "parquet.page.row.count.limit": ["20000", "1", "2"],
    "parquet.enable.dictionary": ["true", "false"],
    "parquet.writer.version": ["v1", "v2"],
    "parquet.statistics.truncate.length": ["2147483647", "3", "1"],
    "parquet.columnindex.truncate.length": ["64", "2"],
    "parquet.column.statistics.enabled": ["true", "true", "true", "false"],
    "parquet.bloom.filter.enabled": ["false", "true"],
    "parquet.bloom.filter.max.bytes": ["1024"],
    "parquet.enable.bytestreamsplit": ["false", "true"],
    # Not none: Spark 4.2 reads garbage from uncompressed pages of strings that v2 wrote.
    "compression": ["snappy", "gzip", "zstd"],
}

_SPARK_CONF: dict[str, list[str]] = {
    "spark.sql.parquet.outputTimestampType": ["TIMESTAMP_MICROS", "TIMESTAMP_MILLIS", "INT96"],
    "spark.sql.parquet.writeLegacyFormat": ["false", "true"],
}


@dataclass(frozen=True)
class SparkWriter:
    """Has Spark write a table: options of the write, and settings of the session."""

    options: dict[str, str]
    settings: dict[str, str]

    def rewrite(
        self, spark: SparkSession, source: Path, target: Path, ddl: str, partition: str | None
    ) -> None:
        """Read what pyarrow wrote and write it again, in the order of the ids."""
        rows = spark.read.schema(ddl).parquet(str(source)).coalesce(1).sortWithinPartitions("id")
        writer = rows.write.options(**self.options)
        if partition:
            writer = writer.partitionBy(partition)
        with conf(spark, self.settings):
            writer.parquet(str(target))


def _one_of_each(choices: dict[str, list[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({key: st.sampled_from(values) for key, values in choices.items()})


def options() -> st.SearchStrategy[Options]:
    """Options of pyarrow's ParquetWriter."""
    return _one_of_each(_PYARROW)


def spark_writers() -> st.SearchStrategy[SparkWriter]:
    """Ways for Spark to write."""
    settings = _one_of_each(_SPARK_CONF).map(lambda chosen: chosen | _calendars(chosen))
    return st.builds(SparkWriter, _one_of_each(_SPARK), settings)


def _calendars(chosen: dict[str, str]) -> dict[str, str]:
    """Return the calendar of dates and times.

    It follows another setting, so that the default seeds draw the same tables as before.
    """
    is_legacy = chosen["spark.sql.parquet.writeLegacyFormat"] == "true"
    mode = "LEGACY" if is_legacy else "CORRECTED"
    return {f"spark.sql.parquet.{name}RebaseModeInWrite": mode for name in ("datetime", "int96")}


def fitting(drawn: Options, columns: Sequence[Column]) -> Options:
    """Return the options for a file with these columns: bloom filters are asked for by name."""
    paths = {".".join(column.path) for column in columns if column.kind.family != "boolean"}
    blooms = {path: {"ndv": 8, "fpp": 0.05} for path in sorted(paths)}
    return drawn | {"bloom_filter_options": blooms if drawn["bloom_filter_options"] else None}
