"""Shapes with the first rows of each group, or with a MIN or MAX, which plain Spark answers alike.

Most orders are unique. Of rows with the same keys, a query returns what they have in common.
"""

from __future__ import annotations

from support.random_plans.shape import Shape

NUMBERED = (
    "SELECT *, row_number() OVER (PARTITION BY $groups ORDER BY $by, $unique) AS num"
    " FROM $from$where"
)
TIED = NUMBERED.replace(", $unique", "")
FIRST = f"SELECT $cols, num FROM ({NUMBERED}) WHERE num <= $few"
BESIDE = NUMBERED.replace("*,", "*, rank() OVER (PARTITION BY $groups ORDER BY $by) AS place,")
OF_SECOND = FIRST.replace("$from$where", "$T$second")


def _one_answer(sql: str) -> Shape:
    return Shape(sql, sql, claim="all")


WINDOWS: dict[str, Shape] = {
    "first of groups": _one_answer(FIRST),
    "first of groups, one": _one_answer(f"SELECT $cols FROM ({NUMBERED}) WHERE num = 1"),
    "first of groups, less": _one_answer(f"SELECT $cols, num FROM ({NUMBERED}) WHERE num < $few"),
    "first of groups, ties": _one_answer(
        f"SELECT $groups, $keyed, num FROM ({TIED}) WHERE num <= $few"
    ),
    "first of groups, filters above": _one_answer(f"{FIRST} AND s >= 'b' AND id % 3 <> 1"),
    "first of groups, count": _one_answer(
        f"SELECT count(*) AS n, sum(id) FROM ({NUMBERED}) WHERE num <= $few"
    ),
    "first of groups, join above": _one_answer(
        f"SELECT $cols, num, bw FROM ({NUMBERED}) JOIN big ON id = bid WHERE num <= $few"
    ),
    "first of groups, window above": _one_answer(
        f"SELECT * FROM (SELECT $cols, row_number() OVER (ORDER BY num, $unique) AS place"
        f" FROM ({NUMBERED}) WHERE num <= $few) WHERE place <= $few"
    ),
    "first of groups, another window": _one_answer(
        f"SELECT $cols, num, place FROM ({BESIDE}) WHERE num <= $few"
    ),
    "first of groups in branches": _one_answer(f"{FIRST} UNION ALL {OF_SECOND}"),
    "first of groups, lateral": _one_answer(
        f"SELECT y.* FROM (VALUES (0)) AS one(u), LATERAL ({FIRST}) AS y"
    ),
    "first of groups, subquery": _one_answer(
        f"SELECT $cols FROM $T WHERE id IN (SELECT id FROM ({NUMBERED}) WHERE num <= $few)$guard"
    ),
    "first of groups, CTE in halves": _one_answer(
        f"WITH c AS ({NUMBERED})"
        " SELECT $cols FROM c WHERE num <= $few UNION ALL SELECT $cols FROM c WHERE num > $few"
    ),
    # Both uses of the definition take the same of equal rows.
    "first of groups, CTE twice": Shape(
        f"WITH c AS (SELECT id FROM ({TIED}) WHERE num <= $few)"
        " SELECT count(*) AS n FROM c a LEFT ANTI JOIN c b ON a.id = b.id",
        "SELECT 0L AS n",
        claim="all",
    ),
    "extremes": _one_answer("SELECT $extremes FROM $from$where"),
    "extremes in branches": _one_answer(
        "SELECT $extremes FROM $from$where UNION ALL SELECT $extremes FROM $T$second"
    ),
}
