"""One session in its own process: reads requests as lines of JSON, and writes their costs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import limit_pruning
from benchmarks.engines import OURS
from benchmarks.engines.spark import open_session, rows_written
from benchmarks.pairs.kinds import SHOW
from benchmarks.queries import PLAN, TO_PANDAS, WRITE

_SHOWN_ROWS = 20
_NUMBERS = re.compile(r"#\d+L?|(?<=plan_id=)\d+|(?<=\[id=)#?\d+")


class Session:
    """A session over tables that are registered when a request needs them."""

    def __init__(self, name: str, data: Path, scratch: Path) -> None:
        """Start it, with the extension if this is the name of ours."""
        jar = limit_pruning.jar_path()
        settings = {
            "spark.driver.memory": "3g",
            # The file system of slow storage; the classes of the extension are not in it.
            "spark.driver.extraClassPath": str(jar.with_name(f"{jar.stem}-tests.jar")),
            "spark.hadoop.fs.slow.impl": "limitpruning.testing.LatencyFileSystem",
        }
        self.session = open_session(name, data, name == OURS, settings)
        self._data = data
        self._output = scratch / "output"
        self._views: set[str] = set()
        java: Any = self.session
        self._storage = java._jvm.limitpruning.testing.LatencyFileSystem
        # The bean's own class is not accessible from Python; this one of Spark's reads a bean.
        bean = java._jvm.javax.management.ObjectName("java.lang:type=OperatingSystem")
        gauge = java._jvm.com.codahale.metrics.jvm.JmxAttributeGauge
        self._cpu = gauge(bean, "ProcessCpuTime")

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run queries one after the other; return wall time and the CPU time of the JVM."""
        self._prepare(request)
        shutil.rmtree(self._output, ignore_errors=True)
        self._storage.setMillis(request["latency"])
        try:
            cpu = self._cpu.getValue()
            started = time.perf_counter()
            for sql in request["sql"]:
                self._act(sql, request["action"])
            seconds = time.perf_counter() - started
            cpu = self._cpu.getValue() - cpu
        finally:
            self._storage.setMillis(0)
        return {"seconds": seconds, "cpu": cpu / 1e9}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the number of rows of each query, and the values of its sort key in order."""
        self._prepare(request)
        answers: list[list[int | str]] = []
        for sql, key in zip(request["sql"], request["keys"], strict=True):
            if request["action"] == WRITE:
                self._act(sql, WRITE)
                answers.append([rows_written(self._output)])
                continue
            rows = self.session.sql(sql).collect()
            answers.append([len(rows), *(str(row[key]) for row in rows if key)])
        return {"answers": answers}

    def plan(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the physical plan of each query, without the numbers that differ in each plan."""
        self._prepare(request)
        plans = []
        for sql in request["sql"]:
            java: Any = self.session.sql(sql)
            text = java._jdf.queryExecution().executedPlan().toString()
            plans.append(_NUMBERS.sub("", text))
        return {"plans": plans}

    def _prepare(self, request: dict[str, Any]) -> None:
        """Register the table, and switch the extension, if the session has it."""
        view = request["view"]
        if view not in self._views:
            self._views.add(view)
            folder = self._data / request["table"]
            rows = self.session.read.parquet(str(folder))
            if request["latency"]:
                rows = self.session.read.schema(rows.schema).parquet(f"slow://{folder}")
            # The files are listed here, once; the view stores the listing.
            rows.createOrReplaceTempView(view)
        if request["enabled"] is not None:
            self.session.conf.set("spark.limitPruning.enabled", str(request["enabled"]).lower())

    def _act(self, sql: str, action: str) -> None:
        rows = self.session.sql(sql)
        if action == PLAN:
            java: Any = rows
            java._jdf.queryExecution().executedPlan()
        elif action == WRITE:
            rows.write.mode("overwrite").parquet(str(self._output))
        elif action == TO_PANDAS:
            rows.toPandas()
        elif action == SHOW:
            rows.show(_SHOWN_ROWS)
        else:
            rows.collect()


def main(name: str, data: Path, scratch: Path) -> None:
    """Serve until the input ends; output of libraries goes to the error stream."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def send(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    session = Session(name, data, scratch)
    serve = {"run": session.run, "answer": session.answer, "plan": session.plan}
    send({"version": session.session.version})
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                send(serve[request["do"]](request))
            except Exception:  # noqa: BLE001 (the other process names the query)
                send({"error": traceback.format_exc()})
    finally:
        session.session.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
