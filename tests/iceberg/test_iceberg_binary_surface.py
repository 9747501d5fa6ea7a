"""The classes for Iceberg tables link with Apache Iceberg and the installed PySpark."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyspark

import limit_pruning
from support.iceberg import session
from support.linkage import class_files
from support.linkage.resolve import ClassPath, problems


def test_every_class_for_iceberg_links() -> None:
    spark = sorted(Path(pyspark.__path__[0], "jars").glob("*.jar"))
    path = ClassPath([limit_pruning.jar_path(), *session.jars(), *spark])
    with zipfile.ZipFile(limit_pruning.jar_path()) as jar:
        names = [name for name in class_files.names(jar) if class_files.needs_iceberg(name)]
        files = [class_files.parse(jar.read(name)) for name in names]
    assert files
    found = [f"{file.name}: {problem}" for file in files for problem in problems(file, path)]
    path.close()
    assert not found, f"with PySpark {pyspark.__version__}"
