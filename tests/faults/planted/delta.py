"""Faults of tables of Delta Lake."""

from __future__ import annotations

from faults.fault import DELTA, fault

FAULTS = (
    fault(
        "deletion vectors are ignored",
        "tables/delta/SelectedDeltaIndex.scala",
        "if (selected.exists(_.deletionVector != null))",
        "if (selected.isEmpty)",
        DELTA,
    ),
    fault(
        "deleted rows are counted, while Delta reads the files",
        "search/ClassifyRowGroups.scala",
        "inTable.deletedRows.getOrElse(0L)",
        "inTable.deletedRows.map(_ => 0L).getOrElse(0L)",
        DELTA,
    ),
    fault(
        "a date of the log before 1582-10-15 is trusted, although the reader may rebase it",
        "tables/delta/LogStatistics.scala",
        "min >= RebaseDateTime.lastSwitchJulianDay",
        "min >= RebaseDateTime.lastSwitchJulianDay - 1000000",
        DELTA,
    ),
    fault(
        "groups of files with deleted rows: a value counts, also if all of its rows may be deleted",
        "search/GroupKeys.scala",
        "if (matching.rows > file.deletedRows) Some((keys.ends(known), matching)) else None",
        "Some((keys.ends(known), matching))",
        DELTA,
    ),
)
