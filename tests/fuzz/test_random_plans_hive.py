"""Random plans over a Hive metastore, which takes a session of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.processes import environment, output_of, program
from support.random_profiles import MINUTES

pytestmark = [pytest.mark.spark, pytest.mark.random, pytest.mark.slow]

PROGRAM = "support.random_plans.hive"


def test_random_plans_over_a_hive_metastore(tmp_path: Path) -> None:
    seconds = 600 + 60 * MINUTES
    command = program(PROGRAM, str(tmp_path))
    print(output_of(*command, cwd=tmp_path, env=environment(), timeout=seconds))
