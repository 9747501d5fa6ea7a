"""The rows of a random table: a unique ``id``, columns of several types, clustered by row group."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

Group = dict[str, list[Any]]

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("Val", pa.int32()),
        ("s", pa.string()),
        ("e", pa.date32()),
        ("r", pa.struct([("a", pa.int32()), ("b", pa.string())])),
    ]
)
DDL = "id BIGINT, Val INT, s STRING, e DATE, r STRUCT<a: INT, b: STRING>"
FIRST_DAY = date(2024, 1, 1)
WORDS = ["a", "ab", "b", "bc", "c", "cd", "d", "x'y"]


def group(chance: random.Random, start: int, count: int) -> Group:
    """Return one row group with the ids from `start` on."""
    ids = list(range(start, start + count))
    days = [FIRST_DAY + timedelta(days=n // 20) for n in ids]
    return {
        "id": ids,
        "Val": _numbers(chance, start, count),
        "s": _words(chance, count),
        "e": [None if chance.random() < 0.02 else day for day in days],
        "r": [{"a": n // 10, "b": chance.choice(WORDS)} for n in ids],
    }


def _numbers(chance: random.Random, start: int, count: int) -> list[int | None]:
    match chance.choice(["constant", "ascending", "mixed", "some null", "null"]):
        case "constant":
            return [chance.randrange(10)] * count
        case "ascending":
            return [(start + n) // 8 % 10 for n in range(count)]
        case "mixed":
            return [chance.randrange(10) for _ in range(count)]
        case "some null":
            return [chance.choice([None, 3, 7]) for _ in range(count)]
        case _:
            return [None] * count


def _words(chance: random.Random, count: int) -> list[str | None]:
    match chance.choice(["constant", "few", "mixed", "some null"]):
        case "constant":
            return [chance.choice(WORDS)] * count
        case "few":
            few = chance.sample(WORDS, 3)
            return [chance.choice(few) for _ in range(count)]
        case "mixed":
            return [chance.choice(WORDS) for _ in range(count)]
        case _:
            return [chance.choice([None, "c", "d"]) for _ in range(count)]
