"""Reads JVM class files: what a class declares, and what it refers to (JVMS, chapter 4).

ASM does the same in a JVM. Its visitors would be about as long, and would need either a process and
a format between the two languages, or a suite that runs only on the Spark that sbt compiles for.
"""

from __future__ import annotations

import re
import struct
import zipfile
from dataclasses import dataclass, field

PUBLIC, FINAL, INTERFACE, ABSTRACT = 0x0001, 0x0010, 0x0200, 0x0400
FIELD, METHOD, INTERFACE_METHOD = "field", "method", "interface method"

_UTF8, _LONG, _DOUBLE, _CLASS, _NAME_AND_TYPE, _METHOD_TYPE = 1, 5, 6, 7, 12, 16
_MEMBERS = {9: FIELD, 10: METHOD, 11: INTERFACE_METHOD}
# The layout behind the tag, for every kind of constant but text.
_LAYOUTS = {
    **dict.fromkeys((7, 8, 16, 19, 20), ">H"),
    **dict.fromkeys((9, 10, 11, 12, 17, 18), ">HH"),
    3: ">i",
    4: ">f",
    5: ">q",
    6: ">d",
    15: ">BH",
}
_CLASS_IN_DESCRIPTOR = re.compile(r"L([^;]+);")


@dataclass(frozen=True, order=True)
class Reference:
    """A member as a class names it: `owner` is in the JVM's form, such as ``java/lang/Object``."""

    kind: str
    owner: str
    name: str
    descriptor: str

    def __str__(self) -> str:
        """Return it as ``method org.apache.spark.sql.Row.size()I``."""
        colon = ":" if self.kind == FIELD else ""
        return f"{self.kind} {self.owner.replace('/', '.')}.{self.name}{colon}{self.descriptor}"


@dataclass(frozen=True)
class Member:
    """A field or method that a class declares."""

    name: str
    descriptor: str
    flags: int

    @property
    def is_private(self) -> bool:
        """Whether only the declaring class sees it."""
        return bool(self.flags & 0x0002)

    @property
    def is_open(self) -> bool:
        """Whether it is public or protected."""
        return bool(self.flags & 0x0005)


@dataclass
class ClassFile:
    """One class or interface; names are in the JVM's form, `superclass` is None for Object's."""

    name: str
    flags: int
    superclass: str | None
    interfaces: list[str]
    fields: list[Member]
    methods: list[Member]
    references: set[Reference] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)

    @property
    def package(self) -> str:
        """The package, or nothing."""
        return self.name.rpartition("/")[0]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def short(self) -> int:
        return self.read(">H")[0]

    def text(self) -> str:
        size = self.short()
        self.at += size
        # The JVM's own UTF-8 differs in zero and in surrogates, which no name here has.
        return self.data[self.at - size : self.at].decode("utf-8", "replace")

    def skip_attributes(self) -> None:
        for _ in range(self.short()):
            _, size = self.read(">HI")
            self.at += size


def parse(data: bytes) -> ClassFile:
    """Return what a class file declares and refers to.

    Raises:
        ValueError: It is no class file.
    """
    reader = _Reader(data)
    if reader.read(">IHH")[0] != 0xCAFEBABE:
        raise ValueError(f"no class file: it starts with {data[:4].hex()}")
    pool, texts = _constants(reader)

    def class_name(index: int) -> str:
        return texts[pool[index][1]]

    flags, this, parent, count = reader.read(">HHHH")
    interfaces = [class_name(reader.short()) for _ in range(count)]
    fields, methods = _declared(reader, texts), _declared(reader, texts)
    file = ClassFile(
        class_name(this), flags, class_name(parent) if parent else None, interfaces, fields, methods
    )
    descriptors = {member.descriptor for member in fields + methods}
    for tag, *values in pool.values():
        if tag == _CLASS:
            named = texts[values[0]]
            (descriptors if named.startswith("[") else file.classes).add(named)
        elif tag == _METHOD_TYPE:
            descriptors.add(texts[values[0]])
        elif tag == _NAME_AND_TYPE:
            descriptors.add(texts[values[1]])
        elif tag in _MEMBERS:
            owner, (_, name, kind) = class_name(values[0]), pool[values[1]]
            file.references.add(Reference(_MEMBERS[tag], owner, texts[name], texts[kind]))
    for descriptor in descriptors:
        file.classes.update(_CLASS_IN_DESCRIPTOR.findall(descriptor))
    return file


def _constants(reader: _Reader) -> tuple[dict[int, tuple[int, ...]], dict[int, str]]:
    pool: dict[int, tuple[int, ...]] = {}
    texts: dict[int, str] = {}
    index, end = 1, reader.short()
    while index < end:
        (tag,) = reader.read(">B")
        if tag == _UTF8:
            texts[index] = reader.text()
        else:
            pool[index] = (tag, *reader.read(_LAYOUTS[tag]))
        index += 2 if tag in (_LONG, _DOUBLE) else 1
    return pool, texts


def _declared(reader: _Reader, texts: dict[int, str]) -> list[Member]:
    members = []
    for _ in range(reader.short()):
        flags, name, descriptor = reader.read(">HHH")
        reader.skip_attributes()
        members.append(Member(texts[name], texts[descriptor], flags))
    return members


def names(jar: zipfile.ZipFile) -> list[str]:
    """The entries of a JAR that are classes."""
    return [name for name in jar.namelist() if name.endswith(".class")]


def needs_delta(name: str) -> bool:
    """Tell whether the entry is a class that refers to classes of Delta Lake."""
    return name.startswith("limitpruning/tables/delta/")


def needs_iceberg(name: str) -> bool:
    """Tell whether the entry is a class that refers to classes of Apache Iceberg."""
    return name.startswith("limitpruning/tables/iceberg/")
