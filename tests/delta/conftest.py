"""One Spark session with Delta Lake, for each order of the two extensions."""

from __future__ import annotations

from support import sessions
from support.delta import session

spark = sessions.fixture(session.start, session.ORDERS)
