"""The settings of the measurement, each an environment variable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pairs.kind import Kind
from benchmarks.settings import ROOT

DEFAULT_PAIRS = 30
DEFAULT_ROWS = 100_000
DEFAULT_SESSIONS = 6


@dataclass(frozen=True)
class Settings:
    """One run's settings.

    Attributes:
        pairs: PAIRS_PAIRS, measured pairs of a kind; fewer than six have no interval.
        rows: PAIRS_ROWS, rows of a row group of the widest tables; the others depend on it.
        sessions: PAIRS_SESSIONS, new sessions of each side, for the first query of a session; with
            0, sessions are not compared.
        kinds: PAIRS_KINDS, words of which a kind's name must contain one; empty for all kinds.
        data: BENCH_DATA, the folder that stores the tables between runs.
        results: BENCH_RESULTS, the folder for the JSON; its default depends on the others.
    """

    pairs: int
    rows: int
    sessions: int
    kinds: tuple[str, ...]
    data: Path
    results: Path

    def chosen(self, kinds: Sequence[Kind]) -> list[Kind]:
        """Return the kinds to measure, in the given order."""
        return [kind for kind in kinds if not self.kinds or any(w in kind.name for w in self.kinds)]


def from_environment() -> Settings:
    """Read the settings; only a complete run is written to the repository."""
    environment = os.environ
    pairs = int(environment.get("PAIRS_PAIRS") or DEFAULT_PAIRS)
    rows = int(environment.get("PAIRS_ROWS") or DEFAULT_ROWS)
    sessions = int(environment.get("PAIRS_SESSIONS") or DEFAULT_SESSIONS)
    kinds = tuple((environment.get("PAIRS_KINDS") or "").replace(",", " ").split())
    data = Path(environment.get("BENCH_DATA") or ROOT / ".bench-data").resolve()
    is_complete = (
        (rows, kinds) == (DEFAULT_ROWS, ())
        and pairs >= DEFAULT_PAIRS
        and sessions >= DEFAULT_SESSIONS
    )
    results = ROOT / "benchmarks" / "results" if is_complete else data / "results"
    return Settings(
        pairs=pairs,
        rows=rows,
        sessions=sessions,
        kinds=kinds,
        # Another name whenever the tables change: they are written once.
        data=data / f"pairs-2-{rows}",
        results=Path(environment.get("BENCH_RESULTS") or results).resolve(),
    )
