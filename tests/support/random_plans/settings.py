"""Random settings of the sessions that plans are made and run with."""

from __future__ import annotations

from hypothesis import strategies as st

from support.runs import VECTORIZED, VECTORIZED_NESTED

Settings = dict[str, str]

CASE_SENSITIVE = "spark.sql.caseSensitive"
CODEGEN_MODE = "spark.sql.codegen.factoryMode"

# Compiling and small tasks take longer than these queries do.
_CHOICES: dict[str, list[str]] = {
    "spark.limitPruning.planning.maxFiles": ["1000", "1000", "1000", "1", "2", "3", "5"],
    "spark.limitPruning.planning.firstFiles": ["4", "1"],
    "spark.limitPruning.planning.jobFiles": ["128", "128", "2"],
    "spark.limitPruning.planning.maxBytes": ["16m", "0"],
    "spark.limitPruning.pages.minBytes": ["0", "0", "1m"],
    "spark.limitPruning.planning.atRoot": ["false", "true"],
    "spark.sql.adaptive.enabled": ["false", "false", "true"],
    "spark.sql.codegen.wholeStage": ["false", "false", "false", "false", "true"],
    CODEGEN_MODE: ["NO_CODEGEN", "NO_CODEGEN", "NO_CODEGEN", "FALLBACK"],
    VECTORIZED: ["true", "true", "false"],
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": ["true", "true", "false"],
    "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": ["true", "false"],
    "spark.sql.autoBroadcastJoinThreshold": ["10m", "-1"],
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": ["10g", "0"],
    "spark.sql.ansi.enabled": ["true", "false"],
    "spark.sql.files.maxPartitionBytes": ["128m", "128m", "128m", "4k"],
    "spark.sql.limit.initialNumPartitions": ["100", "100", "1"],
    CASE_SENSITIVE: ["false", "false", "false", "true"],
}
# What is drawn for inner shapes only, so that the default seeds still draw the other queries with
# which planted faults were found.
_INNER_CHOICES: dict[str, list[str]] = {
    "spark.limitPruning.fileScan": ["auto", "auto", "always"],
    "spark.limitPruning.planning.maxMemory": ["64m", "64m", "4k"],
    "spark.sql.variant.pushVariantIntoScan": ["true", "true", "false"],
    "spark.sql.optimizer.nestedSchemaPruning.enabled": ["true", "true", "false"],
}
# The machine may be busy, and Python functions over partitioned tables hang with Arrow on.
_FIXED = {
    "spark.limitPruning.planning.maxTime": "60s",
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
    "spark.sql.sources.partitionOverwriteMode": "static",
    "spark.sql.shuffle.partitions": "1",
}


# What plain Spark finds all rows with.
REFERENCE = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    CODEGEN_MODE: "NO_CODEGEN",
} | _FIXED


ALWAYS_ROWS_FIRST = {"spark.limitPruning.rows.minBytes": "0"}


def following(chosen: Settings) -> Settings:
    """Return what follows other settings, so that the default seeds draw what they drew before.

    Rows are found by reading columns first wherever it is possible, and Spark's row-based reader
    reads nested columns.
    """
    always = chosen["spark.limitPruning.pages.minBytes"] == "0"
    return {
        "spark.limitPruning.rows.minBytes": "0" if always else "8m",
        VECTORIZED_NESTED: "false" if chosen[CODEGEN_MODE] == "FALLBACK" else "true",
    }


def settings(inner: bool = False) -> st.SearchStrategy[Settings]:
    """Draw one value of each setting; of some, only for inner shapes."""
    choices = _CHOICES | (_INNER_CHOICES if inner else {})
    drawn = st.fixed_dictionaries({k: st.sampled_from(values) for k, values in choices.items()})
    return drawn.map(lambda chosen: chosen | following(chosen) | _FIXED)
