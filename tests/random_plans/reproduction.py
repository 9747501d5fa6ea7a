"""Describes a failing case, and saves a script that runs it again."""

from __future__ import annotations

from pathlib import Path

from random_plans.places import Table
from random_plans.queries import Query
from random_plans.settings import Settings
from random_reproduction import FAILURES

_SCRIPT = '''"""{problem}

{story}
"""

import sys

sys.path[:0] = [{tests!r}]
from random_plans import again
from random_plans.queries import Query
from random_plans.specs import Spec

again.query(
    {spec!r},
    {settings!r},
    {query!r},
)
'''


def text(table: Table, settings: Settings, query: Query, problem: str, number: int) -> str:
    """Save a script, and return what it says."""
    sql, candidates = query.over(table)
    story = "\n".join(
        [
            *table.statements,
            *(f"SET {key}={value}" for key, value in settings.items()),
            f"-- fetched {query.way}",
            f"{sql}",
            "-- all rows that it may have:",
            candidates,
        ]
    )
    script = _SCRIPT.format(
        problem=_safe(problem),
        story=_safe(story),
        tests=str(Path(__file__).parents[1]),
        spec=table.spec,
        settings=settings,
        query=query,
    )
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"random_plan_{number}.py"
    path.write_text(script)
    return f"{problem}\nto reproduce, run {path}:\n{story}"


def _safe(words: str) -> str:
    return words.replace("\\", "\\\\").replace('"""', "'''")
