"""Plants each fault, and writes which tests found it: `python -m faults RESULTS.json [PARTS]`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import report
from faults.fault import PARTS, Fault
from faults.planted import FAULTS
from faults.trial import BuildError, Copy, Run
from support.paths import ROOT

WORK = ROOT / "target" / "faults"


def main() -> int:
    """Return 0 if a test found each fault.

    With words on the command line, only some faults are planted: those of a part of the product, if
    a word is its name, and those whose description contains another word. Of the others, the
    results in the file are kept.
    """
    results, *words = sys.argv[1:]
    chosen = [fault for fault in FAULTS if not words or any(is_meant(fault, w) for w in words)]
    if not chosen:
        print(f"no fault is meant by {' '.join(words)}; parts: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    file = Path(results)
    if not words:
        file.unlink(missing_ok=True)
    missed: list[str] = []
    with Copy(WORK / "copy") as copy, (WORK / "pytest.log").open("w", encoding="utf-8") as log:
        for fault in chosen:
            runs: list[Run] = []
            tests: tuple[str, ...] = ()
            try:
                copy.plant(fault)
                tests = fault.tests
            except BuildError as error:
                print(f"{fault.what}: does not compile\n{error}", file=sys.stderr)
            for test in tests:
                runs.append(copy.run(test, log))
                print(f"{fault.what}: {runs[-1]}", flush=True)
                if runs[-1].found:
                    break
            copy.restore(fault)
            save(file, {"fault": fault.what, "runs": [asdict(run) for run in runs]})
            if not any(run.found for run in runs):
                missed.append(fault.what)
    for what in missed:
        print(f"no test found: {what}", file=sys.stderr)
    return 1 if missed else 0


def save(file: Path, found: dict[str, Any]) -> None:
    """Write the results of a fault into the file, beside those of the others."""
    before = json.loads(file.read_text(encoding="utf-8"))["faults"] if file.exists() else []
    by_fault = {one["fault"]: one for one in [*before, found]}
    kept = [by_fault[fault.what] for fault in FAULTS if fault.what in by_fault]
    report.save(file, {}, {"faults": kept})


def is_meant(fault: Fault, word: str) -> bool:
    """Return whether a word chooses a fault."""
    return fault.part == word if word in PARTS else word in fault.what


if __name__ == "__main__":
    sys.exit(main())
