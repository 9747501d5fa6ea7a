"""The classes for Iceberg tables link with Apache Iceberg and the installed PySpark."""

from __future__ import annotations

import pytest

from support.iceberg import session
from support.linkage import class_files, optional
from support.linkage.resolve import ClassPath

SOURCE = "org/apache/iceberg/spark/source"
PARTS = [
    *["Lorg/apache/spark/api/java/JavaSparkContext;", "Lorg/apache/iceberg/Table;"],
    *["Ljava/util/function/Supplier;", "Lorg/apache/iceberg/spark/SparkReadConf;"],
    *["Lorg/apache/iceberg/types/Types$StructType;", "Ljava/util/List;"],
    *["Lorg/apache/iceberg/Schema;", "I"],
]
"""The types that the constructor of Iceberg's batch takes, since Iceberg 1.11."""


@pytest.mark.core
@pytest.mark.parametrize("version", session.versions() or ("none",))
def test_every_class_for_iceberg_links(version: str) -> None:
    optional.hold(class_files.needs_iceberg, session.jars(version))


@pytest.mark.core
@pytest.mark.parametrize("version", session.versions() or ("none",))
def test_iceberg_has_what_is_found_by_name(version: str) -> None:
    """The members that the class ``ScanInternals`` finds by reflection."""
    path = ClassPath(session.jars(version))
    scan = [file for _, file in path.lineage(f"{SOURCE}/SparkBatchQueryScan") if file]
    fields = {field.name for file in scan for field in file.fields}
    assert fields >= {"sparkContext", "table", "readConf", "scan"}
    assert fields & {"projection", "expectedSchema"}
    assert any(method.name == "tasks" for file in scan for method in file.methods)
    batch = path.find(f"{SOURCE}/SparkBatch")
    assert batch
    parts = [part for part in PARTS if "fileIO" in fields or "Supplier" not in part]
    made = [each.descriptor for each in batch.methods if each.name == "<init>"]
    assert f"({''.join(parts)})V" in made
    reader = path.find("org/apache/iceberg/parquet/ParquetMetricsRowGroupFilter$MetricsEvalVisitor")
    assert reader
    knows_defaults = any(method.name == "predicate" for method in reader.methods)
    assert knows_defaults == (version >= "1.12"), "what the default of a column proves"
    path.close()
