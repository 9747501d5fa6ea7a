"""What a fault is: edits of the current code, and the tests that should find it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TABLES = "tests/fuzz/test_properties.py::test_random_tables"
ORDERS = "tests/fuzz/test_random_orders.py"
DELTA = "tests/delta/test_delta_random.py"
GROUPS = "tests/fuzz/test_random_groups.py"
NAMED_GROUPS = "tests/soundness/test_soundness_groups.py"
PLANS = "tests/fuzz/test_random_plans.py"
MIN_MAX = "tests/limits/test_min_max.py"
LIES = "tests/fuzz/test_random_lies.py"
NAMES = "tests/fuzz/test_random_names.py"
ROW_RANGES = "tests/fuzz/test_random_row_ranges.py"
SKIPPING = "tests/scan/test_row_skipping.py"
ICEBERG = "tests/iceberg/test_iceberg_random.py"
ICEBERG_ORDERS = "tests/iceberg/test_iceberg_random_orders.py"
NAMED_ICEBERG_BY_ROWS = "tests/iceberg/test_iceberg_by_rows.py"
NAMED_ICEBERG_GROUPS = "tests/iceberg/test_iceberg_groups.py"
NAMED_ICEBERG_GROUPS_BY_ROWS = "tests/iceberg/test_iceberg_groups_by_rows.py"
NAMED_ICEBERG_MIN_MAX = "tests/iceberg/test_iceberg_min_max.py"
NAMED_ICEBERG_ORDERS = "tests/iceberg/test_iceberg_orders.py"
NAMED_ICEBERG_ROW_GROUPS = "tests/iceberg/test_iceberg_row_groups.py"
SOUNDNESS = "tests/soundness"


@dataclass(frozen=True)
class Edit:
    """A replacement in one file.

    Attributes:
        file: The file, below the folder of the main sources.
        find: Text that the file contains exactly once.
        replace: The faulty text.
    """

    file: str
    find: str
    replace: str

    def apply(self, sources: Path) -> None:
        """Replace the text below `sources`.

        Raises:
            ValueError: The file does not contain the text exactly once.
        """
        path = sources / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.find) != 1:
            raise ValueError(f"{self.file} contains {text.count(self.find)} times: {self.find}")
        path.write_text(text.replace(self.find, self.replace), encoding="utf-8")


@dataclass(frozen=True)
class Fault:
    """A fault and the tests that should find it.

    Attributes:
        what: What is wrong with the faulty code.
        edits: How to plant it.
        tests: A random test, then tests that are tried if it finds nothing.
    """

    what: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part of the product that it is in, by which `make faults` chooses faults."""
        return _PARTS[self.tests[0]]


_PARTS = {
    TABLES: "rows",
    ORDERS: "orders",
    MIN_MAX: "orders",
    DELTA: "delta",
    GROUPS: "groups",
    PLANS: "plans",
    LIES: "writers",
    NAMES: "names",
    ROW_RANGES: "pages",
    ICEBERG: "iceberg",
    ICEBERG_ORDERS: "iceberg",
}
PARTS = tuple(dict.fromkeys(_PARTS.values()))


def fault(what: str, file: str, find: str, replace: str, *tests: str) -> Fault:
    """Return a fault of one edit."""
    return Fault(what, (Edit(file, find, replace),), tests)
