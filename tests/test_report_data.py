"""Reports as plain data: from the JVM's JSON, to dict, JSON and pandas."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import limit_pruning
from sample_reports import case_study, limit_report, many, parse

REPORT = limit_pruning.PruningReport(
    (limit_report(case_study()), limit_report([]), limit_report(many(6), table="t"))
)


def test_json_is_what_the_jvm_reports() -> None:
    assert parse(REPORT.to_json()) == REPORT


def test_a_dict_is_what_json_says() -> None:
    assert REPORT.to_dict() == json.loads(REPORT.to_json(indent=2))
    assert REPORT.limits[0].to_dict() == REPORT.to_dict()["limits"][0]
    assert REPORT.to_dict()["limits"][0]["row_groups"]["details"][2] == {
        "file": "file:/data/tracking_data.parquet",
        "ordinal": 2,
        "rows": 3,
        "bytes": 120,
        "state": "fully",
        "decided_by": "statistics",
        "why": "every row matches",
        "facts": ["s: 76 … 101, no nulls"],
        "chosen": True,
        "rows_to_read": 3,
    }


@pytest.mark.parametrize(
    "path", [("files",), ("rows", "cut"), ("row_groups", "omitted"), ("time", "planning_ms")]
)
def test_a_jar_that_reports_less_is_named(path: tuple[str, ...]) -> None:
    reported: dict[str, Any] = REPORT.to_dict()
    *groups, missing = path
    entry = reported["limits"][0]
    for group in groups:
        entry = entry[group]
    del entry[missing]
    with pytest.raises(limit_pruning.JarMismatchError, match=f"reports no '{missing}'"):
        parse(json.dumps(reported))


def test_a_jar_that_reports_less_of_a_row_group_is_named() -> None:
    reported: dict[str, Any] = REPORT.to_dict()
    del reported["limits"][0]["row_groups"]["details"][0]["why"]
    with pytest.raises(limit_pruning.JarMismatchError, match="reports no 'why'"):
        parse(json.dumps(reported))


def test_a_jar_that_reports_a_number_for_a_group_is_named() -> None:
    reported: dict[str, Any] = REPORT.to_dict()
    reported["limits"][0]["files"] = 3
    with pytest.raises(limit_pruning.JarMismatchError, match="reports no 'FileCounts'"):
        parse(json.dumps(reported))


def test_pandas_has_a_row_for_each_row_group() -> None:
    frame = REPORT.to_pandas()
    groups = [group for limit in REPORT for group in limit.row_groups.details]
    assert len(frame) == len(groups) == 10
    assert list(frame.columns[:4]) == ["scan", "table", "file", "ordinal"]
    assert set(frame[["scan", "table"]].itertuples(index=False, name=None)) == {
        (0, "tracking_data"),
        (2, "t"),
    }
    assert frame["rows"].sum() == sum(group.rows for group in groups)
    assert list(frame.loc[frame["chosen"], "rows_to_read"]) == [3, 500]
    assert list(frame["state"]) == [group.state for group in groups]


def test_pandas_of_one_limit_and_of_none() -> None:
    assert len(REPORT.limits[0].to_pandas()) == 4
    empty = REPORT.limits[1].to_pandas()
    assert len(empty) == 0
    assert list(empty.columns) == list(REPORT.to_pandas().columns)


def test_without_pandas_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(limit_pruning.PandasNotInstalledError, match="pip install pandas") as error:
        REPORT.to_pandas()
    assert "\n" not in str(error.value)
    assert isinstance(error.value, ImportError)
