"""One engine in its own process: reads queries as lines of JSON, and writes their costs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
import traceback
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks import engines, measure
from benchmarks.engines import Engine
from benchmarks.queries import Asked, Query


def main(name: str, data: Path, scratch: Path) -> None:
    """Serve until the input ends; output of libraries goes to the error stream."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = engines.start(name, data)
    _send(answers, {"version": engine.version})
    try:
        for line in sys.stdin:
            request = json.loads(line)
            _send(answers, _answer(engine, request, scratch))
    finally:
        engine.stop()


def _answer(engine: Engine, request: dict[str, Any], scratch: Path) -> dict[str, Any]:
    try:
        if "count" in request:
            return {"count": engine.count(request["count"])}  # type: ignore[attr-defined] # DuckDB
        if "check" in request:
            rows = engine.values(Query.from_dict(request["check"]).check)
            return {"rows": [[_text(value) for value in row] for row in rows]}
        if "decoded" in request:
            return asdict(engine.decoded(Query.from_dict(request["decoded"])))
        return run(engine, Query.from_dict(request["run"]), scratch)
    except Exception:  # noqa: BLE001 (the other process names the query, and stops)
        return {"error": traceback.format_exc()}


def _text(value: object) -> str:
    """Return a value as all engines show it: times without a zone, numbers without a type."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat()
    # Adding 0 turns -0.0 into 0.0: they are equal in SQL, and engines differ in the minimum.
    return f"{value + 0:.9g}" if isinstance(value, (float, Decimal)) else str(value)


def run(engine: Engine, query: Asked, scratch: Path) -> dict[str, Any]:
    """Run a query; return its costs, as `Run` has them."""
    output = scratch / "output"
    shutil.rmtree(output, ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)
    before = engine.started()
    bytes_before = measure.bytes_read(engine.pid())
    started = time.perf_counter()
    rows = engine.run(query, output)
    seconds = time.perf_counter() - started
    bytes_read = measure.bytes_read(engine.pid()) - bytes_before
    after = engine.started()
    jobs, tasks = (
        (None, None)
        if before is None or after is None
        else (after[0] - before[0], after[1] - before[1])
    )
    return {"seconds": seconds, "bytes": bytes_read, "rows": rows, "jobs": jobs, "tasks": tasks}


def _send(answers: Any, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
