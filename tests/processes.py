"""Runs programs as users do."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def output_of(*command: str, cwd: Path, env: Mapping[str, str], timeout: float = 300) -> str:
    """Run a command to its end and return what it printed; show everything if it fails.

    ``timeout`` is in seconds.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"{command} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout
