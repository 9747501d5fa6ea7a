"""Runs programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support.paths import TESTS


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


def program(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of the tests; it needs `environment()`."""
    return [sys.executable, "-m", module, *arguments]


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment, with the tests on Python's path."""
    path = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)} | more
