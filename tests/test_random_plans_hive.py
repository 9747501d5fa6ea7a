"""Random plans over a Hive metastore, which takes a session of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from processes import output_of
from random_profiles import MINUTES

PROGRAM = Path(__file__).parent / "random_plans" / "hive.py"


def test_random_plans_over_a_hive_metastore(tmp_path: Path) -> None:
    seconds = 600 + 60 * MINUTES
    command = (sys.executable, str(PROGRAM), str(tmp_path))
    print(output_of(*command, cwd=tmp_path, env=os.environ, timeout=seconds))
