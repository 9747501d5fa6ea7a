"""S3A, Hadoop's client of S3: its JARs and its settings."""

from __future__ import annotations

from pathlib import Path

import pyspark

from support import downloads


def hadoop_version() -> str:
    """The version of the Hadoop that comes with PySpark."""
    (jar,) = (Path(pyspark.__path__[0]) / "jars").glob("hadoop-client-api-*.jar")
    return jar.stem.removeprefix("hadoop-client-api-")


def jars() -> Path:
    """The folder of the JARs that S3A needs beside those of PySpark."""
    return downloads.folder("s3a-jars", hadoop_version())


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
