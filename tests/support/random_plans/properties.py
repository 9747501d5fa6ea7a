"""Draws tables, queries and changes at some places, and checks them all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_profiles
from support.random_plans import batches, cases, shapes, specs
from support.random_plans.places import PLACES
from support.random_plans.queries import queries
from support.random_plans.tally import Tally
from support.runs import THREADS


def check(spark: SparkSession, places: Sequence[str], tables: int, changes: int) -> Tally:
    """Try so many tables at each place, and so many times four changes; or as long as there is."""
    tally = Tally()
    still = partial(_still, spark, tally)
    changing = partial(_changing, spark, tally)
    if random_profiles.MINUTES:
        any_place = st.sampled_from(places)

        def either(data: st.DataObject) -> None:
            (still if data.draw(st.booleans()) else changing)(data.draw(any_place), data)

        random_profiles.run(50, either)
    else:
        for start, place in enumerate(places):
            random_profiles.run(tables, partial(still, place), start)
            random_profiles.run(changes, partial(changing, place), start)
    print(tally)
    return tally


def _still(spark: SparkSession, tally: Tally, place: str, data: st.DataObject) -> None:
    spec = data.draw(specs.specs(place, PLACES[place][1]))
    names = shapes.possible(place, bool(spec.partition_columns))
    drawn = [data.draw(queries(spec, name)) for name in names if _kept(data)]
    batches.check(spark, spec, drawn, tally)


def _changing(spark: SparkSession, tally: Tally, place: str, data: st.DataObject) -> None:
    drawn = [data.draw(cases.cases(place)) for _ in range(THREADS) if _kept(data)]
    cases.check(spark, drawn, tally)


def _kept(data: st.DataObject) -> bool:
    """Draw whether to keep a query: mostly so, yet shrinking can leave it out."""
    return data.draw(st.integers(0, 24)) > 0
