"""S3A, Hadoop's client of S3: its JARs and its settings."""

from __future__ import annotations

from pathlib import Path

from benchmarks.s3 import client
from support import downloads


def jars() -> Path:
    """The folder of the JARs that S3A needs beside those of PySpark."""
    return downloads.folder("s3a-jars", client.hadoop_version())


def settings(address: str, folder: Path) -> dict[str, str]:
    """The settings of an application that reads from the server at an address."""
    more = {
        "attempts.maximum": "2",
        "retry.limit": "1",
        # Of the kinds of streams, this makes the requests that it is asked for, and caches nothing.
        "bucket.classic.input.stream.type": "classic",
    }
    return client.settings(address, folder, more)
