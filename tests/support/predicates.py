"""Predicates as data: each knows its SQL text; oracle.py and footers.py know what it means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

Value = bool | int | float | Decimal | date | datetime | str | bytes | None


@dataclass(frozen=True)
class Compare:
    """``column op value``; the operators are SQL's: = <> < <= > >= <=>."""

    column: str
    op: str
    value: Value


@dataclass(frozen=True)
class In:
    """``column IN (values)``."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class StartsWith:
    """``column LIKE 'prefix%'``; the prefix holds no wildcard."""

    column: str
    prefix: str


@dataclass(frozen=True)
class IsNull:
    """``column IS NULL``."""

    column: str


@dataclass(frozen=True)
class Flag:
    """A boolean column used as the predicate itself."""

    column: str


@dataclass(frozen=True)
class And:
    """All of the parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Or:
    """Any of the parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of the part."""

    part: Predicate


Predicate = Compare | In | StartsWith | IsNull | Flag | And | Or | Not


def both(*parts: Predicate) -> And:
    """AND, written shorter."""
    return And(parts)


def either(*parts: Predicate) -> Or:
    """OR, written shorter."""
    return Or(parts)


def between(column: str, low: Value, high: Value) -> And:
    """``column BETWEEN low AND high``, as the two comparisons it means."""
    return And((Compare(column, ">=", low), Compare(column, "<=", high)))


def sql(predicate: Predicate) -> str:
    """Return the predicate as Spark SQL."""
    match predicate:
        case Compare(column, op, value):
            return f"`{column}` {op} {literal(value)}"
        case In(column, values):
            return f"`{column}` IN ({', '.join(literal(value) for value in values)})"
        case StartsWith(column, prefix):
            return f"`{column}` LIKE '{prefix}%'"
        case IsNull(column):
            return f"`{column}` IS NULL"
        case Flag(column):
            return f"`{column}`"
        case And(parts):
            return "(" + " AND ".join(sql(part) for part in parts) + ")"
        case Or(parts):
            return "(" + " OR ".join(sql(part) for part in parts) + ")"
        case Not(part):
            return f"NOT ({sql(part)})"


def literal(value: Value) -> str:
    """Return the value as a Spark SQL literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case float() if math.isnan(value) or math.isinf(value):
            return f"double('{value}')"
        case float():
            return f"{value!r}D"
        case Decimal():
            return f"{value}BD"
        case datetime():
            return f"TIMESTAMP'{value.replace(tzinfo=None)}'"
        case date():
            return f"DATE'{value}'"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return f"'{value}'"
        case int():
            return str(value)
