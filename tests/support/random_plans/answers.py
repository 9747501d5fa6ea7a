"""Fetches the rows of a query, or the error that it fails with."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.random_plans.claims import Rows

ERRORS = (PySparkException, Py4JJavaError)

# What an error says whose remedy is known.
ADVICE = "REFRESH TABLE"


@dataclass(frozen=True)
class Answer:
    """Rows, or an error, and how many limits were covered."""

    rows: Rows = ()
    error: str = ""
    covered: int = 0


def planned(spark: SparkSession, sql: str) -> DataFrame:
    """Plan a query, and do not run it."""
    df = spark.sql(sql)
    df._jdf.queryExecution().executedPlan()
    return df


def limited(spark: SparkSession, sql: str) -> DataFrame:
    """Return a query whose last LIMIT, if it ends with one, is that of a DataFrame."""
    query, _, limit = sql.rpartition(" LIMIT ")
    return spark.sql(query).limit(int(limit)) if limit.isdigit() else spark.sql(sql)


def covered(df: DataFrame) -> int:
    """Return how many limits of a query are covered, or planned for the first rows in order."""
    return sum(limit.covered for limit in limit_pruning.report(df))


def answer(spark: SparkSession, sql: str, way: str = "once", counts: bool = False) -> Answer:
    """Plan and run a query; `counts` says whether to count the limits that are covered."""
    try:
        if way == "planned twice":  # planning remembers what was not proved
            planned(spark, sql)
        df = limited(spark, sql) if way == "by DataFrame" else spark.sql(sql)
        return Answer(fetched(df, way), covered=covered(df) if counts else 0)
    except ERRORS as error:
        return Answer(error=described(error))


def fetched(df: DataFrame, way: str) -> Rows:
    """Return the rows of a query; where they are fetched twice, those of the second time."""
    match way:
        case "twice":
            df.collect()
        case "cached":
            df = df.cache()
            df.collect()
        case "streamed":
            return [tuple(row) for row in df.toLocalIterator()]
    rows = [tuple(row) for row in df.collect()]
    if way == "cached":
        df.unpersist()
    return rows


def described(error: Exception) -> str:
    """Return the classes of an error and of its causes, the message of the last, and any advice."""
    if not isinstance(error, Py4JJavaError):
        return f"{type(error).__name__}: {str(error).splitlines()[0][:400]}"
    names: list[str] = []
    cause, message, advice = error.java_exception, "", ""
    while cause is not None and len(names) < 8:
        names.append(cause.getClass().getSimpleName())
        message = str(cause.getMessage()).splitlines()[0][:400]
        if ADVICE in str(cause.getMessage()) and ADVICE not in message:
            advice = f" ({ADVICE})"
        cause = cause.getCause()
    return f"{' < '.join(reversed(names))}: {message}{advice}"
