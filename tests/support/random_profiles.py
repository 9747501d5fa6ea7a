"""How long properties are tried: a bounded run, always the same, or by the clock with fresh seeds.

``FUZZ_MINUTES`` in the environment, which ``make fuzz`` sets, chooses the second. With
``FUZZ_WITHOUT_SHRINKING``, the first failing example is shown as it was drawn, which is quicker.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from support.paths import ROOT

FAILURES = ROOT / "target" / "fuzz-failures"
MINUTES = float(os.environ.get("FUZZ_MINUTES", "0"))
PHASES = [Phase.generate, *([] if os.environ.get("FUZZ_WITHOUT_SHRINKING") else [Phase.shrink])]

BOUNDED = settings(
    derandomize=True,
    database=None,
    deadline=None,  # the first queries of a session take seconds
    phases=PHASES,
    suppress_health_check=list(HealthCheck),  # a table with its queries is a large example
    print_blob=False,
)
FUZZ = settings(BOUNDED, derandomize=False)


def run(examples: int, check: Callable[[st.DataObject], None], start: int | None = None) -> None:
    """Try `examples` examples of a property, or as many as the minutes allow.

    The bounded run draws the same examples for every property that is given no number to start at.
    """
    if not MINUTES:
        bounded = settings(BOUNDED, max_examples=examples)(_property(check))
        (bounded if start is None else seed(start)(bounded))()
        return
    end = time.monotonic() + 60 * MINUTES
    while time.monotonic() < end:
        fresh = random.SystemRandom().getrandbits(64)
        seed(fresh)(settings(FUZZ, max_examples=examples)(_property(check)))()


def _property(check: Callable[[st.DataObject], None]) -> Callable[[], None]:
    """Return a property of its own, as settings stay with the one that they were given to."""

    @given(st.data())
    def holds(data: st.DataObject) -> None:
        check(data)

    return holds
