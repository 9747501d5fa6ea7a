"""Reports as plain data: from the JVM's JSON, to dict, JSON and pandas."""

from __future__ import annotations

import json
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass
from datetime import datetime, timezone
from typing import Any

import pytest

import limit_pruning
from limit_pruning._inspection import inspection_of
from support.sample_reports import case_study, limit_report, many, parse

REPORT = limit_pruning.PruningReport(
    (limit_report(case_study()), limit_report([]), limit_report(many(6), table="t"))
)

LIMIT = REPORT.limits[0]
ENDED = datetime(2024, 3, 4, 5, 6, 7, 890000, timezone.utc)
LAYOUT = limit_pruning.ColumnLayout("s", "INT", False, 4, 4, 0, 4, 0, 0.5)
INSPECTION = limit_pruning.Inspection(
    LIMIT,
    limit_pruning.InspectedFiles(1, 1),
    limit_pruning.InspectedRowGroups(4, 3, 1, 480, LIMIT.row_groups.details, 0),
    limit_pruning.InspectedRows(12, 3),
    (LAYOUT,),
)
RESULTS: list[Any] = [
    *(REPORT, LIMIT, limit_pruning.Reason("code", "a sentence"), LIMIT.row_groups.details[0]),
    *(LIMIT.files, LIMIT.row_groups, LIMIT.pages, LIMIT.rows, LIMIT.bytes, LIMIT.time),
    *(INSPECTION, INSPECTION.files, INSPECTION.row_groups, INSPECTION.rows, LAYOUT),
    limit_pruning.QueryReport(7, "a query", None, ENDED, False, REPORT),
    limit_pruning.Totals(*range(12)),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_every_result_can_be_plain_data(result: Any) -> None:
    plain = result.to_dict()
    assert list(plain) == [field.name for field in fields(result)]
    assert json.loads(result.to_json()) == plain


def test_there_is_no_other_result() -> None:
    public = [getattr(limit_pruning, name) for name in limit_pruning.__all__]
    results = {kind for kind in public if is_dataclass(kind)}
    assert results == {type(result) for result in RESULTS}


def test_results_are_immutable() -> None:
    for result in RESULTS:
        name = fields(result)[0].name
        with pytest.raises(FrozenInstanceError):
            setattr(result, name, None)


def test_times_are_texts_in_plain_data() -> None:
    query = limit_pruning.QueryReport(7, "a query", None, ENDED, False, REPORT)
    assert query.to_dict()["started"] is None
    assert query.to_dict()["ended"] == "2024-03-04T05:06:07.890000+00:00"
    assert query.to_dict()["report"] == REPORT.to_dict()


def test_an_inspection_is_what_the_jvm_reports() -> None:
    assert inspection_of(json.loads(INSPECTION.to_json())) == INSPECTION


def test_single_row_groups_are_not_in_the_repr_of_their_group() -> None:
    assert repr(LIMIT.files) == (
        "FileCounts(pruned_by_log=None, total=None, inspected=None, footers_cached=None, "
        "scanned=None, reserve=None, chosen=())"
    )
    assert "details" not in repr(LIMIT.row_groups)
    assert "details" not in repr(INSPECTION.row_groups)


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
        "scanned": True,
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
    assert list(frame.loc[frame["scanned"], "rows_to_read"]) == [3, 500]
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
