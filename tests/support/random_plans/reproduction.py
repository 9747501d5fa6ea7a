"""Describes a failing case, and saves a script that runs it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from support.paths import TESTS
from support.random_plans.places import Table
from support.random_plans.queries import Query
from support.random_plans.settings import Settings
from support.random_plans.tally import KEEP_GOING
from support.random_profiles import FAILURES

if TYPE_CHECKING:
    from support.random_plans.cases import Case, Outcome

_SCRIPT = '''"""{problem}

{story}
"""

import sys

sys.path[:0] = [{tests!r}]
from support.random_plans import again
from support.random_plans.cases import Case
from support.random_plans.queries import Query
from support.random_plans.specs import Spec

again.{call}
'''


def of_query(table: Table, query: Query, problem: str, number: int) -> str:
    """Save a script that runs a query again, and return what it says."""
    call = f"query(\n    {table.spec!r},\n    {query!r},\n)"
    sql, candidates = query.over(table)
    story = _story(table.statements, query.settings, sql, candidates, query.way)
    return _save(number, call, problem, story)


def of_case(case: Case, outcome: Outcome, number: int) -> str:
    """Save a script that runs a case again, and return what it says."""
    call = f"case(\n    {case!r}\n)"
    way = f"{case.query.way}, planned before: {', then '.join(case.changes)}"
    story = _story(outcome.statements, case.query.settings, *outcome.sql, way)
    return _save(number, call, outcome.problem, story)


def _story(
    statements: Sequence[str], settings: Settings, sql: str, candidates: str, way: str
) -> str:
    lines = [
        *statements,
        *(f"SET {key}={value}" for key, value in settings.items()),
        f"-- fetched {way}",
        sql,
        "-- all rows that it may have:",
        candidates,
    ]
    return "\n".join(lines)


def _save(number: int, call: str, problem: str, story: str) -> str:
    words = {"problem": _safe(problem), "story": _safe(story)}
    script = _SCRIPT.format(**words, tests=str(TESTS), call=call)
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / (f"random_plan_{number}.py" if KEEP_GOING else "random_plan.py")
    path.write_text(script)
    return f"{problem}\nto reproduce, run {path}:\n{story}"


def _safe(words: str) -> str:
    return words.replace("\\", "\\\\").replace('"""', "'''")
