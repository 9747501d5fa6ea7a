"""Some of the queries on an object store: plain Spark and ours, in one session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.pairs.tables import WEB_SPARK
from benchmarks.rows.queries import RowsQuery
from benchmarks.run import WrongAnswerError
from benchmarks.s3.measure import Measured, median, progress
from benchmarks.s3.session import Run, StoreSpark, started

NAMES = tuple(
    f"{WEB_SPARK.name}, {name}"
    for name in ("1 %, collect", "1 %, toPandas", "no match, toPandas", "one user", "1 % by time")
)
"""The queries; all are over one table."""


def measure_all(data: Path, queries: Sequence[RowsQuery], runs: int) -> list[Measured]:
    """Return the medians of those of the queries that are run on the store.

    Raises:
        WrongAnswerError: Plain Spark and ours returned other numbers of rows.
    """
    chosen = [query for query in queries if query.name in NAMES]
    if not chosen:
        return []
    with started(data, data / "scratch" / "s3", WEB_SPARK.name) as spark:
        return [measure(spark, query, runs) for query in chosen]


def measure(spark: StoreSpark, query: RowsQuery, runs: int) -> Measured:
    """Return the medians of a query; every second run of ours begins without cached footers."""
    plain: list[Run] = []
    ours: list[Run] = []
    for run in range(2 * runs):
        asked = replace(query, run=run + 10)
        if run % 2 == 0:
            spark.forget()
        plain.append(spark.run(asked, False))
        ours.append(spark.run(asked, True))
    if [run.rows for run in plain] != [run.rows for run in ours]:
        raise WrongAnswerError(f"{query.name}: other numbers of rows on the object store")
    # The first two do not count.
    measured = Measured(query, median(plain[2:]), median(ours[2::2]), median(ours[3::2]), runs - 1)
    progress(measured)
    return measured
