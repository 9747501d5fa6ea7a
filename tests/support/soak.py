"""Queries without end over a table that keeps changing: answers stay right, and nothing grows.

Queries run beside each other: between changes (append, overwrite, delete, replace; each followed by
a refresh), or over a table with snapshots, beside a change. Run by `make soak MINUTES=n`; a few
seconds of it are a test.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql import SparkSession

import limit_pruning
from benchmarks import report
from support.runs import in_threads
from support.tables import write

Row = tuple[int, int | None, str]
Matches = Callable[[Row], bool]

SCHEMA = pa.schema([("id", pa.int64()), ("c", pa.int32()), ("s", pa.string())])
GROUPS, GROUP_ROWS, MOST_FILES, QUERIES = 3, 20, 40, 8
# What Spark keeps of queries that have ended would look like a leak.
KEEP_LITTLE = {
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "20",
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "20",
}
SPARKS_POOLS = ("block-manager-",)
# Those of adaptive execution: a thread for each exchange that runs at the same time, for a minute.
ADAPTIVE_POOLS = ("shuffle-exchang", "broadcast-excha", "QueryStageCreat", "ResultQueryStag")


def predicate(n: int) -> tuple[str, Matches]:
    """Draw a predicate as SQL and as what it means."""
    kinds: list[tuple[str, Matches]] = [
        ("TRUE", lambda _: True),
        (f"id >= {n}", lambda row: row[0] >= n),
        (f"id < {n} AND c IS NOT NULL", lambda row: row[0] < n and row[1] is not None),
        (f"c = {n % 7}", lambda row: row[1] == n % 7),
        (f"c IN (1, {n % 5}) OR id > {n}", lambda row: row[1] in (1, n % 5) or row[0] > n),
        (f"s LIKE 'k{n % 100:02}%'", lambda row: row[2].startswith(f"k{n % 100:02}")),
        ("upper(s) >= 'K5'", lambda row: row[2].upper() >= "K5"),
        ("id < 0", lambda _: False),
    ]
    return random.choice(kinds)


@dataclass(frozen=True)
class Use:
    """What the JVM uses: bytes of heap after a collection, threads, open files.

    Threads of Spark's pools are left out. Those of the block manager come up to two hundred,
    whatever runs.
    """

    heap: int
    threads: int
    files: int

    @staticmethod
    def of(spark: SparkSession, pools: tuple[str, ...]) -> Use:
        """Return it, as it is now, without threads whose names begin with one of `pools`."""
        jvm: Any = spark.sparkContext._jvm
        jvm.java.lang.System.gc()
        runtime = jvm.java.lang.Runtime.getRuntime()
        process = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}")
        used = int(runtime.totalMemory()) - int(runtime.freeMemory())
        if not process.exists():
            return Use(used, 0, 0)
        names = [name for name in map(_name, (process / "task").iterdir()) if name]
        own = [name for name in names if not name.startswith(pools)]
        return Use(used, len(own), len(list((process / "fd").iterdir())))


def _name(thread: Path) -> str:
    try:
        return (thread / "comm").read_text()
    except OSError:  # it has ended meanwhile
        return ""


class Changing(Protocol):
    """A table that keeps changing, and that knows its rows."""

    name: str
    has_snapshots: bool
    """Whether a query returns rows of one state, whatever changes meanwhile."""

    def change(self) -> str:
        """Change the table in some way, and return in which."""

    def rows(self) -> list[Row]:
        """Return all rows that there are."""


@dataclass
class ChangingTable:
    """A table on disk, with the rows of each of its files."""

    spark: SparkSession
    folder: Path
    files: dict[Path, list[Row]] = field(default_factory=dict)
    made: int = 0
    name: str = "soaked"
    has_snapshots: bool = False

    def change(self) -> str:
        """Change it in some way, and return in which."""
        files = list(self.files)
        kinds = ["append"] if len(files) < 4 else ["append", "overwrite", "delete", "replace"]
        kind = "delete" if len(files) >= MOST_FILES else random.choice(kinds)
        if kind == "overwrite":
            self._remove(files)
            for _ in range(4):
                self._write(self._new_path())
        elif kind == "delete":
            self._remove(random.sample(files, len(files) // 3))
        else:
            self._write(self._new_path() if kind == "append" else random.choice(files))
        if not files:
            frame = self.spark.read.schema("id BIGINT, c INT, s STRING").parquet(str(self.folder))
            frame.createOrReplaceTempView(self.name)
        self.spark.sql(f"REFRESH TABLE {self.name}")
        return kind

    def rows(self) -> list[Row]:
        """Return all rows that there are."""
        return [row for rows in self.files.values() for row in rows]

    def _new_path(self) -> Path:
        self.made += 1
        return self.folder / f"part-{self.made:06}.parquet"

    def _remove(self, files: list[Path]) -> None:
        for file in files:
            file.unlink()
            del self.files[file]

    def _write(self, file: Path) -> None:
        start, groups, rows = random.randrange(1000), [], []
        for _ in range(GROUPS):
            part: list[Row] = [
                (start + n, None if n % 9 == 8 else (start + n) % 7, f"k{(start + n) % 100:02}")
                for n in range(GROUP_ROWS)
            ]
            rows += part
            groups.append(dict(zip(SCHEMA.names, map(list, zip(*part, strict=True)), strict=True)))
            start += GROUP_ROWS
        write(file, groups, SCHEMA, write_page_index=True)
        self.files[file] = rows


@dataclass
class Tally:
    """What came to pass: counts by name, and what was used from time to time."""

    counts: Counter[str] = field(default_factory=Counter)
    uses: list[Use] = field(default_factory=list)

    def __str__(self) -> str:
        """Return a line for each."""
        counts = [f"{name}: {count}" for name, count in sorted(self.counts.items())]
        uses = [
            f"heap {use.heap / 1e6:.1f} MB, {use.threads} threads, {use.files} open files"
            for use in self.uses
        ]
        return "\n".join([*counts, *uses])

    def write(self, path: Path, minutes: float) -> None:
        """Write all of it, with the machine, as JSON."""
        uses = [asdict(use) for use in self.uses]
        results = {"counts": dict(sorted(self.counts.items())), "uses": uses}
        report.save(path, {"minutes": minutes}, results)


@dataclass(frozen=True)
class Query:
    """A query, and what its predicate means."""

    table: str
    where: str
    matches: Matches
    limit: int

    @property
    def sql(self) -> str:
        """The query."""
        return f"SELECT * FROM {self.table} WHERE {self.where} LIMIT {self.limit}"

    def problem(self, found: Counter[Row], rows: list[Row]) -> str | None:
        """Return what is wrong with an answer, if these are the rows of the table."""
        allowed = Counter(row for row in rows if self.matches(row))
        due = min(self.limit, allowed.total())
        if found.total() != due:
            return f"{found.total()} rows, not {due}"
        return "rows that do not match" if found - allowed else None


@dataclass(frozen=True)
class Answer:
    """The rows of a query, and how it was planned."""

    found: Counter[Row]
    reports: limit_pruning.PruningReport


def soak(
    spark: SparkSession,
    table: Changing,
    seconds: float,
    samples: int = 10,
    pools: tuple[str, ...] = SPARKS_POOLS,
) -> Tally:
    """Change and query for so long.

    Raises:
        AssertionError: An answer has the wrong number of rows, or a row that is not in the table.
    """
    tally = Tally()
    started = time.monotonic()
    while (spent := time.monotonic() - started) < seconds or not tally.uses:
        before = table.rows()
        queries = [
            Query(table.name, *predicate(random.randrange(1100)), random.randrange(1, 200))
            for _ in range(QUERIES)
        ]
        if table.has_snapshots:
            with ThreadPoolExecutor(1) as changer:
                changing = changer.submit(table.change)
                answers = in_threads(partial(_ask, spark), queries)
                kind = changing.result()
        else:
            kind, answers = table.change(), in_threads(partial(_ask, spark), queries)
        states = [before, table.rows()] if table.has_snapshots else [table.rows()]
        for query, answer in zip(queries, answers, strict=True):
            problems = [query.problem(answer.found, rows) for rows in states]
            assert not all(problems), f"{problems}: {query.sql}\n{answer.reports}"
            tally.counts["queries"] += 1
            tally.counts["covered"] += any(one.covered for one in answer.reports)
        tally.counts[f"changes, {kind}"] += 1
        tally.counts["rounds"] += 1
        if spent * samples >= seconds * len(tally.uses):
            tally.uses.append(Use.of(spark, pools))
    tally.uses.append(Use.of(spark, pools))
    return tally


def hold_level(tally: Tally) -> None:
    """Assert that neither threads nor open files grew; in a short run, the heap says nothing."""
    first, last = tally.uses[0], tally.uses[-1]
    assert last.threads - first.threads < 50, "threads live no longer than what they are for"
    assert last.files - first.files < 100, "files are closed"


def _ask(spark: SparkSession, query: Query) -> Answer:
    df = spark.sql(query.sql)
    found = Counter(tuple(row) for row in df.collect())
    return Answer(found, limit_pruning.report(df))


def main(minutes: float, results: Path) -> None:
    """Soak in a session that keeps little of what was run; print and write what came to pass."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    random.seed(1)
    builder = SparkSession.builder.master("local[2]")
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        **KEEP_LITTLE,
        "spark.limitPruning.failOnError": "true",
        "spark.limitPruning.pages.minBytes": "0",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = limit_pruning.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    limit_pruning.verify(spark)
    folder = Path(tempfile.mkdtemp())
    try:
        tally = soak(spark, ChangingTable(spark, folder), 60 * minutes)
        print(tally)
        tally.write(results, minutes)
    finally:
        spark.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]))
