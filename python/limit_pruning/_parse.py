"""Tells of a JAR that is older than this package."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from py4j.protocol import Py4JError

from limit_pruning._errors import JarMismatchError
from limit_pruning._jar import jar_path
from limit_pruning._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_METHOD = "does not exist"  # what py4j says; it has no class of errors for that


class Versioned(Protocol):
    """What can tell the version of the JAR."""

    def version(self) -> str:
        """Return it."""


@contextmanager
def parsed(bridge: Versioned) -> Iterator[None]:
    """Raise JarMismatchError where a method or a key is not there that this package asks for."""
    try:
        yield
    except KeyError as error:
        raise _mismatch(bridge, str(error)) from error
    except Py4JError as error:
        if type(error) is Py4JError and _NO_METHOD in str(error):
            raise _mismatch(bridge, "such thing") from error
        raise


def _mismatch(bridge: Versioned, missing: str) -> JarMismatchError:
    return JarMismatchError(
        f"The session's JAR, of version {bridge.version()}, reports no {missing}; this package is "
        f"limit_pruning {__version__} and brings a JAR of its own, at {jar_path()}: stop the "
        "session and start it with that one, as limit_pruning.configure(builder) does."
    )
