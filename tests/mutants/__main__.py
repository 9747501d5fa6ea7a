"""Tries mutants: `python -m mutants RESULTS.json [FILES]`.

All mutants of some files take long. MUTANTS_MINUTES limits the time: then a random choice of them
is tried, the same one each time.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import report
from mutants.equivalent import EQUIVALENT
from mutants.operators import Mutant, mutants, without_fields
from mutants.trial import (
    CONTRACT,
    KILLED,
    OUTCOMES,
    PREDICATE,
    STILLBORN,
    SURVIVED,
    Trials,
    build,
)
from support.paths import ROOT, SCALA

WORK = ROOT / "target" / "mutants"


def all_mutants() -> list[Mutant]:
    """Return the mutants of the predicates and of the contract."""
    files = sorted((SCALA / PREDICATE).glob("*.scala"))
    named = {f"{PREDICATE}/{file.name}": file.read_text(encoding="utf-8") for file in files}
    contract = (SCALA / CONTRACT).read_text(encoding="utf-8")
    found = [one for name, source in named.items() for one in mutants(name, source)]
    return [*found, *mutants(CONTRACT, contract), *without_fields(CONTRACT, contract)]


def main() -> int:
    """Return 0 if each mutant was killed, or is known to be equivalent."""
    file, *words = sys.argv[1:]
    chosen = [m for m in all_mutants() if not words or any(word in m.place for word in words)]
    minutes = float(os.environ.get("MUTANTS_MINUTES") or 0)
    if minutes:
        random.Random(1).shuffle(chosen)
    end = time.monotonic() + 60 * minutes
    tried: list[tuple[Mutant, str, str]] = []
    with Trials(build(), WORK) as trials:
        for mutant in chosen:
            if minutes and time.monotonic() > end:
                break
            outcome, test = trials.outcome(mutant)
            tried.append((mutant, outcome, test))
            print(f"{outcome}: {mutant.place}{f' by {test}' if test else ''}", flush=True)
            if len(tried) % 20 == 0:
                _save(Path(file), tried, len(chosen))
    missed = _save(Path(file), tried, len(chosen))
    for place in missed:
        print(f"no suite notices: {place}", file=sys.stderr)
    return int(bool(missed))


def _save(file: Path, tried: list[tuple[Mutant, str, str]], chosen: int) -> list[str]:
    """Write the results, and return the places of the mutants that survived without a reason."""
    outcomes = Counter(dict.fromkeys(OUTCOMES, 0))
    outcomes.update(outcome for _, outcome, _ in tried)
    survived = sorted((m for m, outcome, _ in tried if outcome == SURVIVED), key=lambda m: m.place)
    missed = [m.place for m in survived if m.change not in EQUIVALENT]
    by_file: dict[str, Counter[str]] = {}
    for mutant, outcome, _ in tried:
        if outcome != STILLBORN:
            by_file.setdefault(mutant.file, Counter({KILLED: 0, SURVIVED: 0}))[outcome] += 1
    results: dict[str, Any] = {
        "counts": dict(sorted({"drawn": chosen, "tried": len(tried), **outcomes}.items())),
        "files": {name: dict(sorted(by_file[name].items())) for name in sorted(by_file)},
        "equivalent": {m.place: EQUIVALENT[m.change] for m in survived if m.change in EQUIVALENT},
        "missed": missed,
    }
    report.save(file, {}, results)
    return missed


if __name__ == "__main__":
    sys.exit(main())
