"""The truth about predicates on a table: plain Spark, without LIMIT, evaluating them as columns."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from support.random_tables.settings import REFERENCE, Settings
from support.runs import THREADS, as_dicts, conf, in_threads
from support.sparks import QUERY_ERRORS

Row = dict[str, Any]


class Reference:
    """All rows of the table ``t``, and for each predicate which of them match.

    Attributes:
        rows: Every row.
        matching: By predicate, the rows for which it is true; a predicate that fails on some row
            (ANSI mode, or types that do not fit) is not there.
    """

    def __init__(self, spark: SparkSession, settings: Settings, predicates: list[str]) -> None:
        """Evaluate the predicates, all in one query if none fails."""
        with conf(spark, settings | REFERENCE):
            self.rows: list[Row] = as_dicts(spark.sql("SELECT * FROM t"))
            self.matching: dict[str, list[Row]] = {}
            distinct = list(dict.fromkeys(predicates))
            parts = [distinct[part::THREADS] for part in range(THREADS)]
            in_threads(lambda part: self._evaluate(spark, part), parts)

    def _evaluate(self, spark: SparkSession, predicates: list[str]) -> None:
        if not predicates:
            return
        truths = [f"({sql}) IS TRUE AS `{number}`" for number, sql in enumerate(predicates)]
        try:
            found = spark.sql(f"SELECT id, {', '.join(truths)} FROM t").collect()
        except QUERY_ERRORS:
            if len(predicates) > 1:
                half = len(predicates) // 2
                self._evaluate(spark, predicates[:half])
                self._evaluate(spark, predicates[half:])
            return
        by_id = {row["id"]: row for row in self.rows}
        for number, sql in enumerate(predicates):
            self.matching[sql] = [by_id[row[0]] for row in found if row[number + 1]]
