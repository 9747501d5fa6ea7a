"""Draws tables, queries and changes at some places, and checks them all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_profiles
from support.random_plans import batches, cases, conditions, shapes, specs
from support.random_plans.changes import ALL, OFTEN
from support.random_plans.inner_shapes import INNER
from support.random_plans.places import PLACES
from support.random_plans.queries import queries
from support.random_plans.tally import Tally
from support.random_plans.window_shapes import WINDOWS
from support.runs import THREADS


def check(
    spark: SparkSession,
    places: Sequence[str],
    tables: int,
    changes: int,
    inner: Sequence[str] = (),
    windows: Sequence[str] = (),
) -> Tally:
    """Try so many tables at each place, and so many times four changes; or as long as there is.

    Inner shapes and windows are tried last, over one table at each of their places.
    """
    tally = Tally()
    if random_profiles.MINUTES:
        random_profiles.run(50, partial(check_one, spark, places, inner, windows, tally))
    else:
        # Each place has one way to partition and some changes, so that all of them are drawn.
        for start, place in enumerate(places):
            ways = PLACES[place][1]
            way = [ways[start % len(ways)]]
            due = list(ALL)[start :: len(places)]
            still = partial(_still, spark, tally, place, partitions=way)
            random_profiles.run(tables, still, start)
            random_profiles.run(changes, partial(_changing, spark, tally, place, due=due), start)
        for start, place in enumerate(inner):
            within = partial(_inner, spark, tally, place)
            random_profiles.run(2, within, start)  # the first keeps no query
        for start, place in enumerate(windows):
            random_profiles.run(2, partial(_windows, spark, tally, place), start)
    print(tally)
    return tally


def check_one(
    spark: SparkSession,
    places: Sequence[str],
    inner: Sequence[str],
    windows: Sequence[str],
    tally: Tally,
    data: st.DataObject,
) -> None:
    """Draw one table with its queries, or four tables that change, and check them."""
    parts = [(_still, places), (_changing, places), (_inner, inner), (_windows, windows)]
    parts = [(part, its_places) for part, its_places in parts if its_places]
    part, its_places = data.draw(st.sampled_from(parts))
    part(spark, tally, data.draw(st.sampled_from(its_places)), data)


def _still(
    spark: SparkSession,
    tally: Tally,
    place: str,
    data: st.DataObject,
    partitions: Sequence[str] = (),
) -> None:
    spec = data.draw(specs.specs(place, partitions or PLACES[place][1]))
    names = shapes.possible(shapes.PLAIN, place, bool(spec.partition_columns))
    drawn = [data.draw(queries(spec, name)) for name in names if _kept(data)]
    batches.check(spark, spec, drawn, tally)


def _inner(spark: SparkSession, tally: Tally, place: str, data: st.DataObject) -> None:
    spec = data.draw(specs.specs(place, PLACES[place][1]))
    names = shapes.possible(INNER, place, bool(spec.partition_columns))
    if place == "variants":
        kinds = (*conditions.OF_VARIANTS, *conditions.OF_VARIANTS, "none")
    else:
        kinds = conditions.PROVABLE * 2 + tuple(conditions.KINDS)
    drawn = [data.draw(queries(spec, name, kinds)) for name in names if _kept(data)]
    batches.check(spark, spec, drawn, tally)


def _windows(spark: SparkSession, tally: Tally, place: str, data: st.DataObject) -> None:
    spec = data.draw(specs.specs(place, PLACES[place][1]))
    # No rows are searched for by conditions with subqueries.
    kinds = ("data", "none", "partition and data") * 5 + tuple(conditions.KINDS)
    drawn = [data.draw(queries(spec, name, kinds)) for name in WINDOWS if _kept(data)]
    batches.check(spark, spec, drawn, tally)


def _changing(
    spark: SparkSession,
    tally: Tally,
    place: str,
    data: st.DataObject,
    due: Sequence[str] = (),
) -> None:
    firsts = [[change] for change in due[: THREADS - 1]]
    firsts += [[*ALL, *OFTEN]] * (THREADS - len(firsts))
    drawn = [data.draw(cases.cases(place, first)) for first in firsts if _kept(data)]
    cases.check(spark, drawn, tally)


def _kept(data: st.DataObject) -> bool:
    """Draw whether to keep a query: mostly so, yet shrinking can leave it out."""
    return data.draw(st.integers(0, 24)) > 0
