"""The classes for Delta tables link with Delta Lake and the installed PySpark."""

from __future__ import annotations

import pytest

from support.delta import session
from support.linkage import class_files, optional


@pytest.mark.core
def test_every_class_for_delta_links() -> None:
    optional.hold(class_files.needs_delta, session.jars())
