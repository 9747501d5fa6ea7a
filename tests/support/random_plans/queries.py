"""Random queries: a shape, filled with columns, conditions and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from hypothesis import strategies as st

from support.random_plans import conditions, settings, shapes
from support.random_plans.conditions import PART_OF_VARIANT
from support.random_plans.inner_shapes import INNER
from support.random_plans.places import Table
from support.random_plans.settings import Settings
from support.random_plans.shape import Shape
from support.random_plans.specs import Spec
from support.random_plans.window_shapes import WINDOWS

NUMBERS = st.sampled_from([3, 1, 2, 5, 7, 12, 20, 40, 100, 1000, 0])
SOURCES = ["$T", "$T", "$T", "(SELECT * FROM $T)", "$V", "$T AS x"]
WAYS = [*["once"] * 6, "twice", "cached", "streamed", "by DataFrame"]
INNER_WAYS = [*["once"] * 3, "planned twice", "twice"]
DIRECTIONS = ["", "DESC", "NULLS LAST", "DESC NULLS FIRST"]


@dataclass(frozen=True)
class Query:
    """A query, and the rows that its answer is from.

    Attributes:
        shape: A key of `shapes.SHAPES`.
        kind: The kind of its condition.
        sql: The query; $T stands for the table, $V for a view of it.
        candidates: The query for all rows that its answer may have, without LIMIT.
        limits: The rows that are due: limit and offset, of each branch.
        settings: Settings of the session that it runs in.
        keys: How many columns at the front of its answer are sort keys, if it is sorted.
        way: How its rows are fetched; one of `WAYS` or `INNER_WAYS`.
    """

    shape: str
    kind: str
    sql: str
    candidates: str
    limits: tuple[tuple[int, int], ...]
    settings: Settings
    keys: int
    way: str

    def over(self, table: Table) -> tuple[str, str]:
        """Return the query and that of the candidates, over a table."""
        names = {"T": table.source, "V": f"{table.name}_v"}
        return Template(self.sql).substitute(names), Template(self.candidates).substitute(names)


@st.composite
def queries(
    draw: st.DrawFn, spec: Spec, shape: str, kinds: tuple[str, ...] = tuple(conditions.KINDS)
) -> Query:
    """Draw a query of a shape, over tables of a spec, with conditions of some kinds."""
    inner, window = shape in INNER, shape in WINDOWS
    chosen = draw(settings.settings(inner or window))
    if window:
        chosen |= settings.ALWAYS_ROWS_FIRST
    exact = chosen[settings.CASE_SENSITIVE] == "true"
    template: Shape = shapes.SHAPES[shape]
    first = draw(conditions.conditions(spec, kinds, exact))
    second = draw(conditions.conditions(spec, kinds, exact)) if "$second" in template.sql else first
    case = "same" if exact else draw(conditions.CASES)
    n, m = draw(NUMBERS), draw(NUMBERS)
    offset = draw(st.sampled_from([1, 3, 10, 50]))
    number = draw(st.integers(0, spec.rows))
    point = conditions.point(spec)[0]
    columns = draw(st.sampled_from(_columns(spec)))
    # Rows are not searched for by fields of structs.
    keys = _keys(draw, [n for n in _names(spec) if not window or n != "r.a"])
    filled = {
        "cols": conditions.in_case(columns, case),
        "point": conditions.in_case(point, case),
        "from": "$T" if template.metadata else draw(st.sampled_from(SOURCES)),
        "T": "$T",
        "where": first.where,
        "also": f"{first.where} AND" if first.sql else " WHERE",
        "second": second.where,
        "guard": "".join(f" AND {always}" for always in conditions.always(spec)),
        "n": n,
        "m": m,
        "o": offset,
        "id": number,
        "keyed": conditions.in_case(
            ", ".join(f"{k} AS k{i}" for i, (k, _) in enumerate(keys)), case
        ),
        "order": ", ".join(f"k{i} {direction}".strip() for i, (_, direction) in enumerate(keys)),
    }
    if window:
        of_windows = _of_windows(draw, spec, keys)
        filled |= {name: conditions.in_case(sql, case) for name, sql in of_windows.items()}
    return Query(
        shape,
        first.kind,
        Template(template.sql).substitute(filled),
        Template(template.candidates).substitute(filled),
        template.limits(n, m, offset),
        chosen,
        len(keys),
        draw(st.sampled_from(INNER_WAYS if inner else WAYS)),
    )


def _columns(spec: Spec) -> list[str]:
    point = conditions.point(spec)[0]
    every = ", ".join(spec.partition_columns) or "e"
    columns = [
        f"id, {point}",
        f"id, Val, s, e, r, {every}",
        f"{every}, id AS n",
        "id, r.b, r.a",
        "id",
    ]
    if spec.place == "variants":
        columns += [f"id, {PART_OF_VARIANT} AS va, s", f"{PART_OF_VARIANT} AS va, id", "w.n, Val"]
    return columns


def _of_windows(draw: st.DrawFn, spec: Spec, keys: list[tuple[str, str]]) -> dict[str, str]:
    point = conditions.point(spec)[0]
    groups = [point, "Val", "s", "e", "id % 5", "year(e)", "Val, s", f"e, {point}", "s, r.a"]
    extremes = [f"{function}({key})" for function in ("min", "max") for key in _names(spec)]
    # Of rows with the same key, the value may be that of any one.
    extremes += [f"{function}({key}, id)" for function in ("min_by", "max_by") for key in "se"]
    some = st.lists(st.sampled_from(extremes), min_size=1, max_size=3, unique=True)
    return {
        "groups": draw(st.sampled_from(groups)),
        "by": ", ".join(f"{key} {direction}".strip() for key, direction in keys),
        "unique": ", ".join(["id", *spec.partition_columns]),
        "few": str(draw(st.sampled_from([1, 2, 3, 7]))),
        "extremes": ", ".join(draw(some)),
    }


def _names(spec: Spec) -> list[str]:
    names = ["id", "Val", "s", "e", "r.a", conditions.point(spec)[0]]
    if spec.place == "variants":
        names += [PART_OF_VARIANT, "w.n"]
    return names


def _keys(draw: st.DrawFn, names: list[str]) -> list[tuple[str, str]]:
    keys = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    return [(key, draw(st.sampled_from(DIRECTIONS))) for key in keys]
