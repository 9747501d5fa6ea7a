"""Random plans over a Hive metastore, in a session of its own; see `test_random_plans_hive.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import limit_pruning
from support.random_plans import properties
from support.sessions import hive_builder
from support.small_queries import make_cheap

PLACES = ["hive", "shared"]


def main() -> None:
    """Start the session, try random plans, and fail where one fails."""
    scratch = Path(sys.argv[1])
    spark = limit_pruning.configure(hive_builder(scratch)).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    make_cheap(spark)
    tally = properties.check(spark, PLACES, tables=2, changes=2)
    spark.stop()
    assert not tally.failures, f"{len(tally.failures)} failures"
    assert tally.counts["queries"] >= 60
    assert tally.counts["place: hive, covered"] >= 3


if __name__ == "__main__":
    main()
