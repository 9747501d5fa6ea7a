"""Reports made by hand, so that what is shown can be tested without Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from limit_pruning import (
    ByteCounts,
    FileCounts,
    LimitReport,
    PageCounts,
    PruningReport,
    RowCounts,
    RowGroupCounts,
    RowGroupReport,
    Timings,
)
from limit_pruning._parse import parsed
from limit_pruning._report import report_of as report_from
from limit_pruning._row_groups import State

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Group = TypeVar("Group", bound=DataclassInstance)

WHY: dict[State, str] = {
    "not": "s >= 50 holds for no row",
    "partially": "s >= 50 may hold for only some rows",
    "fully": "every row matches",
}
CASE_STUDY: tuple[State, ...] = ("not", "partially", "fully", "partially")


class Jar:
    """A JAR of another version."""

    def version(self) -> str:
        """Return the version."""
        return "9"


def parse(text: str) -> PruningReport:
    """Return the report that such a JAR gives as JSON."""
    with parsed(Jar()):
        return report_from(json.loads(text))


def row_group(
    ordinal: int,
    state: State = "fully",
    *,
    file: str = "file:/data/tracking_data.parquet",
    rows: int = 3,
    rows_to_read: int = 0,
    facts: tuple[str, ...] = ("s: 76 … 101, no nulls",),
) -> RowGroupReport:
    """Return a row group; it is scanned where rows of it are to be read."""
    return RowGroupReport(
        file=file,
        ordinal=ordinal,
        rows=rows,
        bytes=rows * 40,
        state=state,
        decided_by=None if state == "partially" else "statistics",
        why=WHY[state],
        facts=facts,
        scanned=rows_to_read > 0,
        rows_to_read=rows_to_read,
    )


def case_study() -> list[RowGroupReport]:
    """Return four row groups of one file, of which the third is scanned."""
    return [
        row_group(ordinal, state, rows_to_read=3 if state == "fully" else 0)
        for ordinal, state in enumerate(CASE_STUDY)
    ]


def many(count: int, in_a_file: int = 4) -> list[RowGroupReport]:
    """Return so many row groups of all states and uneven sizes; every tenth is scanned."""
    return [
        row_group(
            number % in_a_file,
            CASE_STUDY[number % 4],
            file=f"s3://bucket/t/part-{number // in_a_file:05}.parquet",
            rows=2000 + 500 * (number % 5),
            rows_to_read=500 if number % 10 == 0 else 0,
        )
        for number in range(count)
    ]


def group_of(kind: type[Group], **known: object) -> Group:
    """Return a group of numbers; those that are not given are unknown."""
    unknown: dict[str, Any] = {field.name: None for field in fields(kind)}
    return kind(**unknown | known)


def limit_report(details: Sequence[RowGroupReport], **changes: object) -> LimitReport:
    """Return a covered LIMIT over these row groups; what is not given is unknown."""
    row_groups = group_of(
        RowGroupCounts,
        total=len(details),
        matched=sum(group.state != "not" for group in details),
        fully_matched=sum(group.state == "fully" for group in details),
        scanned=sum(group.scanned for group in details),
        details=tuple(details),
        omitted=0,
    )
    known: dict[str, object] = {
        "table": "tracking_data",
        "limit": 3,
        "predicate": "species LIKE 'Alpine%' AND s >= 50",
        "covered": True,
        "row_filter_skipped": True,
        "files": group_of(FileCounts, chosen=()),
        "row_groups": row_groups,
        "pages": group_of(PageCounts),
        "rows": group_of(RowCounts, to_read=sum(group.rows_to_read for group in details)),
        "bytes": group_of(ByteCounts),
        "time": group_of(Timings),
    }
    return group_of(LimitReport, **known | changes)


def report_of(*row_groups: RowGroupReport) -> PruningReport:
    """Return the report of a query with one covered LIMIT over these row groups."""
    return PruningReport((limit_report(row_groups),))


def renamed(groups: Sequence[RowGroupReport], file: str) -> list[RowGroupReport]:
    """Return the row groups as if they were in another file."""
    return [replace(group, file=file) for group in groups]
