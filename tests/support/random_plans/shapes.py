"""Shapes of queries with a LIMIT, each with the query for all rows that its answer may have."""

from __future__ import annotations

from collections.abc import Iterable

from support.random_plans.inner_shapes import INNER
from support.random_plans.shape import (
    Shape,
    behind,
    behind_all,
    behind_less,
    both,
    first,
    less,
    one,
    same,
)
from support.random_plans.window_shapes import WINDOWS
from support.sparks import LINE

ROWS = "SELECT $cols FROM $from$where"
ALL = "SELECT * FROM $from$where"
JOINED = "SELECT $cols, bw FROM $from JOIN big ON id = bid$where"
LEFT = "SELECT $cols, bw FROM $from LEFT JOIN big ON id = bid$where"
SEMI = "SELECT $cols FROM $from LEFT SEMI JOIN big ON id = bid$where"
DIM = "SELECT $cols, dname FROM $from JOIN dim ON $point = dk$also dname <> 'c'"
UNITED = "SELECT $cols FROM $from$where UNION ALL SELECT $cols FROM $T$second"
ORDERED = "SELECT $keyed, $cols FROM $from$where ORDER BY $order"
ORDERED_LEFT = "SELECT $keyed, $cols, bw FROM $from LEFT JOIN big ON id = bid$where ORDER BY $order"
ORDERED_RIGHT = (
    "SELECT $keyed, $cols, bw FROM big RIGHT JOIN $from ON id = bid AND bw <> 'w3'$where"
    " ORDER BY $order"
)
EXPENSIVE = (
    "SELECT * FROM (SELECT id, $point, regexp_replace(s, 'a', 'b') AS u FROM $from$where)"
    " WHERE id >= $id AND u > 'b'"
)
ALIASED = (
    "SELECT y.w AS z, y.* FROM (SELECT id + 1 AS w, $point AS point FROM $from$where) AS y"
    " WHERE y.w > $id"
)
METADATA = (
    "SELECT id, _metadata.file_path, _metadata.file_name, _metadata.row_index,"
    " _metadata.file_modification_time FROM $from"
)
NEWEST = "FROM $from WHERE $point = (SELECT max(k) FROM few)$guard"
ORDERED_NEWEST = f"SELECT $keyed, $cols {NEWEST} ORDER BY $order"
GROUP = "$point, count(*), sum(id), count(DISTINCT Val), count(DISTINCT s), min(e)"
COUNT = "SELECT least(count(*), $n) AS n FROM $from$where"

PLAIN: dict[str, Shape] = {
    "select": Shape(f"{ROWS} LIMIT $n", ROWS),
    "star": Shape(f"{ALL} LIMIT $n", ALL),
    "offset": Shape(f"{ROWS} LIMIT $n OFFSET $o", ROWS, behind),
    "offset alone": Shape(f"{ROWS} OFFSET $o", ROWS, behind_all),
    "nested": Shape(f"SELECT * FROM ({ROWS} LIMIT $n) LIMIT $m", ROWS, less),
    "nested offset": Shape(
        f"SELECT * FROM ({ROWS} LIMIT $n OFFSET $o) LIMIT $m", ROWS, behind_less
    ),
    "expensive": Shape(f"{EXPENSIVE} LIMIT $n", EXPENSIVE),
    "aliases": Shape(f"{ALIASED} LIMIT $n", ALIASED),
    "hint": Shape(
        "SELECT /*+ REPARTITION(2) */ * FROM (SELECT $cols FROM $from$where LIMIT $n)",
        ROWS,
    ),
    "filter above": Shape(
        f"SELECT id, $point FROM ({ALL} LIMIT $n)$second",
        "SELECT id, $point FROM (SELECT * FROM $from$where)$second",
        claim="some",
    ),
    "CTE twice": Shape(
        f"WITH c AS ({ROWS} LIMIT $n) SELECT 0, * FROM c UNION ALL SELECT 1, * FROM c",
        f"WITH c AS ({ROWS}) SELECT 0, * FROM c UNION ALL SELECT 1, * FROM c",
        same,
        "branches",
    ),
    "shared CTE": Shape(
        f"WITH c AS (SELECT id, uuid() AS u FROM ({ALL} LIMIT $n))"
        " SELECT count(*) AS n FROM c a JOIN c b ON a.id <=> b.id AND a.u = b.u",
        COUNT,
        claim="all",
    ),
    "shared CTE of a subquery": Shape(
        "WITH c AS (SELECT bid, uuid() AS u FROM big"
        " WHERE bid IN (SELECT id FROM $from$where LIMIT $n))"
        " SELECT count(*) AS n FROM c a LEFT ANTI JOIN c b ON a.bid = b.bid AND a.u = b.u",
        "SELECT 0L AS n",
        claim="all",
    ),
    "CTE used twice": Shape(
        f"WITH c AS ({ALL} LIMIT $n) SELECT count(*) AS n FROM c LEFT SEMI JOIN"
        " (SELECT id AS other FROM c) ON id <=> other",
        COUNT,
        claim="all",
    ),
    "CTE used in a subquery": Shape(
        f"WITH c AS ({ALL} ORDER BY $point LIMIT $n) SELECT count(*) AS n FROM c"
        " WHERE id IN (SELECT id FROM c) OR id IS NULL",
        COUNT,
        claim="all",
    ),
    "union of limits": Shape(
        "(SELECT 0, $cols FROM $from$where LIMIT $n) UNION ALL"
        " (SELECT 1, $cols FROM $T$second LIMIT $m)",
        "SELECT 0, $cols FROM $from$where UNION ALL SELECT 1, $cols FROM $T$second",
        both,
        "branches",
    ),
    "limit of union": Shape(f"SELECT * FROM ({UNITED}) LIMIT $n", UNITED),
    "join above": Shape(
        f"SELECT * FROM ({ALL} LIMIT $n) JOIN big ON id = bid",
        f"SELECT * FROM ({ALL}) JOIN big ON id = bid",
    ),
    "left join above": Shape(
        f"SELECT * FROM ({ALL} LIMIT $n) LEFT JOIN big ON id = bid",
        f"SELECT * FROM ({ALL}) LEFT JOIN big ON id = bid",
    ),
    "limit of join": Shape(f"{JOINED} LIMIT $n", JOINED),
    "limit of left join": Shape(f"{LEFT} LIMIT $n", LEFT),
    "limit of semi join": Shape(f"{SEMI} LIMIT $n", SEMI),
    "limit of cross join": Shape(
        "SELECT $cols, i FROM $from CROSS JOIN ids$where LIMIT $n",
        "SELECT $cols, i FROM $from CROSS JOIN ids$where",
    ),
    "limit of join by partition": Shape(f"{DIM} LIMIT $n", DIM, needs="partition"),
    "join by partition above": Shape(
        f"SELECT * FROM ({ALL} LIMIT $n) LEFT JOIN dim ON $point = dk",
        f"SELECT * FROM ({ALL}) LEFT JOIN dim ON $point = dk",
        needs="partition",
    ),
    "IN of limit": Shape(
        "SELECT $cols FROM $from WHERE id IN (SELECT id FROM $T$where LIMIT $n)$guard",
        "SELECT $cols FROM $T$where",
        needs="id",
    ),
    "EXISTS of limit": Shape(
        "SELECT bid FROM big WHERE EXISTS (SELECT 1 FROM $from$where LIMIT 1)",
        "SELECT bid FROM big WHERE EXISTS (SELECT 1 FROM $from$where)",
        claim="all",
    ),
    "scalar of limit": Shape(
        "SELECT (SELECT id FROM $from$where LIMIT 1) AS i",
        "SELECT id FROM (SELECT 1) LEFT JOIN (SELECT id FROM $from$where) ON true",
        one,
    ),
    "subquery in output": Shape(
        "SELECT $cols, (SELECT max(bw) FROM big WHERE bid = id) FROM $from$where LIMIT $n",
        "SELECT $cols, (SELECT max(bw) FROM big WHERE bid = id) FROM $from$where",
    ),
    "count": Shape(f"SELECT count(*) AS n FROM ({ROWS} LIMIT $n)", COUNT, claim="all"),
    "sum of counts": Shape(
        "SELECT coalesce(sum(c), 0) AS n FROM (SELECT $point, count(*) AS c"
        f" FROM ({ALL} LIMIT $n) GROUP BY $point)",
        COUNT,
        claim="all",
    ),
    "count of distinct": Shape(
        f"SELECT count(*) AS n FROM (SELECT DISTINCT * FROM ({ALL} LIMIT $n))",
        COUNT,
        claim="all",
        needs="key",
    ),
    "distinct": Shape(
        "SELECT DISTINCT $point FROM $from$where LIMIT $n",
        "SELECT DISTINCT $point FROM $from$where",
    ),
    "groups": Shape(
        "SELECT $point, count(*) FROM $from$where GROUP BY $point LIMIT $n",
        "SELECT $point, count(*) FROM $from$where GROUP BY $point",
    ),
    "distinct, offset": Shape(
        "SELECT DISTINCT Val, $point FROM $from$where LIMIT $n OFFSET $o",
        "SELECT DISTINCT Val, $point FROM $from$where",
        behind,
    ),
    "distinct rows": Shape(
        f"SELECT DISTINCT * FROM ({ROWS}) LIMIT $n", f"SELECT DISTINCT * FROM ({ROWS})"
    ),
    "distinct functions": Shape(
        "SELECT DISTINCT id % 3, year(e), $point FROM $from$where LIMIT $n",
        "SELECT DISTINCT id % 3, year(e), $point FROM $from$where",
    ),
    "distinct in a join": Shape(
        "SELECT * FROM (SELECT DISTINCT $point AS dp FROM $from$where LIMIT $n)"
        " JOIN dim ON dp = dk",
        "SELECT * FROM (SELECT DISTINCT $point AS dp FROM $from$where) JOIN dim ON dp = dk",
        claim="some",
        needs="partition",
    ),
    "distinct in branches": Shape(
        "(SELECT DISTINCT 0, $point, s FROM $from$where LIMIT $n) UNION ALL"
        " (SELECT DISTINCT 1, $point, s FROM $T$second LIMIT $m)",
        "SELECT DISTINCT 0, $point, s FROM $from$where UNION ALL"
        " SELECT DISTINCT 1, $point, s FROM $T$second",
        both,
        "branches",
    ),
    "groups with functions": Shape(
        f"SELECT {GROUP} FROM $from$where GROUP BY $point LIMIT $n",
        f"SELECT {GROUP} FROM $from$where GROUP BY $point",
    ),
    "groups of two keys": Shape(
        "SELECT Val, $point, count(*), max(id) FROM $from$where GROUP BY $point, Val"
        " LIMIT $n OFFSET $o",
        "SELECT Val, $point, count(*), max(id) FROM $from$where GROUP BY $point, Val",
        behind,
    ),
    "groups, HAVING": Shape(
        "SELECT $point, count(*) FROM $from$where GROUP BY $point HAVING count(*) > $o LIMIT $n",
        "SELECT $point, count(*) FROM $from$where GROUP BY $point HAVING count(*) > $o",
    ),
    "groups, newest": Shape(
        f"SELECT $point, count(*) {NEWEST} GROUP BY $point LIMIT $n",
        f"SELECT $point, count(*) {NEWEST} GROUP BY $point",
        needs="partition",
    ),
    "window above": Shape(
        f"SELECT $cols, count(*) OVER () AS n FROM ({ALL} LIMIT $n)",
        f"SELECT $cols, least(count(*) OVER (), $n) AS n FROM ({ALL})",
    ),
    "limit of window": Shape(
        "SELECT $cols, row_number() OVER (ORDER BY id, $point) FROM $from$where LIMIT $n",
        "SELECT $cols, row_number() OVER (ORDER BY id, $point) FROM $from$where",
        needs="key",
    ),
    "SQL function": Shape(
        "SELECT $cols, sql_next(id), sql_same($point) FROM $from$where LIMIT $n",
        "SELECT $cols, sql_next(id), sql_same($point) FROM $from$where",
    ),
    "Python function": Shape(
        "SELECT $cols, py_even(id), py_given($point) FROM $from$where LIMIT $n",
        "SELECT $cols, py_even(id), py_given($point) FROM $from$where",
    ),
    "metadata": Shape(f"{METADATA}$where LIMIT $n", f"{METADATA}$where", metadata=True),
    "metadata in condition": Shape(
        f"{METADATA}$also _metadata.row_index >= $o LIMIT $n",
        f"{METADATA}$also _metadata.row_index >= $o",
        metadata=True,
    ),
    "file name in condition": Shape(
        f"{METADATA}$also _metadata.file_name LIKE '%0%' LIMIT $n",
        f"{METADATA}$also _metadata.file_name LIKE '%0%'",
        metadata=True,
    ),
    "order": Shape(f"{ORDERED} LIMIT $n", ORDERED, first, "order"),
    "order, offset": Shape(f"{ORDERED} LIMIT $n OFFSET $o", ORDERED, behind, "order"),
    "order of left join": Shape(f"{ORDERED_LEFT} LIMIT $n", ORDERED_LEFT, first, "order"),
    "order of right join": Shape(
        f"{ORDERED_RIGHT} LIMIT $n OFFSET $o", ORDERED_RIGHT, behind, "order"
    ),
    "order, nested": Shape(f"SELECT * FROM ({ORDERED} LIMIT $n) LIMIT $m", ORDERED, less, "order"),
    "order, count": Shape(f"SELECT count(*) AS n FROM ({ORDERED} LIMIT $n)", COUNT, claim="all"),
    "order, filter above": Shape(
        f"SELECT * FROM ({ORDERED} LIMIT $n) WHERE k0 IS NOT NULL OR k0 IS NULL",
        ORDERED,
        first,
        "order in any order",
    ),
    "newest": Shape(f"SELECT $cols {NEWEST} LIMIT $n", f"SELECT $cols {NEWEST}", needs="partition"),
    "newest, order": Shape(
        f"{ORDERED_NEWEST} LIMIT $n", ORDERED_NEWEST, first, "order", needs="partition"
    ),
}

SHAPES = PLAIN | INNER | WINDOWS


if LINE < (4, 0):  # Spark 3.5 has no SQL functions
    del PLAIN["SQL function"], SHAPES["SQL function"]


def possible(names: Iterable[str], place: str, partitioned: bool) -> list[str]:
    """Return those of some shapes that suit a table at a place, partitioned or not."""
    key = place != "doubled"
    met = {"": True, "id": key and place != "shared", "key": key, "partition": partitioned}
    # These do not show hidden columns.
    hidden = place not in ("view", "decimals", "doubled", "hive")
    chosen = {name: SHAPES[name] for name in names}
    return [name for name, s in chosen.items() if met[s.needs] and (hidden or not s.metadata)]
