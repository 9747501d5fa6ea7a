"""Local files that are written without a process for the permissions of each: a third less time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import pyspark

# `make` writes it for each PySpark (`python -m support.local_files`).
JAR = Path(sys.prefix) / "local-files.jar"
_SOURCE = Path(__file__).parent / "FilesWithoutPermissions.java"


def settings() -> dict[str, str]:
    """Return the settings of a local session. The JAR goes to the end of the class path.

    There it leaves the class archive valid, which was made with the other JARs alone.
    """
    if not (JAR.exists() and JAR.stat().st_size):
        return {}
    os.environ["SPARK_DIST_CLASSPATH"] = str(JAR)
    return {"spark.hadoop.fs.file.impl": _SOURCE.stem}


def compile_jar() -> None:
    """Compile the class. If this fails, the file is empty, and sessions do without."""
    JAR.unlink(missing_ok=True)
    home = os.environ.get("JAVA_HOME")
    # The Java that runs Spark may be older than the one on the path.
    javac = shutil.which("javac", path=Path(home) / "bin") if home else shutil.which("javac")
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    with TemporaryDirectory() as classes:
        command = [
            javac or "javac",
            "--release",
            "17",
            "-cp",
            str(jars),
            "-d",
            classes,
            str(_SOURCE),
        ]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"tests write files slowly: {error}", file=sys.stderr)
            JAR.touch()
            return
        with ZipFile(JAR, "w") as jar:
            for file in sorted(Path(classes).iterdir()):
                jar.write(file, file.name)
