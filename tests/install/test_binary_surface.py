"""The JAR links with the installed PySpark: everything that its classes refer to is there.

The JAR for Spark 4 is compiled against one minor and serves four. A member that another minor lacks
would show only when a query comes to it; here it shows at once, with the class that uses it.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

import limit_pruning
from support.linkage import class_files
from support.linkage.class_files import FIELD, INTERFACE_METHOD, METHOD, Reference
from support.linkage.resolve import ClassPath, problems

pytestmark = pytest.mark.core

SQL = "org/apache/spark/sql"
TAGS = {FIELD: 9, METHOD: 10, INTERFACE_METHOD: 11}
CONF, NONE, ROW = "org/apache/spark/SparkConf", "scala/None$", f"{SQL}/Row"
FOUND = Reference(METHOD, CONF, "getAll", "()[Lscala/Tuple2;")
MADE_UP = {
    "no class made.Up": Reference(METHOD, "made/Up", "f", "()V"),
    "no class made.Part": Reference(METHOD, "java/lang/Object", "f", "(I[Lmade/Part;)V"),
    "no field scala.None$.f:I": Reference(FIELD, NONE, "f", "I"),
    "no field scala.None$.MODULE$:I": Reference(FIELD, NONE, "MODULE$", "I"),
    "no method org.apache.spark.SparkConf.f()V": Reference(METHOD, CONF, "f", "()V"),
    "no method org.apache.spark.SparkConf.get()I": Reference(METHOD, CONF, "get", "()I"),
    "no interface method org.apache.spark.sql.Row.f()V": Reference(
        INTERFACE_METHOD, ROW, "f", "()V"
    ),
    "method org.apache.spark.sql.Row.size()I: that is an interface": Reference(
        METHOD, ROW, "size", "()I"
    ),
    "method scala.None$.<init>()V: that is not public": Reference(METHOD, NONE, "<init>", "()V"),
}


@pytest.fixture(scope="module")
def path() -> Iterator[ClassPath]:
    """The JAR and Spark's own, as they stand together in a session."""
    spark = sorted(Path(pyspark.__path__[0], "jars").glob("*.jar"))
    opened = ClassPath([limit_pruning.jar_path(), *spark])
    yield opened
    opened.close()


def test_every_class_links(path: ClassPath) -> None:
    with zipfile.ZipFile(limit_pruning.jar_path()) as jar:
        # Delta Lake and Apache Iceberg are optional. tests/delta and tests/iceberg link the
        # classes that need them.
        optional = (class_files.needs_delta, class_files.needs_iceberg)
        classes = [
            name for name in class_files.names(jar) if not any(needs(name) for needs in optional)
        ]
        files = [class_files.parse(jar.read(name)) for name in classes]
    assert any(f"{SQL}/SparkSessionExtensions" in file.classes for file in files)
    found = [f"{file.name}: {problem}" for file in files for problem in problems(file, path)]
    assert not found, f"with PySpark {pyspark.__version__}"


@pytest.mark.parametrize(("problem", "reference"), MADE_UP.items())
def test_a_made_up_reference_is_found(path: ClassPath, problem: str, reference: Reference) -> None:
    made = class_files.parse(class_file(reference))
    path.add(made)
    assert made.references == {reference}
    assert problems(made, path) == [problem]


@pytest.mark.parametrize(
    ("superclass", "problem"),
    [
        (f"{SQL}/execution/SparkPlan", "SparkPlan.doExecute()Lorg/apache/spark/rdd/RDD; is not"),
        (ROW, "org.apache.spark.sql.Row is an interface"),
        (NONE, "scala.None$ is final"),
    ],
)
def test_a_made_up_class_is_refused(path: ClassPath, superclass: str, problem: str) -> None:
    made = class_files.parse(class_file(FOUND, superclass))
    path.add(made)
    assert any(problem in each for each in problems(made, path))


def class_file(reference: Reference, superclass: str = "java/lang/Object") -> bytes:
    """Return a class without members that refers to this one."""
    pool: list[bytes] = []

    def constant(tag: int, content: bytes) -> int:
        pool.append(bytes([tag]) + content)
        return len(pool)

    def text(value: str) -> int:
        return constant(1, struct.pack(">H", len(value)) + value.encode())

    def pair(tag: int, one: int, other: int) -> int:
        return constant(tag, struct.pack(">HH", one, other))

    def named(name: str) -> int:
        return constant(7, struct.pack(">H", text(name)))

    member = pair(12, text(reference.name), text(reference.descriptor))
    pair(TAGS[reference.kind], named(reference.owner), member)
    names = named("Made"), named(superclass)
    head = struct.pack(">IHHH", 0xCAFEBABE, 0, 61, len(pool) + 1)
    return head + b"".join(pool) + struct.pack(">HHHHHHH", 0x0021, *names, 0, 0, 0, 0)
