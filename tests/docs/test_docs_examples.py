"""The examples of the documentation run, in the order of each page, and print what it shows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.doc_pages import Example, examples
from support.paths import DOCS
from support.runs import conf
from support.sparks import LINE

OTHER_WRITERS = ("polars", "duckdb")


@pytest.fixture
def names(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """What the examples of a page share: the session, and a temporary folder that is removed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with conf(spark, {"spark.sql.parquet.outputTimestampType": "INT96"}):
        yield {"spark": spark}


@pytest.mark.parametrize("page", ["quickstart", "layout", "metrics"])
def test_examples(names: dict[str, Any], page: str) -> None:
    shown = examples(DOCS / f"{page}.md")
    assert shown
    for example in shown:
        if not example.imports(*OTHER_WRITERS) and not is_of_spark_4(example):
            example.run(names)


def is_of_spark_4(example: Example) -> bool:
    """Return whether Spark 3.5 prints something else: it writes no page index of long values."""
    return LINE < (4, 0) and "texts_by_pyarrow" in example.code


@pytest.mark.parametrize("writer", OTHER_WRITERS)
def test_other_writers(names: dict[str, Any], writer: str) -> None:
    pytest.importorskip(writer)
    prepare, table, *shown = examples(DOCS / "layout.md")
    for example in (prepare, table, *(each for each in shown if each.imports(writer))):
        example.run(names)
