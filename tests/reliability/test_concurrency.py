"""Writers beside readers: each answer holds for some state of the table, or is a clear error.

``CONCURRENCY_SECONDS=60`` makes the test longer than it is by default.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.leaks import assert_nothing_left
from support.runs import conf
from support.tables import write

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("CONCURRENCY_SECONDS", "15"))
READERS = 8
ROWS = 60  # of a row group
STABLE_FILES = 3
SCHEMA = pa.schema([("id", pa.int64()), ("c", pa.int32()), ("mark", pa.int64())])
COLUMNS = "id BIGINT, c INT, mark BIGINT"
PREDICATES: dict[str, Callable[[int], bool]] = {
    "true": lambda _: True,
    "c >= 100": lambda c: c >= 100,
    "c BETWEEN 40 AND 160": lambda c: 40 <= c <= 160,
    "c < 90 OR c > 150": lambda c: c < 90 or c > 150,
    "c % 2 = 0": lambda c: c % 2 == 0,
}


def mark(number: int, c: int) -> int:
    """Return what tells that a row's values belong together."""
    return number * 1_000_003 + c


def write_version(file: Path, version: int) -> None:
    """Put a file in its place at once, as committers do: its length is that of every version."""
    groups = []
    for group in range(3):
        ids = [version * 1000 + group * ROWS + row for row in range(ROWS)]
        values = [(37 * version + 80 * group) % 240 + row for row in range(ROWS)]
        marks = [mark(number, c) for number, c in zip(ids, values, strict=True)]
        groups.append({"id": ids, "c": values, "mark": marks})
    options = {"compression": "none", "use_dictionary": False, "column_encoding": "PLAIN"}
    pages = {"max_rows_per_page": 20, "write_batch_size": 20, "write_page_index": True}
    hidden = write(file.with_name(f"_{file.name}"), groups, SCHEMA, **options, **pages)
    hidden.replace(file)


@dataclass
class Moving:
    """A table of some files that stay, and others that come, change and go."""

    folder: Path
    writes: Counter[str] = field(default_factory=Counter)
    stable: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Write the files that stay."""
        for number in range(STABLE_FILES):
            write_version(self.folder / f"{2 * number:03}.parquet", number)
            self.stable += [
                (37 * number + 80 * group) % 240 + row for group in range(3) for row in range(ROWS)
            ]

    def change(self, choose: random.Random, version: int) -> None:
        """Add, replace or delete a file."""
        # Between those that stay, so that it is among the first that are read, too.
        file = self.folder / f"{2 * choose.randrange(12) + 1:03}.parquet"
        exists = file.exists()
        if exists and choose.random() < 0.3:
            file.unlink()
            self.writes["deleted"] += 1
        else:
            write_version(file, version)
            self.writes["replaced" if exists else "added"] += 1


@dataclass
class Answers:
    """What the readers saw."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)


def ask(df: DataFrame, choose: random.Random, moving: Moving, answers: Answers) -> None:
    """Run one query and hold its rows to what holds for every state of the table."""
    predicate, holds = choose.choice(list(PREDICATES.items()))
    limit = choose.choice([1, 7, 50, 150, 400])
    query = df.where(predicate).limit(limit)
    try:
        rows = query.collect()
    except (Py4JJavaError, PySparkException) as error:
        answers.counts["errors"] += 1
        answers.errors.append(str(error))
        return
    for row in rows:
        assert holds(row.c), f"{row} is not {predicate}"
        assert row.mark == mark(row.id, row.c), f"{row} is of two versions"
    assert len({row.id for row in rows}) == len(rows), "a row came twice"
    assert min(limit, sum(map(holds, moving.stable))) <= len(rows) <= limit
    covered = any(each.covered for each in limit_pruning.report(query))
    answers.counts["covered" if covered else "left alone"] += 1


def test_line_35_readers_beside_writers(spark: SparkSession, tmp_path: Path) -> None:
    moving, answers = Moving(tmp_path / "t"), Answers()
    ask(spark.read.parquet(str(moving.folder)), random.Random(0), moving, answers)  # takes a while
    end = time.monotonic() + SECONDS
    versions = iter(range(100, 1_000_000))
    lock = threading.Lock()

    def table() -> DataFrame:
        return spark.read.schema(COLUMNS).parquet(str(moving.folder))

    def write_on(seed: int) -> None:
        choose = random.Random(seed)
        while time.monotonic() < end:
            with lock:  # one writer at a time, or both may want the same file
                moving.change(choose, next(versions))
            time.sleep(choose.random() / 5)

    def read_on(seed: int) -> None:
        choose = random.Random(seed)
        while time.monotonic() < end:
            df = table()
            for _ in range(choose.choice([1, 1, 4])):  # a listing may be used for several queries
                ask(df, choose, moving, answers)

    with (
        conf(spark, {"spark.limitPruning.pages.minBytes": "0"}),
        ThreadPoolExecutor(READERS + 2) as pool,
    ):
        work: list[Any] = [pool.submit(write_on, seed) for seed in range(2)]
        work += [pool.submit(read_on, seed) for seed in range(READERS)]
        for each in work:
            each.result()
    # Which error plain Spark gives is its own affair.
    ours = [error for error in answers.errors if "LimitPrunedScanExec" in error]
    bare = [error[:2000] for error in ours if "REFRESH TABLE" not in error.split("\tat ")[0]]
    assert not bare, bare[:3]
    assert all("/t/" in error for error in answers.errors), "each names the file"
    assert all(moving.writes[kind] > 3 for kind in ("added", "replaced", "deleted"))
    assert answers.counts["covered"] > answers.counts["errors"], answers.counts
    assert answers.counts["left alone"] > 0, answers.counts
    assert_nothing_left(spark, tmp_path)
