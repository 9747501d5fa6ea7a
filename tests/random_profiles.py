"""How long properties are tried: a bounded run, always the same, or by the clock with fresh seeds.

``FUZZ_MINUTES`` in the environment, which ``make fuzz`` sets, chooses the second.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, seed, settings

MINUTES = float(os.environ.get("FUZZ_MINUTES", "0"))

BOUNDED = settings(
    derandomize=True,
    database=None,
    deadline=None,  # the first queries of a session take seconds
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),  # a table with its queries is a large example
    print_blob=False,
)
FUZZ = settings(BOUNDED, derandomize=False)


def run(examples: int, check: Callable[[], None]) -> None:
    """Try `examples` examples of a property, or as many as the minutes allow."""
    if not MINUTES:
        settings(BOUNDED, max_examples=examples)(check)()
        return
    end = time.monotonic() + 60 * MINUTES
    while time.monotonic() < end:
        fresh = random.SystemRandom().getrandbits(64)
        seed(fresh)(settings(FUZZ, max_examples=examples)(check))()
