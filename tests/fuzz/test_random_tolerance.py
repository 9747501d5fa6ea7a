"""Whatever is missing or corrupt: rows of the table, and as many as plain Spark still finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support import random_profiles
from support.random_tables import settings as random_settings
from support.random_tables.queries import Query, random_queries
from support.random_tables.table import random_tables
from support.runs import conf, in_threads, planned

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

TABLES, QUERIES_PER_TABLE = 40, 12
SETTING = "spark.sql.files.{}"
TOLERANCES: list[tuple[str, ...]] = [("ignoreMissingFiles", "ignoreCorruptFiles")] * 2
TOLERANCES += [("ignoreMissingFiles",), ("ignoreCorruptFiles",)]
# Batches of few rows: some of them come before a corrupt page.
BATCHES = {"spark.sql.parquet.columnarReaderBatchSize": "2"}


@dataclass(frozen=True)
class Damage:
    """What happens to one file.

    Attributes:
        kind: How the file is damaged.
        at: Where, from 0 to 1, if a part of it is overwritten or cut off.
        is_early: Whether this happens before planning, and not between planning and running.
    """

    kind: str
    at: float
    is_early: bool

    def apply(self, file: Path) -> None:
        """Delete the file, cut its end off, or overwrite a part of a page, but not the footer."""
        data = file.read_bytes()
        match self.kind:
            case "delete":
                file.unlink()
            case "cut":
                file.write_bytes(data[: int(len(data) * self.at)])
            case "overwrite":
                end = len(data) - pq.read_metadata(file).serialized_size - 8
                start = 4 + int((end - 4) * self.at)
                length = min(40, end - start)
                # Not zeros: they are runs without values, of which Spark's vectorized reader
                # reads one after the other without end.
                file.write_bytes(data[:start] + b"\3" * length + data[start + length :])


KINDS = ["delete", "delete", "cut", "overwrite", "overwrite", "none", "none"]
damages = st.builds(
    Damage, st.sampled_from(KINDS), st.floats(0, 0.999), st.sampled_from([False, False, True])
)


def test_random_damage(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables(most_files=6))
        settings = data.draw(random_settings.settings())
        queries = data.draw(random_queries(table, QUERIES_PER_TABLE))
        tolerance = data.draw(st.sampled_from(TOLERANCES))
        are_options = data.draw(st.booleans())
        switched_on = {} if are_options else {SETTING.format(name): "true" for name in tolerance}
        with TemporaryDirectory() as folder:
            table.register(spark, Path(folder))
            path = Path(folder) / ("rewritten" if table.spark else "written")
            files = sorted(path.rglob("*.parquet"))
            planned_damage = [(file, data.draw(damages)) for file in files]

            with conf(spark, settings | BATCHES | switched_on):
                options = dict.fromkeys(tolerance, "true") if are_options else {}
                frame = spark.read.options(**options).schema(table.ddl).parquet(str(path))
                frame.createOrReplaceTempView("t")
                whole = in_threads(lambda query: _all_rows(spark, query), queries)
                pairs = [
                    (q, rows) for q, rows in zip(queries, whole, strict=True) if rows is not None
                ]
                _damage(planned_damage, is_early=True)
                pruned = [planned(spark.sql(query.sql(rows.total()))) for query, rows in pairs]
                _damage(planned_damage, is_early=False)
                left = in_threads(lambda pair: _all_rows(spark, pair[0]), pairs)
                found = in_threads(_rows, pruned)
                for (query, all_), df, plain, ours in zip(pairs, pruned, left, found, strict=True):
                    problem = _problem(query, all_, plain, ours)
                    where = f"{query.sql(all_.total())}\n{settings}\n{tolerance}\n{planned_damage}"
                    assert not problem, (
                        f"at query {tally['queries'] + 1}: {problem}: {where}\n{table}"
                    )
                    _count(tally, plain, df)

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["with a reserve"] >= 0.2 * tally["queries"]
    assert tally["short of rows without its reserve"] >= 10


def _damage(planned_damage: list[tuple[Path, Damage]], *, is_early: bool) -> None:
    for file, damage in planned_damage:
        if damage.is_early == is_early:
            damage.apply(file)


def _all_rows(spark: SparkSession, query: Query) -> Counter[Any] | None:
    """Return what plain Spark returns without the LIMIT; None if it fails."""
    names = ", ".join(f"`{name}`" for name in query.columns)
    where = f" WHERE {query.predicate.sql}" if query.predicate else ""
    return _rows(spark.sql(f"SELECT {names} FROM t{where}"))


def _rows(df: DataFrame) -> Counter[Any] | None:
    try:
        return Counter(map(repr, df.collect()))
    except (PySparkException, Py4JJavaError):
        return None


def _problem(
    query: Query, all_: Counter[Any], plain: Counter[Any] | None, ours: Counter[Any] | None
) -> str:
    """Return what is wrong with an answer, or ''.

    All rows are those before the damage. A corrupt page may give values that no file had, so those
    of plain Spark are right, too.
    """
    if ours is None:
        return "" if plain is None else "it fails, but plain Spark does not"
    most = query.rows_asked(all_.total())
    least = max(0, min(most, (plain or Counter()).total() - query.offset))
    if query.shape == "count":
        number = int(next(iter(ours)).removeprefix("Row(n=").removesuffix(")"))
        return "" if least <= number <= most else f"{number} rows, not {least} to {most}"
    if ours - (all_ | (plain or Counter())):
        return "rows that do not match, or are not in the table"
    number = ours.total()
    return "" if least <= number <= most else f"{number} rows, not {least} to {most}"


def _count(tally: Counter[str], plain: Counter[Any] | None, df: DataFrame) -> None:
    tally["queries"] += 1
    tally["fails in plain Spark"] += plain is None
    plan = df._jdf.queryExecution().executedPlan()
    if "Reserve: " in plan.toString():
        tally["with a reserve"] += 1
        tally["short of rows without its reserve"] += _reserve_read(plan) > 0


def _reserve_read(plan: Any) -> int:
    """Return how many parts of the reserve a scan below a plan has read."""
    found = 0
    nodes = [plan]
    while nodes:
        node = nodes.pop()
        if node.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
            nodes.append(node.executedPlan())
        metric = node.metrics().get("reserveRead")
        if metric.isDefined():
            found += metric.get().value()
        children = node.children()
        nodes += [children.apply(i) for i in range(children.size())]
    return found
