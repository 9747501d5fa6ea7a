"""The classes for Iceberg tables link with Apache Iceberg and the installed PySpark."""

from __future__ import annotations

import pytest

from support.iceberg import session
from support.linkage import class_files, optional


@pytest.mark.core
@pytest.mark.parametrize("version", session.versions() or ("none",))
def test_every_class_for_iceberg_links(version: str) -> None:
    optional.hold(class_files.needs_iceberg, session.jars(version))
