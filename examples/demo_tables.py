"""The demo's tables: the wildlife of the case study, and a week of events."""

from __future__ import annotations

import random
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SEED = 20240304
DAYS = 6
FILES_IN_A_DAY = 3
ROW_GROUPS_IN_A_FILE = 4
ROWS_IN_A_GROUP = 15_000
MESSAGE_BYTES = 96
START = datetime(2024, 3, 1)

WILDLIFE = (
    (("Snow Vole", 7), ("Brown Bear", 133), ("Gray Wolf", 82)),
    (("Lynx", 71), ("Red Fox", 40), ("Alpine Bat", 6)),
    (("Alpine Ibex", 101), ("Alpine Goat", 76), ("Alpine Sheep", 83)),
    (("Mixed Herd", 4), ("Europ. Mole", 16), ("Alpine Chough", 50)),
)


def write_once(folder: Path) -> None:
    """Write both tables into `folder`, unless an earlier run has finished doing so."""
    complete = folder / "complete"
    if complete.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    write_wildlife(folder / "tracking_data")
    write_events(folder / "events")
    complete.touch()


def write_wildlife(folder: Path) -> None:
    """Write the case study's four row groups into one file."""
    folder.mkdir(parents=True)
    schema = pa.schema([("species", pa.string()), ("s", pa.int32())])
    with pq.ParquetWriter(folder / "part-0.parquet", schema) as writer:
        for rows in WILDLIFE:
            species, s = zip(*rows, strict=True)
            writer.write_table(pa.table([list(species), list(s)], schema=schema))


def write_events(folder: Path) -> None:
    """Write the events in the order of their time: days, files in a day, row groups in a file."""
    generator = random.Random(SEED)
    step = timedelta(days=1) / (FILES_IN_A_DAY * ROW_GROUPS_IN_A_FILE * ROWS_IN_A_GROUP)
    moment = START
    for _ in range(DAYS):
        day = folder / f"day={moment.date()}"
        day.mkdir(parents=True)
        for part in range(FILES_IN_A_DAY):
            rows = ROW_GROUPS_IN_A_FILE * ROWS_IN_A_GROUP
            table = events(generator, moment, step, rows)
            pq.write_table(
                table,
                day / f"part-{part}.parquet",
                row_group_size=ROWS_IN_A_GROUP,
                write_page_index=True,  # as Spark does
            )
            moment += step * rows


def events(generator: random.Random, start: datetime, step: timedelta, rows: int) -> pa.Table:
    """Return so many events, `step` apart."""
    micros = (start - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    distance = step // timedelta(microseconds=1)
    times = pa.array(range(micros, micros + rows * distance, distance), pa.int64())
    cents = pa.array([generator.randrange(100_000) for _ in range(rows)], pa.int64())
    statuses = [generator.choice(("ok", "ok", "ok", "late", "failed")) for _ in range(rows)]
    return pa.table(
        {
            "ts": times.cast(pa.timestamp("us", "UTC")),
            "user_id": pa.array([generator.randrange(1_000_000) for _ in range(rows)], pa.int64()),
            "status": pa.array(statuses, pa.string()),
            "amount": pc.divide(cents.cast(pa.float64()), 100.0),
            "message": messages(generator, rows),
        }
    )


def messages(generator: random.Random, rows: int) -> pa.Array:
    """Return random texts of one length, which hardly compress."""
    text = generator.randbytes(rows * MESSAGE_BYTES // 2).hex().encode()
    offsets = pa.array(range(0, len(text) + 1, MESSAGE_BYTES), pa.int32())
    return pa.StringArray.from_buffers(rows, offsets.buffers()[1], pa.py_buffer(text))


def size(folder: Path) -> tuple[int, int]:
    """Return the bytes and the number of the Parquet files below `folder`."""
    files = list(folder.rglob("*.parquet"))
    return sum(file.stat().st_size for file in files), len(files)
