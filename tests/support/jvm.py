"""How the JVMs of tests are started: for short runs, and with what they have in common loaded."""

from __future__ import annotations

import sys
from pathlib import Path

# The classes that a session of this PySpark loads. `make` writes it (`class_archive`).
ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
# With other class paths or another JDK, a JVM ignores the archive. It must not print that.
_QUIET = "-Xlog:disable -Xlog:all=error,cds=off:stderr"
_ARCHIVED = f"-XX:SharedArchiveFile={ARCHIVE} -Xshare:auto {_QUIET}"
# Sessions of tests end before the optimizing compiler and a concurrent collector have paid off.
# Hadoop starts a process for the permissions of each file that it writes (`local_files` does not).
_CHEAP_PROCESSES = "-Djdk.lang.Process.launchMechanism=VFORK"
SMALL_JVM = f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 {_CHEAP_PROCESSES}" + (
    f" {_ARCHIVED}" if ARCHIVE.exists() else ""
)
# A large young generation, as most of what planning allocates is garbage soon.
JVM_FOR_SHORT_RUNS = f"{SMALL_JVM} -XX:ReservedCodeCacheSize=240m -XX:NewSize=600m"
