"""What an object store sees of a query."""

from __future__ import annotations

from dataclasses import dataclass

from support.applications.application import Answer, Application
from support.object_store.buckets import Requests


@dataclass(frozen=True)
class Seen:
    """What the store saw of a query, and what came of it."""

    planning: Requests
    running: Requests
    answer: Answer


def seen_by(app: Application, address: str, sql: str) -> Seen:
    """Plan and run a query."""
    Requests.since_last(address)
    number = app.plan(sql)
    planning = Requests.since_last(address)
    answer = app.run(number)
    return Seen(planning, Requests.since_last(address), answer)
