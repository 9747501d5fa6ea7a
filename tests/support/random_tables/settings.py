"""Random settings of the session that queries run with."""

from __future__ import annotations

from hypothesis import strategies as st

Settings = dict[str, str]

_CHOICES: dict[str, list[str]] = {
    "spark.sql.ansi.enabled": ["true", "false"],
    "spark.sql.session.timeZone": ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Europe/Berlin"],
    "spark.sql.parquet.enableVectorizedReader": ["true", "false"],
    "spark.sql.parquet.enableNestedColumnVectorizedReader": ["true", "false"],
    "spark.sql.parquet.columnarReaderBatchSize": ["4096", "2"],
    "spark.sql.parquet.filterPushdown": ["true", "false"],
    "spark.sql.optimizer.nestedSchemaPruning.enabled": ["true", "false"],
    "spark.sql.optimizer.inSetConversionThreshold": ["10", "1"],
    # Compiling and stages of their own take longer than these queries do.
    "spark.sql.codegen.wholeStage": ["false", "false", "false", "false", "true"],
    "spark.sql.codegen.factoryMode": ["NO_CODEGEN", "NO_CODEGEN", "NO_CODEGEN", "FALLBACK"],
    "spark.sql.adaptive.enabled": ["false", "false", "false", "false", "true"],
    "spark.sql.limit.initialNumPartitions": ["100"],
    "spark.limitPruning.pages.minBytes": ["0", "0", "1048576"],
    "spark.limitPruning.planning.atRoot": ["false", "true"],
}

# What the reference is computed with: nothing that looks at statistics.
REFERENCE = {
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.limitPruning.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def settings() -> st.SearchStrategy[Settings]:
    """Draw one value of each setting."""
    drawn = st.fixed_dictionaries({k: st.sampled_from(values) for k, values in _CHOICES.items()})
    return drawn.map(lambda chosen: chosen | _of_rows(chosen))


def _of_rows(chosen: Settings) -> Settings:
    """Return settings of the search by rows.

    They are a function of others, so that the default seeds draw the same queries as before.
    """
    has_jobs = chosen["spark.sql.optimizer.inSetConversionThreshold"] == "1"
    if chosen["spark.limitPruning.pages.minBytes"] != "0":
        # Row groups are read whole.
        return {"spark.limitPruning.rows.minBytes": "0" if has_jobs else "8m"}
    searched = {"spark.limitPruning.rows.minBytes": "0"}
    if not has_jobs:
        return searched
    # Several jobs, each of which finds some of the rows.
    jobs = {"spark.sql.limit.initialNumPartitions": "1", "spark.sql.files.maxPartitionBytes": "16k"}
    return searched | jobs
