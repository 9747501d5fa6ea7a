"""Makes the events a Delta table, once: `python -m benchmarks.delta.table`."""

from __future__ import annotations

import shutil

from benchmarks import engines, settings, tables
from benchmarks.engines.delta import delta_session


def main() -> None:
    """Link the files of the Parquet table, and convert the links, which need no space."""
    root = tables.folder(settings.from_environment())
    unfinished = root / f"{tables.EVENTS_DELTA.name}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    tables.link_some_files(root / tables.EVENTS.name, unfinished, tables.FILES)
    session = delta_session(engines.DELTA, root)
    try:
        # Delta reads the files once, and writes their statistics into its log.
        session.sql(f"CONVERT TO DELTA parquet.`{unfinished}`")
    finally:
        session.stop()
    # The log names files relative to its table.
    shutil.move(unfinished, root / tables.EVENTS_DELTA.name)


if __name__ == "__main__":
    main()
