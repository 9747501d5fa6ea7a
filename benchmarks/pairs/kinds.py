"""The kinds of queries that are measured."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pairs import tables
from benchmarks.pairs.kind import EVERY, MIXED, Kind, Template
from benchmarks.pairs.literals import Domain
from benchmarks.queries import COLLECT, PLAN, TO_PANDAS, WRITE

SHOW = "show"
REQUEST_MS = 30
"""The duration of a request to slow storage."""

USER = Domain("a user", 0, tables.USERS - 2, step=2)  # so that n + 1 is new, too
OTHER_USER = Domain("no user", tables.USERS, 100 * tables.USERS)
DAY = Domain("a day", 0, tables.DAYS - 1)
RESPONSE = Domain("a response time", 150_000, 250_000)
PATH = Domain("a path", 0, tables.PATHS - 1)
TITLE = Domain("the start of a title", 0, tables.TITLES // 10 - 1)
CITY = Domain("a city", 0, tables.CITIES - 1)
BELOW = Domain("below all", 1, 10**9)
SUMMAND = Domain("a summand", 1, 10**6)
REMAINDER = Domain("a remainder", 0, 9_999)
SMALL_ID = Domain("a small id", 10**8, 2 * 10**8)
ID_OF_RUNS = Domain("an id of many", 0, 10**6)
SECOND = Domain("a second", tables.INT96_START, tables.INT96_START + 10 * 86_400)


def kinds() -> list[Kind]:
    """Return all kinds, in the order of their measurement: those of a table follow each other."""
    return [
        *_narrow(),
        *_web(),
        *_layouts(),
        *_rows(),
        *_dictionaries(),
        *_gaps(),
        *_others(),
        *_slow(),
    ]


DATE = Template(
    "SELECT url FROM {table} WHERE date(event_time) = date_add(DATE '2019-01-01', {}) LIMIT 10",
    (DAY,),
)
STATUS = Template(
    "SELECT url FROM {table} WHERE status = 500 AND region_id < 239 AND user_id <> {} LIMIT 10",
    (OTHER_USER,),
)
LATEST_SLOW = Template(
    "SELECT url, event_time FROM {table} WHERE response_ms > {} ORDER BY event_time DESC LIMIT 10",
    (RESPONSE,),
    "event_time",
)
ONE_USER = Template("SELECT * FROM {table} WHERE user_id = {} LIMIT 10", (USER,))
_SIX = ("n00", "n01", "n02", "n03", "n04", "n05")
FRESH_FORM = Template(
    "SELECT url FROM {table} WHERE status = 500 AND region_id < 239 AND (user_id{form}) <> {} "
    "LIMIT 10",
    (OTHER_USER,),
    combined=_SIX,
)
FRESH_CONJUNCTS = Template(
    "SELECT url FROM {table} WHERE status = 500 AND user_id <> {}{form} LIMIT 10",
    (OTHER_USER,),
    combined=_SIX,
    part=" AND {column} {operator} -1",
    operators=("<>", ">", ">="),
)
SLOW_RESPONSES = Template(
    "SELECT url, title FROM {table} WHERE response_ms > {} LIMIT 10", (RESPONSE,)
)
MOBILE = Template(
    "SELECT url, title FROM {table} WHERE is_mobile = 1 AND user_id <> {} LIMIT 100", (OTHER_USER,)
)
UNPROVABLE = Template(
    "SELECT id, user_id FROM {table} WHERE (user_id + {}) % 7 = 3 LIMIT 20", (SUMMAND,)
)
LATEST_OF_USERS = Template(
    "SELECT id, ts FROM {table} WHERE (user_id + {}) % 7 = 3 ORDER BY ts DESC LIMIT 10",
    (SUMMAND,),
    "ts",
)
ALL_OF_STATUS = Template(
    "SELECT * FROM {table} WHERE status = 500 AND user_id <> {} LIMIT 100", (OTHER_USER,)
)
DASHBOARD = (
    UNPROVABLE,
    LATEST_OF_USERS,
    ALL_OF_STATUS,
    Template("SELECT * FROM {table} WHERE user_id = {} LIMIT 20", (USER,)),
    Template("SELECT id, status FROM {table} WHERE city = 'city {:05d}' LIMIT 20", (CITY,)),
    Template("SELECT id, city FROM {table} WHERE city LIKE 'city {:05d}%' LIMIT 5", (CITY,)),
    Template("SELECT id, ts FROM {table} WHERE id >= -{} LIMIT 20", (BELOW,)),
)


def _narrow() -> Iterator[Kind]:
    table = tables.NARROW
    yield Kind("narrow, unprovable", table, (UNPROVABLE,), 2)
    yield Kind("narrow, ORDER BY", table, (LATEST_OF_USERS,), 2)
    all_latest = Template(
        "SELECT * FROM {table} WHERE user_id <> {} AND status = 500 ORDER BY ts DESC LIMIT 20",
        (OTHER_USER,),
        "ts",
    )
    yield Kind("narrow, all columns, ORDER BY", table, (all_latest,), EVERY)
    proved = Template("SELECT id, user_id FROM {table} WHERE id >= -{} LIMIT 20", (BELOW,))
    yield Kind("narrow, proved", table, (proved,), 2)
    equal = Template("SELECT id, city FROM {table} WHERE city = 'city {:05d}' LIMIT 10", (CITY,))
    yield Kind("narrow, string", table, (equal,), 2)
    for action in (SHOW, TO_PANDAS, WRITE):
        yield Kind(f"narrow, all columns, {action}", table, (ALL_OF_STATUS,), EVERY, action)
    newest = Template("SELECT max(ts) AS ts FROM {table} WHERE (user_id + {}) % 7 = 3", (SUMMAND,))
    yield Kind("narrow, MAX", table, (newest,), 1)
    last = Template("SELECT max(city) AS c FROM {table} WHERE (user_id + {}) % 7 = 3", (SUMMAND,))
    yield Kind("narrow, MAX of a string", table, (last,), 1)
    # Thirty pairs are 210 queries with the extension, over one table in one session.
    yield Kind("narrow, dashboard", table, DASHBOARD, MIXED)


def _web() -> Iterator[Kind]:
    table = tables.WEB
    yield Kind("web, user, all columns", table, (ONE_USER,), EVERY)
    users = Template("SELECT url FROM {table} WHERE user_id IN ({0}, {0} + 1) LIMIT 10", (USER,))
    yield Kind("web, two users", table, (users,), 1)
    yield Kind("web, response time", table, (SLOW_RESPONSES,), 2)
    responses = Template("SELECT * FROM {table} WHERE response_ms > {} LIMIT 10", (RESPONSE,))
    yield Kind("web, response time, all columns", table, (responses,), EVERY)
    yield Kind("web, date", table, (DATE,), 1)
    yield Kind("web, status", table, (STATUS,), 1)
    yield Kind("web, fresh form", table, (FRESH_FORM,), 1)
    like = Template("SELECT url, title FROM {table} WHERE url LIKE '%/p{}/%' LIMIT 10", (PATH,))
    yield Kind("web, LIKE", table, (like,), 2)
    prefix = Template(
        "SELECT url, title FROM {table} WHERE title LIKE 'title {:04d}%' LIMIT 10", (TITLE,)
    )
    yield Kind("web, LIKE with a prefix", table, (prefix,), 2)
    yield Kind("web, ORDER BY", table, (LATEST_SLOW,), 2)
    for action in (SHOW, TO_PANDAS, WRITE):
        yield Kind(f"web, mobile, {action}", table, (MOBILE,), 2, action)


def _layouts() -> Iterator[Kind]:
    """The same rows, as other programs write them."""
    for table in (tables.WEB_PAGES, tables.WEB_SPARK, tables.WEB_DUCKDB, tables.WEB_POLARS):
        yield Kind(f"{table.name}, date", table, (DATE,), 1)
        yield Kind(f"{table.name}, status", table, (STATUS,), 1)
        yield Kind(f"{table.name}, fresh form", table, (FRESH_FORM,), 1)
        yield Kind(f"{table.name}, fresh conjuncts", table, (FRESH_CONJUNCTS,), 1)
        yield Kind(f"{table.name}, ORDER BY", table, (LATEST_SLOW,), 2)


_TEN = "id, url, title, event_time, response_ms, n00, n05, d00, d14, s19"
NEEDLE = Template(
    f"SELECT {_TEN} FROM {{table}} WHERE (user_id + {{}}) % 999983 = 7 LIMIT 10", (SUMMAND,)
)
NO_ROW = Template(
    f"SELECT {_TEN} FROM {{table}} WHERE (user_id + {{}}) % 2000003 = -1 LIMIT 10", (SUMMAND,)
)
NEEDLE_OF_ALL = Template(
    "SELECT * FROM {table} WHERE (user_id + {}) % 999983 = 7 LIMIT 10", (SUMMAND,)
)
MOST_ROWS_OF_ALL = Template(
    "SELECT * FROM {table} WHERE (user_id + {}) % 10 > 0 LIMIT 10", (SUMMAND,)
)
MOST_ROWS = Template(
    f"SELECT {_TEN} FROM {{table}} WHERE (user_id + {{}}) % 10 > 0 LIMIT 1000", (SUMMAND,)
)
SLOWEST = Template(
    f"SELECT {_TEN} FROM {{table}} WHERE (user_id + {{}}) % 7 = 3 "
    "ORDER BY response_ms DESC LIMIT 10",
    (SUMMAND,),
    "response_ms",
)
NEEDLE_OF_TWO = Template(
    "SELECT id, g FROM {table} WHERE (id * 7 + {}) % 999983 = 5 LIMIT 10", (SUMMAND,)
)


def _rows() -> Iterator[Kind]:
    """Metadata decide no row group: rows decide, if that pays.

    A column chunk of `web` has one page, of `web_pages` pages of 8 KB, and of `web_spark` pages of
    up to 1 MB and 20,000 rows.
    """
    for table, template, name, action in (
        (tables.WEB_SPARK, NEEDLE, "needle", COLLECT),
        (tables.WEB_SPARK, NEEDLE, "needle, toPandas", TO_PANDAS),
        (tables.WEB_SPARK, NO_ROW, "no row", COLLECT),
        (tables.WEB_SPARK, NO_ROW, "no row, toPandas", TO_PANDAS),
        (tables.WEB_SPARK, MOST_ROWS, "most rows", COLLECT),
        (tables.WEB_SPARK, MOST_ROWS, "most rows, toPandas", TO_PANDAS),
        (tables.WEB_SPARK, SLOWEST, "slowest", COLLECT),
        (tables.WEB, NEEDLE, "needle, toPandas", TO_PANDAS),
        (tables.WEB, NO_ROW, "no row", COLLECT),
        (tables.WEB, SLOWEST, "slowest", COLLECT),
        (tables.WEB_PAGES, NEEDLE, "needle, toPandas", TO_PANDAS),
        (tables.WEB_PAGES, SLOWEST, "slowest", COLLECT),
    ):
        yield Kind(f"{table.name}, {name}", table, (template,), 10, action)
    yield Kind("web_spark, needle, all columns", tables.WEB_SPARK, (NEEDLE_OF_ALL,), EVERY)
    yield Kind("web_spark, most rows, all columns", tables.WEB_SPARK, (MOST_ROWS_OF_ALL,), EVERY)
    for name, where in (
        ("proved", "user_id < 1000000000 + {}"),
        ("unprovable", "(n00 + {}) % 7 = 3"),
    ):
        most = Template(f"SELECT max(response_ms) AS m FROM {{table}} WHERE {where}", (SUMMAND,))
        yield Kind(f"web_spark, MAX, {name}", tables.WEB_SPARK, (most,), 1)


def _dictionaries() -> Iterator[Kind]:
    table = tables.DICTIONARIES
    where = "SELECT id, a FROM {table} WHERE (a * 31 + b * 17 + {}) % 97 = 3"
    yield Kind("dictionaries", table, (Template(f"{where} LIMIT 10", (SUMMAND,)),), 2)
    ordered = Template(f"{where} ORDER BY id DESC LIMIT 10", (SUMMAND,), "id")
    yield Kind("dictionaries, ORDER BY", table, (ordered,), 2)


def _gaps() -> Iterator[Kind]:
    """Row groups that match or may match have no neighbours that do."""
    few = Template("SELECT id, c FROM {table} WHERE id < {} LIMIT 10", (SMALL_ID,))
    yield Kind("row_groups", tables.ROW_GROUPS, (few,), 2)
    many = Template(
        "SELECT id, g FROM {table} WHERE g < 500 AND id % 10000 <> {} LIMIT 200000", (REMAINDER,)
    )
    yield Kind("alternating, unprovable", tables.ALTERNATING, (many,), 2)
    proved = Template(
        "SELECT id, g FROM {table} WHERE g < 500 AND id >= -{} LIMIT 300000", (BELOW,)
    )
    yield Kind("alternating, proved", tables.ALTERNATING, (proved,), 2)
    one = Template("SELECT id, g FROM {table} WHERE g < 500 AND id = {} LIMIT 10", (ID_OF_RUNS,))
    yield Kind("runs", tables.RUNS, (one,), 2)
    # The predicate reads one of the two columns that the table has.
    yield Kind("runs, needle", tables.RUNS, (NEEDLE_OF_TWO,), 2)
    yield Kind("runs, needle, toPandas", tables.RUNS, (NEEDLE_OF_TWO,), 2, TO_PANDAS)


def _others() -> Iterator[Kind]:
    distinct = Template("SELECT DISTINCT * FROM {table} WHERE id >= -{} LIMIT 5", (BELOW,))
    yield Kind("wide, DISTINCT", tables.WIDE, (distinct,), EVERY, PLAN)
    two = Template("SELECT id, c7 FROM {table} WHERE (c9 + {}) % 7 = 3 LIMIT 10", (SUMMAND,))
    yield Kind("wide", tables.WIDE, (two,), 2)
    yield Kind("files, unprovable", tables.FILES, (UNPROVABLE,), 2)
    yield Kind("files, ORDER BY", tables.FILES, (LATEST_OF_USERS,), 2)
    since = Template(
        "SELECT id, ts FROM {table} WHERE ts >= timestamp_seconds({}) LIMIT 10", (SECOND,)
    )
    yield Kind("int96", tables.INT96, (since,), 2)
    yield Kind("int96, ORDER BY", tables.INT96, (LATEST_OF_USERS,), 2)


def _slow() -> Iterator[Kind]:
    """Some of them again, over storage on which each request takes time."""
    for name, table, template in (
        ("narrow, unprovable", tables.NARROW, UNPROVABLE),
        ("narrow, ORDER BY", tables.NARROW, LATEST_OF_USERS),
        ("web, response time", tables.WEB, SLOW_RESPONSES),
        ("web, date", tables.WEB, DATE),
        ("web_spark, status", tables.WEB_SPARK, STATUS),
        ("web_spark, fresh form", tables.WEB_SPARK, FRESH_FORM),
        ("web_spark, fresh conjuncts", tables.WEB_SPARK, FRESH_CONJUNCTS),
        ("web_spark, needle", tables.WEB_SPARK, NEEDLE),
        ("web_spark, slowest", tables.WEB_SPARK, SLOWEST),
        ("files, unprovable", tables.FILES, UNPROVABLE),
    ):
        columns = template.sql.partition(" FROM ")[0].count(",") + 1
        yield Kind(f"{name}, slow", table, (template,), columns, latency=REQUEST_MS)
