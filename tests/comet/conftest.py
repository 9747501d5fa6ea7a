"""One Spark session with Apache DataFusion Comet, for each order of the two extensions."""

from __future__ import annotations

from support import sessions
from support.comet import session

spark = sessions.fixture(session.start, session.ORDERS)
