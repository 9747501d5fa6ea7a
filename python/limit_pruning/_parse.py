"""Tells of a JAR that is older than this package."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from py4j.protocol import Py4JError, Py4JJavaError

from limit_pruning._version import __version__
from limit_pruning.errors import JarMismatchError
from limit_pruning.jar import jar_path

if TYPE_CHECKING:
    from collections.abc import Iterator


class Versioned(Protocol):
    """What can tell the version of the JAR."""

    def version(self) -> str:
        """Return it."""


@contextmanager
def parsed(bridge: Versioned) -> Iterator[None]:
    """Raise JarMismatchError where a method or a key is not there that this package asks for."""
    try:
        yield
    except (KeyError, Py4JError) as error:
        if isinstance(error, Py4JJavaError):
            raise
        raise JarMismatchError(
            f"The session's JAR, of version {bridge.version()}, reports no {_missing(error)}; this "
            f"package is limit_pruning {__version__} and brings a JAR of its own, at "
            f"{jar_path()}: stop the session and start it with that one, as "
            "limit_pruning.configure(builder) does."
        ) from error


def _missing(error: Exception) -> str:
    return str(error) if isinstance(error, KeyError) else str(error).splitlines()[0]
