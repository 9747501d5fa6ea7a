"""Measures planning and the time to the first rows, with and without the extension, in turns."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import limit_pruning
from benchmarks.scale import tables
from benchmarks.scale.session import Cost, SlowSpark

LIMIT = 10
PREDICATES = {
    "covered": tables.COVERED,
    "not provable": tables.UNPROVABLE,
    "nowhere": tables.ABSENT,
}


@dataclass(frozen=True)
class Side:
    """The cost of a query, with or without the extension.

    Attributes:
        planning: The steps up to the physical plan.
        first_rows: Planning and running the query; None if every file would have to be read.
        heap: Bytes by which the heap grew while the plan was referenced.
        decision: The decision of the extension; empty without it.
    """

    planning: Cost
    first_rows: Cost | None
    heap: int
    decision: str


@dataclass(frozen=True)
class Measured:
    """One query over one table at one latency; the listing of the table is separate."""

    table: str
    size: int
    query: str
    latency: int
    listing: Cost
    ours: Side
    plain: Side


def measure(
    spark: SlowSpark, name: str, size: int, folder: Path, latencies: tuple[int, ...], runs: int
) -> list[Measured]:
    """Measure every query over a table, which is listed once, without latency."""
    found = []
    listing = spark.table("t", folder)
    for latency in latencies:
        for query, predicate in PREDICATES.items():
            sql = f"SELECT * FROM t WHERE {predicate} LIMIT {LIMIT}"
            with spark.latency(latency):
                reads_all = query == "nowhere"
                sides = [_side(spark, sql, enabled, reads_all, runs) for enabled in (False, True)]
            found.append(Measured(name, size, query, latency, listing, sides[1], sides[0]))
            _progress(found[-1])
    return found


def _side(spark: SlowSpark, sql: str, enabled: bool, reads_all: bool, runs: int) -> Side:
    before = spark.heap()
    df = spark.plan(sql, enabled)
    heap = spark.heap() - before
    decision = ""
    if enabled:
        report = limit_pruning.report(df).only
        decision = "covered" if report.covered else report.reason.code if report.reason else ""
    del df
    planning = [spark.cost(lambda: spark.plan(sql, enabled)) for _ in range(runs)]
    if reads_all:
        return Side(_median(planning), None, heap, decision)
    first_rows = [spark.cost(lambda: spark.plan(sql, enabled).collect()) for _ in range(runs)]
    return Side(_median(planning), _median(first_rows), heap, decision)


def _median(costs: list[Cost]) -> Cost:
    middle = statistics.median_low(cost.seconds for cost in costs)
    return next(cost for cost in costs if cost.seconds == middle)


def _progress(measured: Measured) -> None:
    ours, plain = measured.ours.planning.seconds, measured.plain.planning.seconds
    print(
        f"{measured.table} {measured.size}, {measured.query}, {measured.latency} ms: planned in "
        f"{ours * 1e3:.0f} ms, plain Spark in {plain * 1e3:.0f} ms ({measured.ours.decision})",
        file=sys.stderr,
        flush=True,
    )
