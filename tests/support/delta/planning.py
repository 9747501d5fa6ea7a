"""The Spark jobs of planning a query of a Delta table: Delta's own, and those that read its log."""

from __future__ import annotations

from pyspark.sql import SparkSession

STATISTICS, FILES = "LogStatistics", "LogFiles"
"""What planning reads of a log: statistics of columns, or all files with their numbers of rows."""


def jobs(spark: SparkSession, query: str) -> int:
    """Plan a query, and return how many jobs this runs."""
    spark.sparkContext.setJobGroup(_group(query), query)
    spark.sql(query)._jdf.queryExecution().executedPlan()
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(_group(query)))


def asked_the_log(spark: SparkSession, query: str, what: str = STATISTICS) -> bool:
    """Return whether `jobs` of the query read this of the log."""
    tracker = spark.sparkContext.statusTracker()
    found = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(_group(query))]
    stages = [tracker.getStageInfo(stage) for job in found if job for stage in job.stageIds]
    return any(what in stage.name for stage in stages if stage)


def asks_the_log(spark: SparkSession, query: str, what: str = STATISTICS) -> bool:
    """Plan a query for the first time, and return whether this reads this of the log."""
    jobs(spark, query)
    return asked_the_log(spark, query, what)


def forget(spark: SparkSession, table: str) -> None:
    """Remove from the cache what was read of a table, named as ``delta.`path` ``."""
    spark.sql(f"REFRESH '{table.split('`')[1]}'")


def _group(query: str) -> str:
    return f"planning {query}"
