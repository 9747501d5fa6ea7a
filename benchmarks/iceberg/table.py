"""Makes the events an Iceberg table, once: `python -m benchmarks.iceberg.table`."""

from __future__ import annotations

import shutil

from benchmarks import engines, settings, tables
from benchmarks.engines.iceberg import NAME, copy, iceberg_session


def main() -> None:
    """Write the rows of the Parquet table."""
    root = tables.folder(settings.from_environment())
    session = iceberg_session(engines.ICEBERG, root)
    try:
        copy(session, root / tables.EVENTS.name, NAME)
    except BaseException:
        shutil.rmtree(root / tables.EVENTS_ICEBERG.name)
        raise
    finally:
        session.stop()


if __name__ == "__main__":
    main()
