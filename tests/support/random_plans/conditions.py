"""Random conditions: on data, on partition columns, with subqueries, with functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import strategies as st

from support.random_plans.places import EXTRA
from support.random_plans.rows import WORDS
from support.random_plans.specs import Spec
from support.sparks import LINE

# $P is a partition column, $x and $y values of it; $n and $m are ids, $v a number, $w a word.
DATA = [
    "id >= $n",
    "id < $n",
    "id BETWEEN $n AND $m",
    "id IN ($n, $m)",
    "id % 7 <> $v",
    "Val = $v",
    "Val >= $v",
    "Val IS NOT NULL",
    "Val IS NULL",
    "NOT (Val = $v)",
    "s = $w",
    "s >= $w",
    "s LIKE 'a%'",
    "s IN ($w, 'c')",
    "e >= DATE'2024-01-0$d'",
    "r.a >= $v",
    "r.b > $w",
    "(id < $n OR s = $w)",
]
PARTITION = [
    "$P = $x",
    "$P <> $x",
    "$P >= $x",
    "$P IN ($x, $y)",
    "$P IS NOT NULL",
    "$P IS NULL",
    "$P <=> $x",
    "($P = $x OR $P = $y)",
    "coalesce($P, $x) = $x",
]
EITHER = ["($P = $x OR id >= $n)", "($P = $x AND id >= $n OR $P = $y)"]
OF_PARTITIONS = [
    *["$P = (SELECT max(k) FROM few)"] * 4,  # the commonest way to ask for the newest partition
    "$P >= (SELECT min(k) FROM few)",
    "$P IN (SELECT k FROM few)",
    "$P NOT IN (SELECT k FROM few)",
    "EXISTS (SELECT 1 FROM few WHERE k = $P)",
    "NOT EXISTS (SELECT 1 FROM few WHERE k = $P)",
    *["$P = (SELECT max($P) FROM $T$A)"] * 3,
    "$P = (SELECT min($P) FROM $T$A)",
    # Spark may read the table once for both subqueries.
    "($P = (SELECT max($P) FROM $T WHERE id < $n$B) OR $P = (SELECT max($P) FROM $T$A))",
]
OF_DATA = [
    "id >= (SELECT min(i) FROM ids)",
    "id > (SELECT min(bid) + $n FROM big)",
    "id IN (SELECT i FROM ids)",
    "id NOT IN (SELECT i FROM ids)",
    "EXISTS (SELECT 1 FROM ids WHERE i = id)",
    "id IN (SELECT bid FROM big WHERE bid >= $n LIMIT 5000)",
    "Val = (SELECT max(Val) FROM $T$A)",
    "id >= (SELECT max(id) - $n FROM $T$A)",
    "id <= (SELECT min(id) + $n FROM $T$A)",
    "(id >= (SELECT max(id) - 5 FROM $T$A) OR id = (SELECT max(id) FROM $T WHERE Val = $v$B))",
    "id BETWEEN (SELECT min(id) FROM $T WHERE Val = $v$B) AND (SELECT max(id) FROM $T$A)",
]
SQL_FUNCTION = ["sql_next(id) > $n", "sql_same($P) = $x"]
PYTHON = ["py_even(id)", "py_given($P)", "(py_even(id) OR id < $n)"]

# What each kind of condition is drawn from.
KINDS: dict[str, list[list[str]]] = {
    "data": [DATA],
    "none": [],
    "data twice": [DATA, DATA],
    "partition": [PARTITION],
    "partition and data": [PARTITION, DATA],
    "either": [EITHER],
    "either and data": [EITHER, DATA],
    "subquery of partitions": [OF_PARTITIONS],
    "subquery of partitions and data": [OF_PARTITIONS, DATA],
    "subquery of data": [OF_DATA],
    "subquery of data and data": [OF_DATA, DATA],
    "subquery of data and partition": [OF_DATA, PARTITION],
    "subqueries of both": [OF_PARTITIONS, OF_DATA],
    "SQL function": [SQL_FUNCTION, DATA],
    "Python function": [PYTHON, DATA],
}
if LINE < (4, 0):  # Spark 3.5 has no SQL functions
    del KINDS["SQL function"]
# Parts of variants; `$$` is a dollar, as queries are templates.
PART_OF_VARIANT = "variant_get(v, '$$.a', 'int')"
_A, _B = PART_OF_VARIANT, "variant_get(v, '$$.b', 'string')"
_INNER = "variant_get(w.v, '$$.a', 'int')"
VARIANTS = [
    *[f"{_A} = $v", f"{_A} >= $v", f"{_A} IS NULL", f"{_A} IS NOT NULL", f"NOT ({_A} = $v)"],
    *[f"{_B} = $w", f"{_B} >= $w", f"{_INNER} = $v", f"{_INNER} IS NULL", "v IS NOT NULL"],
    *["w.n >= $n", f"({_A} = $v OR id >= $n)", f"coalesce({_A}, $v) = $v"],
]
OF_VARIANTS: dict[str, list[list[str]]] = {
    "variant": [VARIANTS],
    "variant and data": [VARIANTS, DATA],
}
# Those that row groups can be proved to match, and one that is left to Spark.
PROVABLE = (
    "data",
    "none",
    "partition",
    "partition and data",
    "either",
    "subquery of data and data",
)

_NAMES = re.compile(r"('[^']*'|`[^`]*`)|\b(r\.[ab]|id|Val|s|e|r|p|Q|day|m)\b")


@dataclass(frozen=True)
class Condition:
    """What follows WHERE; nothing where it is empty."""

    kind: str
    sql: str

    @property
    def where(self) -> str:
        """The clause."""
        return f" WHERE {self.sql}" if self.sql else ""


def in_case(sql: str, case: str) -> str:
    """Write the names of columns in another case: 'upper', 'swapped', or as they are."""

    def other(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        return match[0].upper() if case == "upper" else match[0].swapcase()

    return sql if case == "same" else _NAMES.sub(other, sql)


CASES = st.sampled_from(["same", "same", "same", "upper", "swapped"])


@st.composite
def conditions(draw: st.DrawFn, spec: Spec, kinds: tuple[str, ...], exact: bool) -> Condition:
    """Draw a condition of one of the kinds, with names as they are if they must be `exact`."""
    kind = draw(st.sampled_from(kinds))
    choices_of = KINDS | OF_VARIANTS
    parts = [_filled(draw, draw(st.sampled_from(choices)), spec) for choices in choices_of[kind]]
    if not exact:
        parts = [in_case(part, draw(CASES)) for part in parts]
    if draw(st.booleans()):
        parts.reverse()
    return Condition(kind, " AND ".join([*always(spec), *parts]))


def always(spec: Spec) -> list[str]:
    """Return the condition without which the table cannot be read, if there is one."""
    if spec.place != "unlistable":
        return []
    column = next(iter(spec.partition_columns))
    return [f"{column} <> {EXTRA[column]}"]


def point(spec: Spec) -> tuple[str, list[str]]:
    """Return the column that conditions on partitions are about, and values of it."""
    columns = spec.partition_columns
    for column, values in columns.items():
        known = [value for value in values if value != "NULL"]
        return column, [*known, EXTRA[column]] if spec.place == "shared" else known
    return "Val", ["3", "7", "0"]


def _filled(draw: st.DrawFn, template: str, spec: Spec) -> str:
    column, values = point(spec)
    others = always(spec)
    filled = {
        "$P": column,
        "$T": "$T",
        "$A": f" WHERE {others[0]}" if others else "",
        "$B": f" AND {others[0]}" if others else "",
        "$x": draw(st.sampled_from(values)) if "$x" in template else "",
        "$y": draw(st.sampled_from(values)) if "$y" in template else "",
        "$n": str(draw(st.integers(0, spec.rows))) if "$n" in template else "",
        "$m": str(draw(st.integers(0, spec.rows))) if "$m" in template else "",
        "$v": str(draw(st.integers(0, 9))) if "$v" in template else "",
        "$d": str(draw(st.integers(1, 9))) if "$d" in template else "",
        "$w": repr(draw(st.sampled_from(WORDS[:-1]))) if "$w" in template else "",
    }
    return re.sub(r"\$\w", lambda match: filled[match[0]], template)
