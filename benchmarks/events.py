"""The rows of all tables: events, sorted by time, with texts that do not compress."""

from __future__ import annotations

import base64
from datetime import datetime

import numpy as np
import pyarrow as pa

SEED = 20240304
START = datetime(2024, 1, 1)
DAYS = 60
FAMILIES = (
    "Boreal", "Coastal", "Desert", "Forest", "Alpine",
    "Island", "Marsh", "Prairie", "River", "Steppe",
)  # fmt: skip
ANIMALS = ("Bat", "Chough", "Goat", "Hare", "Ibex", "Sheep", "Vole")
STATUSES = ("api ok", "batch failed", "page late", "web ok")
STATUSES_OK = ("api ok", "web ok")
EVERY_OK_GROUP = 8
TEXTS = {"agent": 96, "message": 192, "trace": 256}
ROW_BYTES = sum(TEXTS.values()) + 12 + 4 * 8  # approximate size of a row on disk
_POOL_BYTES = 48 * 1024 * 1024

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("ts", pa.timestamp("us", "UTC")),
        ("user_id", pa.int64()),
        ("amount", pa.float64()),
        ("status", pa.string()),
        ("species", pa.string()),
        *((name, pa.string()) for name in TEXTS),
    ]
)
DICTIONARIES = ["status", "species"]


class Events:
    """Creates row groups. A table has `groups` of them and covers sixty days, whatever their size.

    Row group g contains one time range and one family of species. In every eighth, each status
    ends in "ok": its dictionary proves this, but its statistics do not.
    """

    def __init__(self, groups: int, rows: int) -> None:
        """Prepare for `groups` row groups of `rows` rows."""
        self.groups = groups
        self.rows = rows
        self._pool = _text_pool()
        span = DAYS * 86_400_000_000
        self._start = (START - datetime(1970, 1, 1)).total_seconds() * 1_000_000
        self._step = span // (groups * rows)

    def group(self, index: int) -> pa.Table:
        """Return row group `index`, which is the same for each call."""
        random = np.random.default_rng((SEED, self.groups, index))
        ids = np.arange(index * self.rows, (index + 1) * self.rows, dtype=np.int64)
        times = ids * self._step + int(self._start)
        family = FAMILIES[index * len(FAMILIES) // self.groups]
        statuses = STATUSES_OK if index % EVERY_OK_GROUP == EVERY_OK_GROUP - 3 else STATUSES
        columns = [
            pa.array(ids),
            pa.array(times).cast(SCHEMA.field("ts").type),
            pa.array(random.integers(0, 1_000_000, self.rows)),
            pa.array(random.integers(0, 100_000, self.rows) / 100.0),
            self._choice(random, list(statuses)),
            self._choice(random, [f"{family} {animal}" for animal in ANIMALS]),
            *(self._text(random, width) for width in TEXTS.values()),
        ]
        return pa.table(columns, schema=SCHEMA)

    def _choice(self, random: np.random.Generator, values: list[str]) -> pa.Array:
        indices = pa.array(random.integers(0, len(values), self.rows, dtype=np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(values)).cast(pa.string())

    def _text(self, random: np.random.Generator, width: int) -> pa.Array:
        """Slice the texts from the pool at a random place: no copy, no repetition in a page."""
        size = self.rows * width
        place = int(random.integers(0, self._pool.size - size))
        offsets = pa.array(np.arange(0, size + 1, width, dtype=np.int32))
        return pa.StringArray.from_buffers(
            self.rows, offsets.buffers()[1], self._pool.slice(place, size)
        )


def _text_pool() -> pa.Buffer:
    noise = np.random.default_rng(SEED).bytes(_POOL_BYTES * 3 // 4)
    return pa.py_buffer(base64.b64encode(noise))
