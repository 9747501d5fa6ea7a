"""One process of a fuzz run: `python -m support.fuzz.worker SECONDS SEED FILE`.

It draws rounds until the time is over, and a few more: the seed that it began with is finished. It
writes its counts to the file after each round.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["RANDOM_PLANS_KEEP_GOING"] = "1"
os.environ["TZ"] = "UTC"  # PySpark gives timestamps in the local time zone
time.tzset()

from hypothesis import Phase, given, seed, settings  # noqa: E402 # after the variables above
from hypothesis import strategies as st  # noqa: E402
from pyspark.logger import PySparkLogger  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import limit_pruning  # noqa: E402
from support.fuzz.counts import ERRORS, SECONDS, WRONG, Counts  # noqa: E402
from support.fuzz.rounds import KINDS, Round  # noqa: E402
from support.random_profiles import FAILURES, FUZZ  # noqa: E402
from support.sessions import local_builder  # noqa: E402

# Unlike the tests' session, this one lives long enough for the optimizing compiler.
JVM = "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=512m"
# Examples of one seed. Hypothesis tries the smallest one first.
EXAMPLES = 5


def main() -> None:
    """Draw rounds until the time is over."""
    end = time.monotonic() + float(sys.argv[1])
    chance, file = random.Random(int(sys.argv[2])), Path(sys.argv[3])
    counts: Counts = {kind: Counter() for kind in KINDS}
    with TemporaryDirectory() as scratch:
        builder = local_builder(Path(scratch)).config("spark.driver.extraJavaOptions", JVM)
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        spark = limit_pruning.configure(builder).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")  # predicates fail on some rows
        PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
        limit_pruning.verify(spark)
        while time.monotonic() < end:
            kind = min(KINDS, key=lambda name: counts[name][SECONDS] / KINDS[name][1])
            _examples(spark, kind, chance.getrandbits(64), counts, file)
        spark.stop()


def _examples(spark: SparkSession, kind: str, number: int, counts: Counts, file: Path) -> None:
    """Try some examples of a kind, with this seed."""
    report = partial(_save, kind, number)
    check: Round = KINDS[kind][0]
    own = counts[kind]

    @seed(number)
    @settings(FUZZ, phases=[Phase.generate], max_examples=EXAMPLES)
    @given(st.data())
    def examples(data: st.DataObject) -> None:
        start = time.monotonic()
        try:
            check(spark, data, own, report)
        except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError, OSError):
            own[ERRORS] += 1
            report(traceback.format_exc())
        own.update({SECONDS: time.monotonic() - start})
        file.write_text(json.dumps(counts), encoding="utf-8")

    before = own[WRONG]
    examples()
    if own[WRONG] > before:
        print(f"wrong answers of {kind} with seed {number}", flush=True)


def _save(kind: str, number: int, problem: str) -> None:
    FAILURES.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() else "-" for c in kind.split("…")[0].split(",")[0].strip())
    taken = len(list(FAILURES.glob(f"{name}-{number}-*.txt")))
    file = FAILURES / f"{name}-{number}-{taken}.txt"
    file.write_text(f"{kind}, seed {number}\n{problem}\n", encoding="utf-8")
    print(f"{file}: {problem[:300]}", flush=True)


if __name__ == "__main__":
    main()
