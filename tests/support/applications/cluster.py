"""A standalone Spark cluster on loopback: a master and two workers, from the installed PySpark.

As a script it starts them, prints the master's address once the workers are there, and stops them
when its standard input ends: nothing is left, however the process that started it came to its end.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pyspark

from support.jvm import SMALL_JVM
from support.processes import environment, program

WORKERS = ("127.0.0.1", "localhost")
"""The hosts of the workers. Spark runs the second copy of a task only on another host."""
PATIENCE = 90  # seconds, on a machine that is busy with other things
LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}


@contextmanager
def running(folder: Path, cores: int = 1) -> Iterator[str]:
    """Keep a cluster for the block, with its logs in `folder`, and give its master's address.

    Args:
        folder: Also for what executors write.
        cores: Of each worker; the machine may have fewer.
    """
    supervisor = subprocess.Popen(
        program(__name__, str(folder), str(cores)),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for pytest, which then ends this
    )
    with supervisor:
        assert supervisor.stdin
        assert supervisor.stdout
        try:
            master = supervisor.stdout.readline().strip()
            assert master, "the cluster did not start: its logs stand above"
            yield master
        finally:
            supervisor.stdin.close()
            supervisor.wait(PATIENCE)


def told(module: str, task: dict[str, Any]) -> dict[str, Any]:
    """Run an application that reads its task from standard input; return what it prints."""
    run = subprocess.run(
        program(module),
        input=json.dumps(task),
        env=environment(**LOOPBACK, PYSPARK_PYTHON=sys.executable),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@contextmanager
def daemon(folder: Path, name: str, *command: str, memory: str = "256m") -> Iterator[Path]:
    """Keep one of Spark's daemons for the block, and give its log."""
    pyspark_home = Path(pyspark.__path__[0])
    small = {"SPARK_DAEMON_MEMORY": memory, "SPARK_DAEMON_JAVA_OPTS": SMALL_JVM}
    log = folder / f"{name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(pyspark_home / "bin" / "spark-class"), *command],
            cwd=folder,
            env=os.environ | LOOPBACK | small | {"SPARK_HOME": str(pyspark_home)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # with the executors that it starts
        )
    try:
        yield log
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, how)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)


def awaited(log: Path, pattern: str, times: int = 1) -> str:
    """Wait until a log has the pattern so many times, and return the first match's group."""
    deadline = time.monotonic() + PATIENCE
    while True:
        text = log.read_text(errors="replace")
        found = re.findall(pattern, text)
        if len(found) >= times:
            return str(found[0])
        if time.monotonic() > deadline:
            raise TimeoutError(f"no '{pattern}' in {log}:\n{text}")
        time.sleep(0.1)


def main(folder: Path, cores: str) -> None:
    """Run a cluster until standard input ends."""
    anywhere = ("--port", "0", "--webui-port", "0")
    with ExitStack() as daemons:
        at = ("--host", "127.0.0.1", *anywhere)
        master = daemons.enter_context(
            daemon(folder, "master", "org.apache.spark.deploy.master.Master", *at)
        )
        address = awaited(master, r"Starting Spark master at (spark://\S+)")
        for number, host in enumerate(WORKERS):
            name = f"worker-{number}"
            at = ("--host", host, *anywhere)
            size = ("--cores", cores, "--memory", "1g", "--work-dir", str(folder / name))
            worker = "org.apache.spark.deploy.worker.Worker"
            daemons.enter_context(daemon(folder, name, worker, *at, *size, address))
        awaited(master, r"Registering (worker)", times=len(WORKERS))
        print(address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
