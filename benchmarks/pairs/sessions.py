"""Compares sessions: the first query of each, and ours with the extension switched off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines import OURS, PLAIN
from benchmarks.pairs.interval import Estimate, estimate
from benchmarks.pairs.kind import Kind
from benchmarks.pairs.kinds import kinds
from benchmarks.pairs.literals import Literals
from benchmarks.pairs.measure import Pair, Run, Runs, Worker, in_turns, request, runs
from benchmarks.process import EngineProcess

WORKER = "benchmarks.pairs.worker"
_WARM_UP = 10


@dataclass(frozen=True)
class Sessions:
    """Pairs of sessions.

    Attributes:
        kind: The kind whose query they ran.
        pairs: Without the extension, and with it.
        same_plans: Whether both had the same physical plan; None if plans were not compared.
    """

    kind: Kind
    pairs: tuple[Pair, ...]
    same_plans: bool | None = None

    @property
    def time(self) -> Estimate:
        """The median of the ratios of wall time, with the extension / without it."""
        return estimate([pair.ours.seconds / pair.plain.seconds for pair in self.pairs])


@contextmanager
def started(name: str, data: Path) -> Iterator[EngineProcess]:
    """Start a session in a process of its own, and stop it at the end."""
    process = EngineProcess(name, data, WORKER)
    try:
        process.wait_until_ready()
        yield process
    finally:
        process.stop()


def control_kinds() -> list[Kind]:
    """Return the kinds for which sessions are compared: short queries, which show the most."""
    return [kind for kind in kinds() if kind.name in ("narrow, unprovable", "narrow, ORDER BY")]


def first_queries(data: Path, literals: Literals, sessions: int) -> Sessions:
    """Run one query each in so many new sessions with the extension, and so many without."""
    kind = control_kinds()[0]

    def of(name: str) -> Runs:
        def run() -> Run:
            with started(name, data) as worker:
                return runs(worker, kind, literals, None)()

        return run

    return Sessions(kind, tuple(in_turns(of(PLAIN), of(OURS), sessions)))


def switched_off(data: Path, literals: Literals, pairs: int) -> list[Sessions]:
    """Compare a session whose extension is switched off with one without the extension."""
    with ExitStack() as stack:
        plain, ours = (stack.enter_context(started(name, data)) for name in (PLAIN, OURS))
        return [compare(plain, ours, kind, literals, pairs) for kind in control_kinds()]


def compare(plain: Worker, ours: Worker, kind: Kind, literals: Literals, pairs: int) -> Sessions:
    """Compare two sessions, after some queries to warm up."""
    of_plain, of_ours = runs(plain, kind, literals, None), runs(ours, kind, literals, False)
    in_turns(of_plain, of_ours, min(_WARM_UP, pairs))
    measured = in_turns(of_plain, of_ours, pairs)
    queries = kind.draw(literals)
    plans = [
        worker.ask(request(kind, "plan", queries, enabled), kind.name)["plans"]
        for worker, enabled in ((plain, None), (ours, False))
    ]
    return Sessions(kind, tuple(measured), plans[0] == plans[1])
