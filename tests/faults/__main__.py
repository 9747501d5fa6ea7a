"""Plants each fault, and writes which tests found it: `python -m faults RESULTS.json [WORDS]`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import report
from faults.planted import FAULTS
from faults.trial import BuildError, Copy, Run
from support.paths import ROOT

WORK = ROOT / "target" / "faults"


def main() -> int:
    """Return 0 if a test found each fault.

    With words on the command line, only faults whose description contains one of them are planted.
    Of the others, the results in the file are kept.
    """
    results, *words = sys.argv[1:]
    chosen = [fault for fault in FAULTS if not words or any(word in fault.what for word in words)]
    found: list[dict[str, Any]] = []
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
            found.append({"fault": fault.what, "runs": [asdict(run) for run in runs]})
    file = Path(results)
    before = json.loads(file.read_text(encoding="utf-8"))["faults"] if words else []
    by_fault = {one["fault"]: one for one in [*before, *found]}
    kept = [by_fault[fault.what] for fault in FAULTS if fault.what in by_fault]
    report.save(file, {}, {"faults": kept})
    missed = [one["fault"] for one in found if not any(run["found"] for run in one["runs"])]
    for what in missed:
        print(f"no test found: {what}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
