"""Resolves what a JAR refers to against the JARs it will run with, as the JVM would when linking.

Classes of the JDK are assumed to be there, with whatever is looked for in them.

No tool does as much for any installed PySpark, without sbt. `jdeps` finds missing classes, but no
missing members. Missinglink finds both, but not what else the JVM refuses: access to a member that
is not public, a class that became an interface, a final class or method that is extended or
overridden, an abstract method without an implementation.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from support.linkage import class_files
from support.linkage.class_files import ClassFile, Member, Reference

_JDK = ("java/", "javax/", "jdk/", "sun/", "com/sun/management/")
_EMPTY = {"java/io/Serializable", "java/lang/Cloneable"}  # so nothing is found in them
_OF_OBJECT = {
    *("<init>", "clone", "equals", "finalize", "getClass", "hashCode"),
    *("notify", "notifyAll", "toString", "wait"),
}


class ClassPath:
    """Classes by name, each from the first JAR that has it."""

    def __init__(self, jars: list[Path]) -> None:
        """List the JARs' classes; a class is read when it is first looked for."""
        self._archives = [zipfile.ZipFile(jar) for jar in jars]
        self._places = {
            name: archive for archive in reversed(self._archives) for name in archive.namelist()
        }
        self._read: dict[str, ClassFile | None] = {}

    def close(self) -> None:
        """Close the JARs."""
        for archive in self._archives:
            archive.close()

    def add(self, file: ClassFile) -> None:
        """Put a class in front of those of the JARs."""
        self._read[file.name] = file

    def find(self, name: str) -> ClassFile | None:
        """Return a class, or None where no JAR has it."""
        if name not in self._read:
            entry = f"{name}.class"
            archive = self._places.get(entry)
            self._read[name] = class_files.parse(archive.read(entry)) if archive else None
        return self._read[name]

    def lineage(self, name: str) -> Iterator[tuple[str, ClassFile | None]]:
        """Yield a class, its superclasses and then all of their interfaces; None for unknown."""
        chain: list[tuple[str, ClassFile | None]] = []
        current: str | None = name
        while current is not None:
            file = self.find(current)
            chain.append((current, file))
            current = file.superclass if file else None
        yield from chain
        seen: set[str] = set()
        waiting = [each for _, file in chain if file for each in file.interfaces]
        while waiting:
            interface = waiting.pop(0)
            if interface not in seen:
                seen.add(interface)
                file = self.find(interface)
                yield interface, file
                waiting += file.interfaces if file else []


def problems(file: ClassFile, path: ClassPath) -> list[str]:
    """Return what the JVM would refuse in a class, or refuse to call; sorted."""
    found = {f"no class {_dotted(name)}" for name in file.classes if _is_missing(name, path)}
    found |= {_resolve(reference, file, path) for reference in file.references}
    return sorted({*found, *_not_implemented(file, path), *_refused(file, path)} - {""})


def _is_missing(name: str, path: ClassPath) -> bool:
    return not name.startswith(_JDK) and path.find(name) is None


def _resolve(reference: Reference, user: ClassFile, path: ClassPath) -> str:
    """Return what hinders this reference, or nothing."""
    owner = path.find(reference.owner)
    if owner is None:
        return ""  # an array, a class of the JDK, or one that is told as missing
    if not (owner.flags & class_files.PUBLIC or owner.package == user.package):
        return f"{reference}: its class is not public"
    if reference.kind != class_files.FIELD:
        is_interface = bool(owner.flags & class_files.INTERFACE)
        if is_interface != (reference.kind == class_files.INTERFACE_METHOD):
            return f"{reference}: that is {'an interface' if is_interface else 'a class'}"
    for name, declaring in path.lineage(reference.owner):
        if declaring is None:
            if _jdk_may_have(name, reference):
                return ""
        elif member := _declared(declaring, reference):
            seen = member.is_open or declaring.package == user.package
            return "" if seen else f"{reference}: that is not public"
        if reference.name == "<init>":
            break
    return f"no {reference}"


def _declared(file: ClassFile, reference: Reference) -> Member | None:
    members = file.fields if reference.kind == class_files.FIELD else file.methods
    for member in members:
        if (member.name, member.descriptor) == (reference.name, reference.descriptor):
            return member
    return None


def _jdk_may_have(name: str, reference: Reference) -> bool:
    if name == "java/lang/Object":
        return reference.kind != class_files.FIELD and reference.name in _OF_OBJECT
    return name.startswith(_JDK) and name not in _EMPTY


def _not_implemented(file: ClassFile, path: ClassPath) -> Iterator[str]:
    """Yield the abstract methods that a concrete class has inherited and nothing implements."""
    if file.flags & class_files.ABSTRACT:
        return
    known = [each for _, each in path.lineage(file.name) if each]
    done = {
        (method.name, method.descriptor)
        for each in known
        for method in each.methods
        if not method.flags & class_files.ABSTRACT
    }
    for each in known:
        for method in each.methods:
            if (method.name, method.descriptor) not in done and method.name not in _OF_OBJECT:
                yield f"{_dotted(each.name)}.{method.name}{method.descriptor} is not implemented"


def _refused(file: ClassFile, path: ClassPath) -> Iterator[str]:
    """Yield what a class extends or overrides and may not."""
    own = {(method.name, method.descriptor) for method in file.methods}
    for name, each in path.lineage(file.name):
        if each is None or name == file.name:
            continue
        if name == file.superclass and each.flags & class_files.INTERFACE:
            yield f"{_dotted(name)} is an interface"
        if name in file.interfaces and not each.flags & class_files.INTERFACE:
            yield f"{_dotted(name)} is a class"
        if each.flags & class_files.FINAL:
            yield f"{_dotted(name)} is final"
        for method in each.methods:
            overridden = (method.name, method.descriptor) in own
            if overridden and method.flags & class_files.FINAL and not method.is_private:
                yield f"{_dotted(name)}.{method.name}{method.descriptor} is final"


def _dotted(name: str) -> str:
    return name.replace("/", ".")
