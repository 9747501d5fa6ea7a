"""Faults of names of columns."""

from __future__ import annotations

from faults.fault import NAMES, fault

FAULTS = (
    fault(
        "names: columns whose names are equal in upper case alone are one column",
        "parquet/ColumnNames.scala",
        "if (caseSensitive) name else name.toLowerCase(Locale.ROOT)",
        "if (caseSensitive) name else name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT)",
        NAMES,
    ),
)
