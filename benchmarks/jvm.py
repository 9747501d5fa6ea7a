"""Keeps the results of JMH: `python -m benchmarks.jvm target/jmh.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.settings import ROOT

RESULTS = ROOT / "benchmarks/results/jvm.json"


def main() -> int:
    """Write what JMH measured, for one row group each, with the machine."""
    measured = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    about = {"jmh": measured[0]["jmhVersion"]}
    report.save(RESULTS, about, {"benchmarks": [costs_of(one) for one in measured]})
    print(f"written to {RESULTS}")
    return 0


def costs_of(measured: dict[str, Any]) -> dict[str, Any]:
    """Return the costs of classifying one row group: microseconds, JMH's error of these, and bytes.

    Args:
        measured: One benchmark of JMH's results, which classified `rowGroups` row groups.
    """
    row_groups = int(measured["params"]["rowGroups"])
    time, allocated = measured["primaryMetric"], measured["secondaryMetrics"]["gc.alloc.rate.norm"]
    assert (time["scoreUnit"], allocated["scoreUnit"]) == ("us/op", "B/op")
    return {
        "benchmark": measured["benchmark"].rpartition(".")[2],
        "row_groups": row_groups,
        "microseconds": round(time["score"] / row_groups, 4),
        "error": round(float(time["scoreError"]) / row_groups, 4),
        "bytes": round(allocated["score"] / row_groups, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
