"""Shapes with a LIMIT in a subquery, which Spark optimizes before the query around it.

The first two have their LIMIT at the root. They are here for the places, conditions and settings
that are drawn with these shapes alone.
"""

from __future__ import annotations

from support.random_plans.shape import Shape, behind, first, same

ROWS = "SELECT $cols FROM $from$where"
ORDERED = "SELECT $keyed, $cols FROM $from$where ORDER BY $order"
COUNT = "SELECT least(count(*), $n) AS n FROM $from$where"
ONE = "(VALUES (0)) AS one(u)"
TWO = "(VALUES (0), (1)) AS two(u)"
LISTED = "SELECT y.* FROM (SELECT explode((SELECT collect_list(struct(*)) FROM ({}))) AS y)"

INNER: dict[str, Shape] = {
    "alone": Shape(f"{ROWS} LIMIT $n", ROWS),
    "order alone": Shape(f"{ORDERED} LIMIT $n", ORDERED, first, "order"),
    "lateral": Shape(f"SELECT y.* FROM {ONE}, LATERAL ({ROWS} LIMIT $n) AS y", ROWS),
    "lateral, offset": Shape(
        f"SELECT y.* FROM {ONE}, LATERAL ({ROWS} LIMIT $n OFFSET $o) AS y", ROWS, behind
    ),
    "lateral, star": Shape(
        f"SELECT y.* FROM {ONE}, LATERAL (SELECT * FROM $from$where LIMIT $n) AS y",
        "SELECT * FROM $from$where",
    ),
    "lateral, twice": Shape(
        f"SELECT u, y.* FROM {TWO}, LATERAL ({ROWS} LIMIT $n) AS y",
        f"SELECT u, y.* FROM {TWO}, LATERAL ({ROWS}) AS y",
        same,
        "branches",
    ),
    "lateral, correlated": Shape(
        f"SELECT u, y.* FROM {TWO},"
        " LATERAL (SELECT $cols FROM $from$also pmod(id, 2) = u LIMIT $n) AS y",
        "SELECT CAST(pmod(id, 2) AS INT), $cols FROM $from$where",
        same,
        "branches",
    ),
    "lateral, filter above": Shape(
        f"SELECT y.* FROM {ONE}, LATERAL"
        " (SELECT id, $point FROM (SELECT * FROM $from$where LIMIT $n)$second) AS y",
        "SELECT id, $point FROM (SELECT * FROM $from$where)$second",
        claim="some",
    ),
    "lateral, order": Shape(
        f"SELECT y.* FROM {ONE}, LATERAL ({ORDERED} LIMIT $n) AS y",
        ORDERED,
        first,
        "order in any order",
    ),
    "lateral, count": Shape(
        f"SELECT y.n FROM {ONE}, LATERAL (SELECT count(*) AS n FROM ({ROWS} LIMIT $n)) AS y",
        COUNT,
        claim="all",
    ),
    "list of limit": Shape(LISTED.format(f"{ROWS} LIMIT $n"), ROWS),
    "list of order": Shape(
        LISTED.format(f"{ORDERED} LIMIT $n"), ORDERED, first, "order in any order"
    ),
    "scalar count": Shape(
        f"SELECT (SELECT count(*) FROM ({ROWS} LIMIT $n)) AS n", COUNT, claim="all"
    ),
    "compared with a count": Shape(
        f"SELECT bid FROM big WHERE bid < (SELECT count(*) FROM ({ROWS} LIMIT $n))",
        f"SELECT bid FROM big WHERE bid < ({COUNT})",
        claim="all",
    ),
    "NOT EXISTS of limit": Shape(
        "SELECT bid FROM big WHERE NOT EXISTS (SELECT 1 FROM $from$where LIMIT 1)",
        "SELECT bid FROM big WHERE NOT EXISTS (SELECT 1 FROM $from$where)",
        claim="all",
    ),
}
