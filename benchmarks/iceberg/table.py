"""Makes the events an Iceberg table, once: `python -m benchmarks.iceberg.table`."""

from __future__ import annotations

import shutil

from benchmarks import engines, settings, tables
from benchmarks.engines.iceberg import NAME, iceberg_session


def main() -> None:
    """Link the files of the Parquet table, and import the links, which need no space."""
    root = tables.folder(settings.from_environment())
    folder = root / tables.EVENTS_ICEBERG.name
    tables.link_some_files(root / tables.EVENTS.name, folder / "imported", tables.FILES)
    session = iceberg_session(engines.ICEBERG, root)
    try:
        source = f"parquet.`{folder / 'imported'}`"
        session.sql(f"CREATE TABLE {NAME} USING iceberg AS SELECT * FROM {source} LIMIT 0")
        # Iceberg reads the footers once, and writes their statistics into a manifest. Its metadata
        # name files by their absolute paths.
        session.sql(f"CALL ice.system.add_files(table => 'db.events', source_table => '{source}')")
    except BaseException:
        shutil.rmtree(folder)
        raise
    finally:
        session.stop()


if __name__ == "__main__":
    main()
