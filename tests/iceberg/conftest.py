"""One Spark session with Apache Iceberg, for each order of the two extensions."""

from __future__ import annotations

from support import sessions
from support.iceberg import session

spark = sessions.fixture(session.start, session.ORDERS)
