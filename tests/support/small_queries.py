"""Spares queries what each of them does in Spark, and no test needs: a fifth of a small one."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

# A thousand defaults of Hadoop. Spark copies all settings for each query, and compresses every
# single one for the tasks of a scan.
_OF_SERVICES = (
    r"yarn\.|mapred|ipc\.|ha\.|hadoop\.(http|registry|security|zk)\.|fs\.(s3a|gs|azure|viewfs)\."
)
_KEPT = rf"^(?!{_OF_SERVICES})|^mapreduce\.fileoutputcommitter"  # Spark sets how it commits


def make_cheap(spark: SparkSession) -> None:
    """Make small queries cheap in all sessions of the application, which uses local files alone."""
    context: Any = spark.sparkContext
    jvm, settings = context._jvm, context._jsc.hadoopConfiguration()
    jvm.org.apache.hadoop.mapred.JobConf()  # adds its defaults, now and not later
    kept = dict(settings.getValByRegex(_KEPT))
    settings.clear()
    for name, value in kept.items():
        settings.set(name, value)
    # py4j searches all JARs for the name, in one package after another, whenever it is used.
    jvm.PythonUtils = jvm.PythonUtils
