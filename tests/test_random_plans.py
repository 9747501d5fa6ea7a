"""Whatever the table's place, the query's shape and the settings: rows that plain Spark may give."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import random_profiles
from random_plans import batches, settings, shapes, specs
from random_plans.places import PLACES
from random_plans.queries import queries
from random_plans.tally import Tally

pytestmark = pytest.mark.usefixtures("quiet")

TABLES = 3  # at each place


def test_random_plans(spark: SparkSession) -> None:
    tally = Tally()

    def check(place: str, data: st.DataObject) -> None:
        spec = data.draw(specs.specs(place, PLACES[place][1]))
        chosen = data.draw(settings.settings())
        exact = chosen[settings.CASE_SENSITIVE] == "true"
        unique = {"doubled": "", "shared": "key"}.get(place, "id")
        names = shapes.possible(unique, bool(spec.partition_columns))
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
    print(tally)
    assert not tally.failures
