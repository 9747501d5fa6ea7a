"""The faults, each as edits of the current code; a module for each part of the product.

Each fault could make a proof wrong. If the code around a fault changes, its edits must be adapted:
`test_faults` fails if an edit does not apply exactly once.
"""

from __future__ import annotations

from faults.planted import (
    delta,
    groups,
    iceberg,
    names,
    orders,
    pages,
    plans,
    rows,
    verified,
    writers,
)

FAULTS = (
    *rows.FAULTS,
    *verified.FAULTS,
    *orders.FAULTS,
    *groups.FAULTS,
    *plans.FAULTS,
    *writers.FAULTS,
    *names.FAULTS,
    *pages.FAULTS,
    *delta.FAULTS,
    *iceberg.FAULTS,
)
