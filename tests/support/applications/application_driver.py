"""A Spark application that does what it is told: see `application.py`.

The first line of its standard input has the settings, each further line one command, as JSON. It
answers each line with one of JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import limit_pruning


class Driver:
    """The Spark session, and the queries that were planned."""

    def __init__(self, settings: dict[str, str]) -> None:
        """Start the session."""
        builder = SparkSession.builder.appName("limit-pruning-tests")
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.spark = limit_pruning.configure(builder).getOrCreate()
        self.spark.sparkContext.setLogLevel("OFF")
        limit_pruning.verify(self.spark)
        self.planned: list[DataFrame] = []
        self.commands: dict[str, Callable[..., Any]] = {
            "set": self.set,
            "plan": self.plan,
            "run": self.run,
            "times": self.times,
        }

    def set(self, name: str, value: str | None) -> str | None:
        """Set a setting, or unset it, and return what it was before."""
        before = self.spark.conf.get(name, None)
        if value is None:
            self.spark.conf.unset(name)
        else:
            self.spark.conf.set(name, value)
        return before

    def plan(self, sql: str) -> int:
        """Plan a query, which lists files and reads footers, and return its number."""
        df = self.spark.sql(sql)
        df._jdf.queryExecution().executedPlan()
        self.planned.append(df)
        return len(self.planned) - 1

    def run(self, number: int) -> dict[str, Any]:
        """Run what was planned, and return its rows and its report, or its error."""
        df = self.planned[number]
        try:
            rows = [row.asDict() for row in df.collect()]
        except Py4JJavaError as error:
            return {"error": str(error.java_exception.toString())}
        except PySparkException as error:
            return {"error": str(error)}
        limits = [limit.to_dict() for limit in limit_pruning.report(df)]
        return {"rows": rows, "limits": limits}

    def times(self, path: str) -> list[int]:
        """Return the time of a file as Hadoop's listing gives it, and as its status does."""
        jvm: Any = self.spark.sparkContext._jvm
        file = jvm.org.apache.hadoop.fs.Path(path)
        system = file.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())
        (listed,) = [each for each in system.listStatus(file.getParent()) if each.getPath() == file]
        status = system.getFileStatus(file)
        return [listed.getModificationTime(), status.getModificationTime()]


def main() -> None:
    """Do one command after the other until there are no more."""
    driver = Driver(json.loads(sys.stdin.readline()))
    try:
        print("{}", flush=True)
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            print(json.dumps(driver.commands[name](*arguments)), flush=True)
    finally:
        driver.spark.stop()


if __name__ == "__main__":
    main()
