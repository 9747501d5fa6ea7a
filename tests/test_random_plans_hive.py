"""Random plans over a Hive metastore, which takes a session of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from processes import output_of
from random_profiles import MINUTES

PROGRAM = Path(__file__).parent / "random_plans" / "hive.py"


@pytest.mark.skipif(
    not MINUTES,
    reason="runs in `make fuzz`: where another session overwrites some partitions of a Hive table, "
    "joins above a LIMIT have no claim that can be checked yet",
)
def test_random_plans_over_a_hive_metastore(tmp_path: Path) -> None:
    print(output_of(sys.executable, str(PROGRAM), str(tmp_path), cwd=tmp_path, env=os.environ))
