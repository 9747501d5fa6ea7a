"""EXPLAIN shows each LIMIT in one line; golden files hold the lines, numbers and all.

`make golden` writes the files anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from support.runs import conf
from support.sparks import needs_spark

pytestmark = needs_spark("place for reasons in EXPLAIN")

ALPINE = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50"
REASONS = "== Extended Information (Limit Pruning) =="
QUERIES = {
    "case_study": f"{ALPINE} LIMIT 3",
    "one_column": f"{ALPINE.replace('*', 'species')} LIMIT 1",
    "no_predicate": "SELECT * FROM tracking_data LIMIT 5",
    "offset": f"{ALPINE} LIMIT 2 OFFSET 1",
    "not_enough_rows": f"{ALPINE} LIMIT 4",
    "order_by": "SELECT * FROM tracking_data ORDER BY s DESC LIMIT 2",
    "order_by_and_predicate": f"{ALPINE} ORDER BY s LIMIT 3",
    "order_by_partition": "SELECT id FROM sightings WHERE s % 7 = 3 ORDER BY day DESC LIMIT 3",
    "partition_only": "SELECT * FROM sightings WHERE day = DATE'2024-01-02' LIMIT 12",
    "partition_and_predicate": (
        "SELECT id FROM sightings WHERE day >= DATE'2024-01-02' AND s >= 8 LIMIT 35"
    ),
    "null_partition": "SELECT id FROM sightings WHERE day IS NULL LIMIT 3",
    "exists": "SELECT 1 WHERE EXISTS (SELECT * FROM sightings WHERE s > 5)",
    "count": f"SELECT count(*) FROM ({ALPINE} LIMIT 3)",
    "not_pruned": "SELECT species, count(*) FROM tracking_data GROUP BY species LIMIT 2",
    "distinct": "SELECT DISTINCT s FROM sightings WHERE s >= 4 LIMIT 5",
    "distinct_partitions": "SELECT DISTINCT day FROM sightings LIMIT 100",
    "group_by_partition": "SELECT day, count(*) FROM sightings WHERE s >= 2 GROUP BY day LIMIT 2",
    "union_all": f"({ALPINE} LIMIT 3) UNION ALL (SELECT * FROM tracking_data LIMIT 1)",
}


class GoldenFile(SingleFileSnapshotExtension):
    """A text file for each test, in the folder `golden`."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder of a module's files."""
        module = Path(test_location.filepath)
        return str(module.with_name("golden") / module.stem)


def story(plan: str) -> str:
    """Return our nodes in full, of Spark's own scan only the name, and then the reasons."""
    nodes, _, reasons = plan.partition(REASONS)
    lines = []
    for line in nodes.splitlines():
        ours = re.search(r"(LimitPrunedScan|ChooseWhenRun|TakeFirstRows) .*", line)
        if ours:
            lines.append(normalised(ours.group()))
        elif "FileScan parquet" in line:
            lines.append("FileScan parquet")
    lines += [normalised(line) for line in reasons.splitlines() if line]
    return "\n".join(lines) + "\n"


def normalised(line: str) -> str:
    """Mask expression ids, paths and times; never a number of ours."""
    line = re.sub(r"#\d+L?", "#", line)
    line = re.sub(r"\[?file:[^\], ]*(, \.\.\.)?(\.\.\.)?\]?", "[PATH]", line)
    return re.sub(r"\d+(\.\d+)? ms", "TIME ms", line).rstrip()


@pytest.mark.core
@pytest.mark.usefixtures("wildlife", "sightings")
@pytest.mark.parametrize("name", QUERIES.keys())
def test_golden(spark: SparkSession, snapshot: SnapshotAssertion, name: str) -> None:
    # Where Spark cuts texts depends on the ids of columns, which are longer in a long session.
    with conf(spark, {"spark.sql.maxMetadataStringLength": "1000"}):
        shown = f"{QUERIES[name]}\n\n" + story(explain(spark, QUERIES[name]))
    assert shown == snapshot(extension_class=GoldenFile)


@pytest.mark.usefixtures("sightings")
def test_golden_when_run(spark: SparkSession, snapshot: SnapshotAssertion) -> None:
    query = "SELECT id FROM sightings WHERE day = (SELECT max(day) FROM sightings) LIMIT 10"
    with conf(spark, {"spark.sql.maxMetadataStringLength": "1000"}):
        df = spark.sql(query)
        execution = df._jdf.queryExecution()
        planned = story(execution.simpleString())
        assert len(df.collect()) == 10
        chosen = story(execution.simpleString())
    shown = f"{query}\n\nbefore\n\n{planned}\nafter\n\n{chosen}"
    assert shown == snapshot(extension_class=GoldenFile)


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_every_mode_shows_the_numbers(spark: SparkSession, mode: str) -> None:
    text = explain(spark, QUERIES["case_study"], mode)
    assert "LimitPrunedScan" in text
    assert "4 total → 3 matched → 1 fully matched → 1 scanned" in text


def explain(spark: SparkSession, query: str, mode: str = "") -> str:
    """Return the text of EXPLAIN."""
    return str(spark.sql(f"EXPLAIN {mode} {query}").collect()[0][0])
