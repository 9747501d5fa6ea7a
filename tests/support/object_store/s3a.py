"""S3A, Hadoop's client of S3: its JARs and its settings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark

from support.paths import ROOT


class NotToBeHadError(Exception):
    """The JARs cannot be had."""


def hadoop_version() -> str:
    """The version of the Hadoop that comes with PySpark."""
    (jar,) = (Path(pyspark.__path__[0]) / "jars").glob("hadoop-client-api-*.jar")
    return jar.stem.removeprefix("hadoop-client-api-")


def jars() -> Path:
    """The folder of the JARs that S3A needs beside those of PySpark; downloads them once."""
    command = [str(ROOT / "bin" / "s3a-jars"), hadoop_version()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode != 0:
        raise NotToBeHadError(f"no JARs for S3A: {run.stderr}")
    return Path(run.stdout.strip())


def settings(address: str, folder: Path) -> dict[str, str]:
    """The settings of an application that reads from the server at an address."""
    s3a = {
        "endpoint": address,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "access.key": "any",
        "secret.key": "any",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "attempts.maximum": "2",
        "retry.limit": "1",
        # Of the kinds of streams, this makes the requests that it is asked for, and caches nothing.
        "bucket.classic.input.stream.type": "classic",
    }
    hadoop = {f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()}
    return hadoop | {"spark.driver.extraClassPath": f"{folder}/*"}
