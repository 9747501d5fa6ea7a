"""The rows of a web-analytics table of 100 columns, sorted by `id` and by no other column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEED = 20261126
FILES, GROUPS_IN_A_FILE = 12, 2
USERS, DAYS, PATHS, TITLES, CITIES = 1_000_000, 2_000, 10_000, 100_000, 20_000
PHRASES, WITH_PHRASE = 200_000, 0.13
"""Search phrases, and the share of rows that have one; the others have an empty string."""
START = 1_546_300_800  # 2019-01-01 in seconds
TIMESTAMP = pa.timestamp("us", "UTC")
_INTEGERS, _DOUBLES, _STRINGS = 55, 15, 20
"""The columns that no query names; with those that queries name, there are 100."""
_CARDINALITIES = (2, 10, 100, 1_000, 20_000, 1_000_000)
_STRING_CARDINALITIES = (10, 100, 1_000, 20_000)


def groups(rows: int, files: int) -> Iterator[pa.Table]:
    """Yield the row groups of the first files, which are the same for each call."""
    for number in range(files * GROUPS_IN_A_FILE):
        yield group(number, rows)


def group(number: int, rows: int) -> pa.Table:
    """Return one row group."""
    random = np.random.default_rng((SEED, number))

    def below(most: int) -> Any:
        return random.integers(0, most, rows)

    ids = np.arange(number * rows, (number + 1) * rows)
    times = (START + below(DAYS * 86_400)) * 1_000_000
    url = pc.binary_join_element_wise(
        numbered("https://shop.example/p", pa.array(below(PATHS)), 0),
        numbered("item-", pa.array(below(10_000_000)), 0),
        "/",
    )
    columns: dict[str, Any] = {
        "id": ids,
        "event_time": pa.array(times).cast(TIMESTAMP),
        "user_id": below(USERS),
        "response_ms": random.exponential(100_000, rows).astype(np.int32),
        "status": np.where(random.random(rows) < 0.0005, 500, 200).astype(np.int32),
        "region_id": below(240).astype(np.int32),
        "is_mobile": (random.random(rows) < 0.4).astype(np.int32),
        "url": url,
        "title": numbered("title ", pa.array(below(TITLES)), 5),
    }
    for column in range(_INTEGERS):
        most = _CARDINALITIES[column % len(_CARDINALITIES)]
        columns[f"n{column:02}"] = below(most).astype(np.int64 if column % 2 else np.int32)
    for column in range(_DOUBLES):
        # Some have few values, and others one for each row.
        columns[f"d{column:02}"] = below(1_000) / 100 if column % 3 else random.random(rows)
    for column in range(_STRINGS):
        most = _STRING_CARDINALITIES[column % len(_STRING_CARDINALITIES)]
        columns[f"s{column:02}"] = numbered(f"value {column} ", pa.array(below(most)), 0)
    phrases = numbered("phrase ", pa.array(below(PHRASES)), 6)
    columns["search_phrase"] = pc.if_else(random.random(rows) < WITH_PHRASE, phrases, "")
    return pa.table(columns)


def numbered(text: str, numbers: pa.Array, digits: int) -> pa.Array:
    """Return the text with each number after it, which has at least so many digits."""
    shown = numbers.cast(pa.string())
    if digits:
        shown = pc.utf8_lpad(shown, digits, "0")
    return pc.binary_join_element_wise(text, shown, "")
