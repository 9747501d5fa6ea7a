"""S3A, Hadoop's client of S3: its version and its settings for a server on loopback."""

from __future__ import annotations

from pathlib import Path

import pyspark


def hadoop_version() -> str:
    """Return the version of the Hadoop that comes with PySpark."""
    (jar,) = (Path(pyspark.__path__[0]) / "jars").glob("hadoop-client-api-*.jar")
    return jar.stem.removeprefix("hadoop-client-api-")


def settings(address: str, jars: Path, more: dict[str, str]) -> dict[str, str]:
    """Return the settings of an application that reads from a server.

    Args:
        address: The server's address.
        jars: The folder of the JARs that S3A needs beside those of PySpark.
        more: Other settings of S3A, without their prefix.
    """
    s3a = {
        "endpoint": address,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "access.key": "any",
        "secret.key": "any",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        **more,
    }
    hadoop = {f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()}
    return hadoop | {"spark.driver.extraClassPath": f"{jars}/*"}
