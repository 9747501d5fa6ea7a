"""Whatever the metadata of a file says, a LIMIT returns rows that plain Spark returns, as many.

What plain Spark returns is read with its own filter pushdown, which skips row groups and pages by
the same metadata: a row that it does not return need not be returned, and none but those may be.
"""

from __future__ import annotations

import io
import itertools
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.files.lies import (
    LIES,
    LISTED,
    OF_ANY_WRITER,
    OF_LOCATIONS,
    UNLISTED,
    Claimable,
    LyingFile,
    int96,
    plain,
)
from support.runs import ENABLED, INTERPRETED, conf, in_threads
from support.sparks import ANY_DATE

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

FILES_PER_QUERY, QUERIES = 4, 780
BY_METADATA = 380  # of these queries; the others are searched by rows, too
SEEDS = int(os.environ.get("LIES_SEEDS", "1"))
ROWS, GROUPS, PAGE = 24, 2, 4
SETTINGS = ANY_DATE | INTERPRETED | {"spark.limitPruning.pages.minBytes": "0"}
# Batches of the vectorized reader need compiled code.
BY_ROWS = {"spark.limitPruning.rows.minBytes": "0", "spark.sql.codegen.wholeStage": "true"}

INTS = list(range(0, 60, 3))
TEXTS = ["", *(f"k{i:02}" for i in range(18)), "\uff01", "\U0001f600"]
DOUBLES = [i / 4 for i in range(-8, 12)]
MONEY = [Decimal(i) / 4 for i in range(-8, 12)]
DAYS = [date(2024, 1, 1) + timedelta(days=i) for i in range(20)]
TIMES = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(20)]
COLUMNS = [
    Claimable("i", INTS),
    Claimable("s", TEXTS),
    Claimable("d", DOUBLES),
    Claimable("m", MONEY),
    Claimable("day", DAYS),
    Claimable("ts", TIMES),
]
DDL = "id bigint, i int, s string, d double, m decimal(9, 2), day date, ts timestamp"
NAMES = ["id", *(column.name for column in COLUMNS)]
PREDICATES = [
    "i >= 30",
    "i < 21",
    "i <> 9",
    "i IN (3, 6, 9, 12)",
    "i IS NULL",
    "i IS NOT NULL",
    "s >= 'k05'",
    "s < 'k09'",
    "s < 'a'",
    "s = ''",
    "s LIKE 'k0%'",
    "s NOT LIKE 'k%'",
    "s <> 'k03'",
    "s <= '\uff01'",
    "s IS NULL",
    "s IS NOT NULL",
    "nullif(s, 'k04') IS NULL",
    "d >= 0.25",
    "d < 1.0 AND i >= 15",
    "m > 0.5",
    "m <= 1.25",
    "day >= DATE '2024-01-08'",
    "month(day) = 1",
    "ts >= TIMESTAMP '2023-01-01 00:00:00'",
    "ts >= TIMESTAMP '2024-01-05 00:00:00'",
    "ts < TIMESTAMP '2024-01-12 00:00:00' OR s = 'k01'",
    "true",
]


def _column(draw: Random, column: Claimable, nulls: float) -> list[Any]:
    """Return values that are clustered by row group, so that much is decided by true metadata."""
    each, values = ROWS // GROUPS, []
    for _ in range(GROUPS):
        start = draw.randrange(len(column.values))
        near = column.values[start : start + draw.choice([1, 4, 12])]
        values += [None if draw.random() < nulls else draw.choice(near) for _ in range(each)]
    return values


def _base(draw: Random) -> bytes:
    """Return a file whose metadata is right."""
    nulls = draw.choice([0, 0, 0.3])
    data = {column.name: _column(draw, column, nulls) for column in COLUMNS}
    types = [pa.int32(), pa.string(), pa.float64(), pa.decimal128(9, 2), pa.date32()]
    arrays = {name: pa.array(data[name], kind) for name, kind in zip(data, types, strict=False)}
    arrays["ts"] = pa.array(data["ts"], pa.timestamp("us"))
    out = io.BytesIO()
    pq.write_table(
        pa.table({"id": pa.array(range(ROWS), pa.int64()), **arrays}),
        out,
        row_group_size=ROWS // GROUPS,
        data_page_size=1,
        write_batch_size=PAGE,
        use_dictionary=draw.choice([True, False, ["s", "i"]]),
        dictionary_pagesize_limit=draw.choice([1, 16, 1 << 20]),
        write_page_index=draw.random() < 0.7,
        use_deprecated_int96_timestamps=True,
        compression="none",
        store_schema=False,
    )
    return out.getvalue()


BASES = 60
AFTER = ["ts >= TIMESTAMP '2023-01-01 00:00:00'", "ts >= TIMESTAMP '2024-01-05 00:00:00'"]
EPOCH, AROUND = 2_440_588, 213_503_983  # a Julian day; days in 2 ** 64 microseconds


def _lying(
    draw: Random, bases: list[bytes], focus: Claimable, writers: Sequence[str], by_rows: bool
) -> bytes:
    """Return a file that lies, mostly about one column."""
    file = LyingFile(draw.choice(bases))
    file.set_writer(draw.choice(writers))
    if draw.random() < 0.5:
        file.set_order_of_time(leaf=6)
    kinds = LIES if draw.random() < 0.9 else LIES | OF_LOCATIONS
    if draw.random() < 0.3:
        file.set_writer(draw.choice(LISTED))
        # By rows, more is found than what plain Spark finds by a wrong index of a listed writer.
        is_text = focus.name == "s" and draw.random() < 0.5 and not by_rows
        kinds = OF_ANY_WRITER if is_text else OF_LOCATIONS
    for _ in range(draw.choice([1, 2, 8])):
        column = focus if draw.random() < 0.7 else draw.choice(COLUMNS)
        lie = kinds[draw.choice(list(kinds))]
        for chunk in file.chunks(column.name):
            if draw.random() < 0.8:
                lie(draw, column, chunk)
    return file.bytes()


def _far_days(draw: Random, bases: list[bytes]) -> bytes:
    """Return a file of a listed writer with days that Spark's readers wrap around, and says so."""
    data = draw.choice(bases)
    # Most are read as times before 1900; the last one is read as a time after 2024 again.
    days = sorted(draw.sample(range(106_751_992, 213_000_000), 2))
    days = [EPOCH + day for day in (*days, AROUND + draw.randrange(20_000, 100_000))]
    for day, far in zip(draw.sample(TIMES, 3), days, strict=True):
        data = data.replace(plain(day), int96(far))  # also the dictionary's values
    file = LyingFile(data)
    file.set_writer(draw.choice(LISTED))
    file.set_order_of_time(leaf=6)
    true = pq.ParquetFile(io.BytesIO(data))
    for number, chunk in enumerate(file.chunks("ts")):
        chunk.null_count(true.read_row_group(number, ["ts"]).column("ts").null_count)
        chunk.bounds(plain(TIMES[0]), int96(days[-1]))
    return file.bytes()


@dataclass(frozen=True)
class Query:
    """One query over a few files, and what is due."""

    paths: tuple[str, ...]
    predicate: str
    shape: str
    limit: int
    key: str
    descending: bool

    def run(self, spark: SparkSession, due: Counter[Any]) -> str | None:
        """Return what is wrong with the answer; none if nothing is."""
        df = spark.read.schema(DDL).parquet(*self.paths).where(self.predicate)
        total = due.total()
        rows = min(self.limit, total)
        try:
            problem: str | None = getattr(self, f"_{self.shape}")(df, due, rows)
        except Exception as error:  # noqa: BLE001 -- plain Spark has answered
            return f"failed: {str(error)[:500]}"
        return problem

    def outcome(self, spark: SparkSession) -> str:
        """Return why the LIMIT over these files is not pruned; "covered" if it is."""
        df = spark.read.schema(DDL).parquet(*self.paths).where(self.predicate).limit(self.limit)
        limits = limit_pruning.report(df).limits
        return limits[0].reason.code if limits and limits[0].reason else "covered"

    def _any(self, df: DataFrame, due: Counter[Any], rows: int) -> str | None:
        found = Counter(_rows(df.limit(self.limit)))
        return None if found.total() == rows and found <= due else f"{found - due} of {found}"

    def _top(self, df: DataFrame, due: Counter[Any], rows: int) -> str | None:
        key = df[self.key].desc_nulls_last() if self.descending else df[self.key].asc_nulls_first()
        found = _rows(df.orderBy(key).limit(self.limit))
        position = NAMES.index(self.key)
        in_order = sorted(
            (row[position] for row in due.elements()),
            key=lambda value: (value is not None, 0 if value is None else value),
            reverse=self.descending,
        )
        keys = [row[position] for row in found]
        is_right = keys == in_order[:rows] and Counter(found) <= due
        return None if is_right else f"{keys}, not {in_order[:rows]}"

    def _distinct(self, df: DataFrame, due: Counter[Any], _count: int) -> str | None:
        keys = {row[NAMES.index(self.key)] for row in due}
        found = df.select(self.key).distinct().limit(self.limit).selectExpr(_readable(self.key))
        values = [row[0] for row in found.collect()]
        is_right = len(values) == min(self.limit, len(keys)) and set(values) <= keys
        return None if is_right and len(set(values)) == len(values) else f"{values}, not {keys}"

    def _count(self, df: DataFrame, _due: Counter[Any], rows: int) -> str | None:
        found = df.limit(self.limit).count()
        return None if found == rows else f"{found} rows, not {rows}"

    def _subquery(self, df: DataFrame, due: Counter[Any], rows: int) -> str | None:
        wanted = [_readable(f"max({self.key})"), "count(*)"]
        best, count = df.limit(self.limit).selectExpr(*wanted).collect()[0]
        keys = {row[NAMES.index(self.key)] for row in due} | {None}
        return None if count == rows and best in keys else f"{best} of {count}, not of {keys}"


def _readable(column: str) -> str:
    """Return an expression for a column whose instants Python may be unable to hold."""
    return f"unix_micros({column})" if "ts" in column else column


def _rows(df: DataFrame) -> list[Any]:
    return [tuple(row) for row in df.selectExpr(*map(_readable, NAMES)).collect()]


def _draw_query(
    draw: Random, paths: tuple[str, ...], focus: Claimable, predicates: Sequence[str] = ()
) -> Query:
    about = predicates or [p for p in PREDICATES if re.search(rf"\b{focus.name}\b", p)]
    return Query(
        paths,
        draw.choice(about if predicates or draw.random() < 0.8 else PREDICATES),
        draw.choice(["any", "any", "any", "top", "distinct", "count", "subquery"]),
        draw.choice([1, 3, 7, 12, 24, 48, 96]),
        focus.name if draw.random() < 0.7 else draw.choice(COLUMNS).name,
        draw.random() < 0.5,
    )


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_lies(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    bases = [_base(draw) for _ in range(BASES)]
    queries: list[Query] = []
    lying = 0
    for number in range(QUERIES):
        paths = []
        focus = draw.choice(COLUMNS)
        is_far = focus.name == "ts" and draw.random() < 0.3
        # Most tables have one writer, or one besides those that are listed.
        writers = [draw.choice(UNLISTED)] if draw.random() < 0.8 else UNLISTED
        for name in range(FILES_PER_QUERY):
            path = tmp_path / f"{number}-{name}.parquet"
            data = (
                _far_days(draw, bases)
                if is_far
                else _lying(draw, bases, focus, writers, by_rows=number >= BY_METADATA)
            )
            lying += not any(listed.encode() in data for listed in LISTED)
            path.write_bytes(data)
            paths.append(str(path))
        queries.append(_draw_query(draw, tuple(paths), focus, AFTER if is_far else ()))
    with conf(spark, SETTINGS):
        with conf(spark, {ENABLED: "false"}):
            due = _due(spark, queries)
        first, rest = queries[:BY_METADATA], queries[BY_METADATA:]
        wrong = in_threads(lambda query: query.run(spark, due[query.paths]), first)
        with conf(spark, BY_ROWS):
            wrong += in_threads(lambda query: query.run(spark, due[query.paths]), rest)
            right = tmp_path / "right.parquet"
            right.write_bytes(bases[0])
            by_rows = limit_pruning.report(
                spark.read.schema(DDL).parquet(str(right)).where("hash(id, i, s, d) > 0").limit(1)
            )
        outcomes = Counter(query.outcome(spark) for query in queries[::10])
    assert lying >= 2000
    assert outcomes["covered"] >= 5, outcomes
    assert outcomes["writer-not-listed"] >= 10, outcomes
    assert [limit.reason and limit.reason.code for limit in by_rows.limits] == ["decided-by-rows"]
    failures = [
        f"at query {number}: {query}\n  {problem}"
        for number, (query, problem) in enumerate(zip(queries, wrong, strict=True), 1)
        if problem is not None
    ]
    assert not failures, f"{len(failures)} of {len(queries)}:\n" + "\n".join(failures[:5])


def _due(spark: SparkSession, queries: list[Query]) -> dict[tuple[str, ...], Counter[Any]]:
    """Return the rows that plain Spark returns for each query without its LIMIT."""
    by_predicate = itertools.groupby(sorted(queries, key=_predicate), key=_predicate)
    same = [(predicate, list(group)) for predicate, group in by_predicate]

    def run(one: tuple[str, list[Query]]) -> dict[tuple[str, ...], Counter[Any]]:
        predicate, group = one
        files = spark.read.schema(DDL).parquet(*(path for query in group for path in query.paths))
        rows = (
            files.where(predicate)
            .selectExpr(*map(_readable, NAMES), "_metadata.file_name")
            .collect()
        )
        of_file: dict[str, Counter[Any]] = {}
        for row in rows:
            of_file.setdefault(row[-1], Counter())[tuple(row)[:-1]] += 1
        return {
            query.paths: sum((of_file.get(Path(p).name, Counter()) for p in query.paths), Counter())
            for query in group
        }

    found: dict[tuple[str, ...], Counter[Any]] = {}
    for part in in_threads(run, same):
        found |= part
    return found


def _predicate(query: Query) -> str:
    return query.predicate
