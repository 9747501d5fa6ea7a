"""Faults of which rows of pages are read."""

from __future__ import annotations

from faults.fault import ROW_RANGES, SKIPPING, fault

FAULTS = (
    fault(
        "pages: values are skipped in every encoding",
        "parquet/SkippableEncodings.scala",
        "Names(encoding.name)",
        "Names.nonEmpty || Names(encoding.name)",
        ROW_RANGES,
        SKIPPING,
    ),
    fault(
        "pages: rows that are read with whole pages are not cut off",
        "scan/NarrowedRows.scala",
        "cuts = new Cuts(ranges, rows)",
        "cuts = new Cuts(ranges, ranges)",
        ROW_RANGES,
        SKIPPING,
    ),
    fault(
        "pages: of the ranges that the filters leave, the first is lost",
        "scan/FileOpener.scala",
        "RowRange.intersection(planned.ranges, left)",
        "RowRange.intersection(planned.ranges, left).drop(1)",
        ROW_RANGES,
        SKIPPING,
    ),
)
