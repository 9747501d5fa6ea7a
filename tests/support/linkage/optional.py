"""Whether the classes for an optional neighbour, such as a table format, link with its JARs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pyspark

import limit_pruning
from support.linkage import class_files
from support.linkage.resolve import ClassPath, problems


def hold(needs: Callable[[str], bool], jars: Sequence[Path]) -> None:
    """Assert that our classes find all that they refer to, in these JARs and in PySpark's.

    Args:
        needs: Whether a class, by its name, needs these JARs.
        jars: The JARs of the neighbour.
    """
    spark = sorted(Path(pyspark.__path__[0], "jars").glob("*.jar"))
    path = ClassPath([limit_pruning.jar_path(), *jars, *spark])
    with zipfile.ZipFile(limit_pruning.jar_path()) as jar:
        names = [name for name in class_files.names(jar) if needs(name)]
        files = [class_files.parse(jar.read(name)) for name in names]
    assert files
    found = [f"{file.name}: {problem}" for file in files for problem in problems(file, path)]
    path.close()
    assert not found, f"with PySpark {pyspark.__version__} and {[jar.name for jar in jars]}"
