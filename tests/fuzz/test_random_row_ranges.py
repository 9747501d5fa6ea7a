"""Whatever rows of pages are read, in whatever encoding: each row has its own values.

Rows come from proofs by pages, from thresholds of ORDER BY, from the filters of Spark's own reader,
and from a LIMIT that ends inside a page; mostly from several of these at the same time.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support import random_profiles
from support.encoded_files import (
    KINDS,
    LARGE_PAGES,
    PADDING,
    ROWS,
    SMALL_PAGES,
    WITHOUT_BYTE_STREAMS,
    Cell,
)
from support.runs import ENABLED, ROW_BY_ROW, VECTORIZED, conf, in_threads
from support.sparks import QUERY_ERRORS

pytestmark = [
    pytest.mark.random,
    pytest.mark.slow,
    pytest.mark.usefixtures("quiet", "planned_at_root"),
]

TABLES, QUERIES = 10, 12
COLUMNS = 10
JSON = "to_json(struct(*), map('ignoreNullFields', 'false'))"
ENCODINGS_OF_ROW = ["PLAIN", "DELTA_BINARY_PACKED", "DICTIONARY"]
ENCODINGS_OF_KEYS = ["PLAIN", "PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"]
# Skipping is what is tested, so most columns have an encoding in which it can go wrong.
ENCODINGS = ["DELTA_BINARY_PACKED"] * 4 + ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"] * 2
ENCODINGS += list(WITHOUT_BYTE_STREAMS)
# A page ends after some rows or bytes, whatever comes first. Keys are long, so that their pages are
# shorter than those of other columns: ranges begin and end inside of these.
PAGES = st.tuples(
    st.sampled_from([SMALL_PAGES, SMALL_PAGES, 400, LARGE_PAGES]), st.sampled_from([30, 591, 591])
)


@dataclass(frozen=True)
class Encoded:
    """A file with rows of its own: the number of each row, two keys, and columns in encodings.

    Attributes:
        keys: The values of the keys, by row; they are clustered in some way.
        encodings: The encoding of each column, by its path.
        cells: The columns, of which each row has a value of its own.
    """

    keys: tuple[tuple[int, ...], tuple[int, ...]]
    encodings: dict[str, str]
    cells: tuple[Cell, ...]
    version: int
    page: tuple[int, int]
    row_group: int

    def write(self, path: Path) -> None:
        """Write the file."""
        first, second = self.keys
        fields = [
            pa.field("row", pa.int32(), nullable=False),
            pa.field("k", pa.string()),
            pa.field("s", pa.string()),
        ]
        arrays = [
            pa.array(range(ROWS), pa.int32()),
            pa.array([_text(value) for value in first]),
            pa.array([_text(value) for value in second]),
        ]
        for cell in self.cells:
            arrays.append(cell.values())
            fields.append(pa.field(cell.name, arrays[-1].type, nullable=cell.nulls != "required"))
        dictionaries = [at for at, name in self.encodings.items() if name == "DICTIONARY"]
        dictionaries += [cell.path for cell in self.cells if cell.has_dictionary]
        size, rows = self.page
        pq.write_table(
            pa.table(arrays, pa.schema(fields)),
            path,
            data_page_version=f"{self.version}.0",
            use_dictionary=dictionaries,
            column_encoding={
                at: name for at, name in self.encodings.items() if at not in dictionaries
            },
            write_page_index=True,
            row_group_size=self.row_group,
            max_rows_per_page=rows,
            data_page_size=size,
            write_batch_size=1,
        )


def _text(value: int) -> str:
    return f"{value:05d}{PADDING}"


@st.composite
def keys(draw: st.DrawFn) -> tuple[int, ...]:
    """Values in blocks of rows, ascending or not, of few values or of one for each row."""
    length = draw(st.sampled_from([40, 70, 111, 300]))
    blocks = list(range(-(-ROWS // length)))
    order = draw(st.sampled_from([blocks, draw(st.permutations(blocks))]))
    within = draw(st.sampled_from([1, 10, length]))
    return tuple(order[row // length] * 100 + row % length // within for row in range(ROWS))


@st.composite
def encoded(draw: st.DrawFn) -> Encoded:
    page = draw(PAGES)
    cells = set()
    for _ in range(COLUMNS):
        encoding = draw(st.sampled_from(ENCODINGS))
        kind = draw(st.sampled_from(WITHOUT_BYTE_STREAMS[encoding]))
        cell = Cell(encoding, kind, *draw(st.sampled_from(KINDS)))
        # pyarrow writes a page without rows if it compares the size of a page after each row.
        if not (cell.is_repeated and encoding != "PLAIN"):
            cells.add(cell)
    chosen = tuple(sorted(cells, key=lambda cell: cell.name))
    of_keys = {
        "row": draw(st.sampled_from(ENCODINGS_OF_ROW)),
        "k": draw(st.sampled_from(ENCODINGS_OF_KEYS)),
        "s": draw(st.sampled_from(ENCODINGS_OF_KEYS)),
    }
    return Encoded(
        (draw(keys()), draw(keys())),
        of_keys | {cell.path: cell.encoding for cell in chosen},
        chosen,
        draw(st.sampled_from([1, 2])),
        page,
        draw(st.sampled_from([ROWS, ROWS, 200])),
    )


@dataclass(frozen=True)
class Query:
    """Some rows, all of them or the first in an order."""

    predicate: str
    order: tuple[tuple[str, bool], ...]
    limit: int

    def sql(self, view: str) -> str:
        """Return the query for whole rows."""
        by = [f"{key} {'DESC' if down else 'ASC'}" for key, down in self.order]
        order = f" ORDER BY {', '.join(by)}" if by else ""
        query = f"SELECT * FROM {view} WHERE {self.predicate}{order} LIMIT {self.limit}"
        return f"SELECT row, {JSON} AS json FROM ({query})"

    def problem(self, found: list[Any], own: dict[int, Any], matching: set[int]) -> str | None:
        """Return what is wrong with the rows; none if nothing is."""
        numbers = [row.row for row in found]
        if len(set(numbers)) != min(self.limit, len(matching)) or len(set(numbers)) < len(numbers):
            return f"{len(numbers)} rows of {len(matching)}"
        if not set(numbers) <= matching:
            return f"rows that do not match: {set(numbers) - matching}"
        for row in found:
            if row.json != own[row.row].json:
                here, there = json.loads(row.json), json.loads(own[row.row].json)
                return f"row {row.row}: {[name for name in there if here.get(name) != there[name]]}"
        best = sorted(matching, key=lambda number: self._place(own[number]))
        places = [self._place(own[number]) for number in numbers]
        if self.order and places != [self._place(own[number]) for number in best[: self.limit]]:
            return f"other rows than the first: {numbers}"
        return None

    def _place(self, row: Any) -> list[int]:
        values = {"k": int(row.k[:5]), "s": int(row.s[:5]), "row": row.row}
        return [-values[key] if down else values[key] for key, down in self.order]


@st.composite
def queries(draw: st.DrawFn, file: Encoded) -> Query:
    many = draw(st.sampled_from([0, 1, 1, 1, 2]))
    conjuncts = draw(st.lists(conditions(file), min_size=many, max_size=many))
    names = draw(st.lists(st.sampled_from(["k", "s", "row"]), max_size=2, unique=True))
    order = tuple((name, draw(st.booleans())) for name in names)
    limit = draw(st.sampled_from([1, 2, 17, 50, 130, 250, 400]))
    return Query(" AND ".join(conjuncts) or "true", order, limit)


@st.composite
def conditions(draw: st.DrawFn, file: Encoded) -> str:
    """A condition on a key: ranges of its values, or one that no metadata decides."""
    key, of_key = draw(st.sampled_from(list(zip("ks", file.keys, strict=True))))
    values = st.sampled_from(sorted(set(of_key)))
    ends = sorted(draw(st.lists(values, min_size=2, max_size=8, unique=True)))

    ranges = [
        f"({key} >= '{_text(low)}' AND {key} < '{_text(high)}')"
        for low, high in zip(ends[::2], ends[1::2], strict=False)
    ]
    kind = draw(st.sampled_from(["in ranges"] * 3 + ["beside ranges", "from", "undecided"]))
    if kind == "in ranges":
        return f"({' OR '.join(ranges)})"
    if kind == "beside ranges":
        return f"NOT ({' OR '.join(ranges)})"
    if kind == "from":
        return f"{key} >= '{_text(ends[0])}'"
    return f"hash({key}) % 3 <> 0"


SETTINGS = st.fixed_dictionaries(
    {
        VECTORIZED: st.sampled_from(["true"] * 7 + ["false"]),
        "spark.sql.parquet.columnarReaderBatchSize": st.sampled_from(["4096", "64", "7"]),
        "spark.sql.parquet.filterPushdown": st.sampled_from(["true", "true", "false"]),
        # Any row group, however small, is read by pages.
        "spark.limitPruning.pages.minBytes": st.just("0"),
        "spark.limitPruning.planning.maxTime": st.just("1h"),
        "spark.sql.codegen.wholeStage": st.sampled_from(["false", "false", "true"]),
    }
)


def test_random_row_ranges(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        file, settings = data.draw(encoded()), data.draw(SETTINGS)
        drawn = [data.draw(queries(file)) for _ in range(QUERIES)]
        with TemporaryDirectory() as folder:
            file.write(Path(folder) / "0.parquet")
            spark.read.parquet(folder).createOrReplaceTempView("ranges")
            reference = _reference(spark, drawn)
            first = tally["queries"] + 1
            with conf(spark, settings):
                found = in_threads(lambda query: _run(spark, query, reference, tally), drawn)
            # Spark's own reader returns values of other rows, too, where its filters skip pages.
            by_spark = {run.query for run in found if run.problem and not run.is_narrowed(file)}
            with conf(spark, settings | {ENABLED: "false"}):
                wrong = {query for query in by_spark if _plain_problem(spark, query, reference)}
        tally["wrong in plain Spark, too"] += len(wrong)
        for number, run in enumerate(found, first):
            shown = f"{run.query.sql('ranges')}\n{settings}\n{file}"
            is_right = run.problem is None or run.query in wrong
            assert is_right, f"at query {number}: {run.problem}: {shown}\n{run.report}"

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    few = "else the property says nothing"
    for what, least in (("cut", 0.4), ("gaps", 0.05), ("ordered and cut", 0.1)):
        assert tally[what] >= least * tally["queries"], few


@dataclass(frozen=True)
class Reference:
    """The file's own rows by number, and the numbers of those that match each predicate."""

    own: dict[int, Any]
    matching: dict[str, set[int]]

    def problem(self, query: Query, found: list[Any]) -> str | None:
        """Return what is wrong with an answer; none if nothing is."""
        return query.problem(found, self.own, self.matching[query.predicate])


def _reference(spark: SparkSession, drawn: list[Query]) -> Reference:
    predicates = list(dict.fromkeys(query.predicate for query in drawn))
    marks = ", ".join(f"({predicate}) AS p{at}" for at, predicate in enumerate(predicates))
    with conf(spark, ROW_BY_ROW | {VECTORIZED: "false"}):
        rows = spark.sql(f"SELECT row, k, s, {JSON} AS json, {marks} FROM ranges").collect()
    assert len({row.row for row in rows}) == ROWS
    matching = {
        predicate: {row.row for row in rows if row[f"p{at}"]}
        for at, predicate in enumerate(predicates)
    }
    return Reference({row.row: row for row in rows}, matching)


@dataclass(frozen=True)
class Run:
    """A query that has run.

    Attributes:
        query: The query.
        report: What the extension did.
        problem: What is wrong with the answer; none if nothing is.
    """

    query: Query
    report: LimitReport
    problem: str | None

    def is_narrowed(self, file: Encoded) -> bool:
        """Return whether the extension has certainly chosen each row that is read."""
        is_proved = self.report.covered and not self.query.order
        return is_proved or bool(file.row_group == ROWS and self.report.rows.cut)


def _run(spark: SparkSession, query: Query, reference: Reference, tally: Counter[str]) -> Run:
    df = spark.sql(query.sql("ranges"))
    report = limit_pruning.report(df).only
    tally.update(["queries", *(["covered"] if report.covered else [])])
    if report.rows.cut:
        tally.update(["cut", *(["ordered and cut"] if query.order else [])])
        tally.update(["gaps"] if (report.rows.ranges or 0) > 1 else [])
    try:
        return Run(query, report, reference.problem(query, df.collect()))
    except Exception as error:  # noqa: BLE001 -- plain Spark has read all rows
        return Run(query, report, f"fails: {str(error)[:500]}")


def _plain_problem(spark: SparkSession, query: Query, reference: Reference) -> bool:
    try:
        return reference.problem(query, spark.sql(query.sql("ranges")).collect()) is not None
    except QUERY_ERRORS:
        return True
