"""Runs a failing case again, from the script that was saved of it."""

from __future__ import annotations

import os
import sys
import tempfile

from pyspark.sql import SparkSession

import limit_pruning
from support.random_plans import batches, cases
from support.random_plans.cases import Case
from support.random_plans.queries import Query
from support.random_plans.specs import Spec
from support.random_plans.tally import Tally

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["TZ"] = "UTC"


def query(spec: Spec, query: Query) -> None:
    """Run a query over a table, and raise what is wrong with its answer."""
    batches.check(_session(), spec, [query], Tally())
    print("The answer is right.")


def case(case: Case) -> None:
    """Run a query over a table that changes, and raise what is wrong with its answers."""
    cases.check(_session(), [case], Tally())
    print("The answers are right.")


def _session() -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .config("spark.limitPruning.failOnError", "true")
    )
    spark = limit_pruning.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark
