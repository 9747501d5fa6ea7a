"""Whatever the table's place, the query's shape and the settings: rows that plain Spark finds."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import random_profiles
from random_plans import batches, cases, settings, shapes, specs
from random_plans.places import PLACES
from random_plans.queries import queries
from random_plans.tally import Tally
from runs import THREADS

pytestmark = pytest.mark.usefixtures("quiet")

TABLES = 3  # at each place
CASES = 3  # times so many as threads, at each place


def test_random_plans(spark: SparkSession) -> None:
    tally = Tally()

    def change(place: str, data: st.DataObject) -> None:
        drawn = [data.draw(cases.cases(place)) for _ in range(THREADS)]
        began = time.monotonic()
        cases.check(spark, drawn, tally)
        print(place, "changes", f"{time.monotonic() - began:.1f} s", flush=True)

    def check(place: str, data: st.DataObject) -> None:
        spec = data.draw(specs.specs(place, PLACES[place][1]))
        chosen = data.draw(settings.settings())
        exact = chosen[settings.CASE_SENSITIVE] == "true"
        names = shapes.possible(place, bool(spec.partition_columns))
        drawn = [data.draw(queries(spec, name, exact)) for name in names]
        began = time.monotonic()
        batches.check(spark, spec, chosen, drawn, tally)
        print(place, len(drawn), f"{time.monotonic() - began:.1f} s", flush=True)

    if random_profiles.MINUTES:
        places = st.sampled_from(sorted(PLACES))
        random_profiles.run(50, lambda data: check(data.draw(places), data))
    else:
        for start, place in enumerate(PLACES):
            random_profiles.run(TABLES, partial(check, place), start)
            random_profiles.run(CASES, partial(change, place), start)
    print(tally)
    assert not tally.failures
