"""The Spark jobs of planning a query of a Delta table: Delta's own, and those that read its log."""

from __future__ import annotations

from pyspark.sql import SparkSession


def jobs(spark: SparkSession, query: str) -> int:
    """Plan a query, and return how many jobs this runs."""
    spark.sparkContext.setJobGroup(_group(query), query)
    spark.sql(query)._jdf.queryExecution().executedPlan()
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(_group(query)))


def asked_the_log(spark: SparkSession, query: str) -> bool:
    """Return whether `jobs` of the query read statistics of the log."""
    tracker = spark.sparkContext.statusTracker()
    found = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(_group(query))]
    stages = [tracker.getStageInfo(stage) for job in found if job for stage in job.stageIds]
    return any("LogStatistics" in stage.name for stage in stages if stage)


def asks_the_log(spark: SparkSession, query: str) -> bool:
    """Plan a query for the first time, and return whether this reads statistics of the log."""
    assert jobs(spark, query) > 0, "Delta asks its log"
    return asked_the_log(spark, query)


def forget(spark: SparkSession, table: str) -> None:
    """Remove from the cache what was read of a table, named as ``delta.`path` ``."""
    spark.sql(f"REFRESH '{table.split('`')[1]}'")


def _group(query: str) -> str:
    return f"planning {query}"
