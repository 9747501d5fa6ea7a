"""Sums JaCoCo's report by package: `python -m support.jvm_coverage REPORT.csv FLOOR`.

It counts lines, as many branches and instructions are the compiler's own: methods of case classes.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path


def by_package(report: Path) -> dict[str, tuple[int, int]]:
    """Return the covered lines and all lines of each package."""
    covered: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    with report.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            covered[row["PACKAGE"]] += int(row["LINE_COVERED"])
            lines[row["PACKAGE"]] += int(row["LINE_COVERED"]) + int(row["LINE_MISSED"])
    return {package: (covered[package], lines[package]) for package in sorted(lines)}


def main(report: Path, floor: float) -> int:
    """Print the share of covered lines; return 1 if it is below the floor, in percent."""
    packages = by_package(report)
    total = (sum(covered for covered, _ in packages.values()), sum(n for _, n in packages.values()))
    for package, (covered, lines) in [*packages.items(), ("JVM", total)]:
        print(f"{package:40} {lines:6} lines {100 * covered / max(1, lines):6.1f} % covered")
    if 100 * total[0] < floor * total[1]:
        print(f"the JVM's coverage is below its floor of {floor:g} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))
