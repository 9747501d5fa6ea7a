"""Compiles the class for this PySpark: `python -m support.local_files`."""

from support.local_files import compile_jar

compile_jar()
