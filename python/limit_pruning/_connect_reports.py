"""The reports of a Spark Connect server, from the table functions of the extension."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from limit_pruning._spark_errors import condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

_NO_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_ENABLED = "spark.limitPruning.enabled"


class ConnectReports:
    """What `ReportBridge` returns, for a Spark Connect session, which has no JVM.

    Methods raise KeyError where the JAR of the server lacks a function.
    """

    def __init__(self, spark: SparkSession) -> None:
        """Use `spark`, a Spark Connect session."""
        self._spark = spark

    def is_active(self) -> bool:
        """Return whether the server has loaded the extension."""
        return self._spark.conf.isModifiable(_ENABLED)  # the extension registers its settings

    def report(self, df: DataFrame) -> str:
        """Return the pruning report of a query as JSON; the server plans the query again."""
        with _view_of(df) as view:
            query = f"SELECT * FROM {view}"
            limits = self._rows("* FROM limit_pruning_report(:query)", query=query)
        return json.dumps({"limits": limits})

    def history(self) -> str:
        """Return the reports of the last queries of this session as JSON."""
        # The client would show a timestamp in its own time zone.
        millis = "unix_millis(started) AS started, unix_millis(ended) AS ended"
        names = "execution_id, description, failed, limits"
        return json.dumps(
            {"queries": self._rows(f"{names}, {millis} FROM limit_pruning_history()")}
        )

    def totals(self) -> str:
        """Return the totals of the application as JSON."""
        (sums,) = self._rows("* FROM limit_pruning_totals()")
        return json.dumps({metric_name(name): value for name, value in sums.items()})

    def inspection(self, matching: DataFrame, limit: int, max_files: int | None) -> dict[str, Any]:
        """Return the inspection of the table of a query, as the JAR's JSON has it."""
        call = "* FROM limit_pruning_inspect_summary(:view, NULL, :limit, :max_files)"
        with _view_of(matching) as view:
            (summary,) = self._rows(call, view=view, limit=limit, max_files=max_files)
        return summary

    def version(self) -> str:
        """Return "unknown": a client cannot read the version of the server's JAR."""
        return "unknown"

    def _rows(self, query: str, /, **arguments: Any) -> list[dict[str, Any]]:
        from pyspark.errors import AnalysisException

        try:
            rows = self._spark.sql(f"SELECT {query}", arguments).collect()
        except AnalysisException as error:
            if condition(error) == _NO_FUNCTION:
                raise KeyError("table functions") from error
            raise
        return [row.asDict(recursive=True) for row in rows]


def metric_name(name: str) -> str:
    """Return the name of a total in the JAR's JSON from the name in SQL and Python."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


@contextmanager
def _view_of(df: DataFrame) -> Iterator[str]:
    """Make a temporary view over the plan of a DataFrame, for the time of a call."""
    name = f"limit_pruning_{uuid4().hex}"
    df.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        df.sparkSession.catalog.dropTempView(name)
