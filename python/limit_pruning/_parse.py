"""Makes results from the JSON of the JAR, and detects a JAR of another version."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from limit_pruning._errors import JarMismatchError
from limit_pruning._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import DataclassInstance

    Result = TypeVar("Result", bound=DataclassInstance)

_NO_METHOD = "does not exist"  # in the message of py4j, which has no class for this error


class Versioned(Protocol):
    """An object that has the version of the JAR."""

    def version(self) -> str:
        """Return the version."""


def result_of(kind: type[Result], entry: Any, **converted: Any) -> Result:
    """Return a result from the JSON object with the same names.

    Args:
        kind: A dataclass.
        entry: The JSON object.
        converted: Attributes for which the JSON value is not used as it is.

    Raises:
        KeyError: The JSON object lacks an attribute, or is no object.
    """
    if not isinstance(entry, dict):
        raise KeyError(kind.__name__)
    names = [field.name for field in fields(kind) if field.name not in converted]
    return kind(**{name: entry[name] for name in names}, **converted)


@contextmanager
def parsed(bridge: Versioned) -> Iterator[None]:
    """Raise JarMismatchError where the JAR lacks a method or a key that this package needs."""
    from py4j.protocol import Py4JError

    try:
        yield
    except KeyError as error:
        raise _mismatch(bridge, str(error)) from error
    except Py4JError as error:
        if type(error) is Py4JError and _NO_METHOD in str(error):
            raise _mismatch(bridge, "such method") from error
        raise


def _mismatch(bridge: Versioned, missing: str) -> JarMismatchError:
    from py4j.protocol import Py4JError

    try:
        version = bridge.version()
    except Py4JError:
        version = "unknown"
    return JarMismatchError(
        f"The session's JAR has version {version} and reports no {missing}; this package is "
        f"limit_pruning {__version__} and needs the JAR of its own version. Stop the session, "
        "remove the other JAR from spark.jars, and start the session with the JAR whose path "
        "`python -m limit_pruning jar` prints; limit_pruning.configure(builder) adds that JAR."
    )
