"""Makes the files beside it with arrow-rs; see README.md."""

# The writer is not installed where mypy runs.
# mypy: ignore-errors
from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from arro3.io import write_parquet

from support.encoded_files import KINDS, LARGE_PAGES, WITHOUT_BYTE_STREAMS, cells, table


def main() -> None:
    """Write one file for each version of pages."""
    for number in (1, 2):
        of = cells(WITHOUT_BYTE_STREAMS, of_each=1, first=number * len(KINDS) // 3)
        by_dictionary = {
            cell.path_in_rust for cell in of if cell.encoding in ("DICTIONARY", "RUNS")
        }
        others = {c.path_in_rust: c.encoding for c in of if c.path_in_rust not in by_dictionary}
        write_parquet(
            table(of),
            Path(__file__).with_name(f"arro3-{version('arro3-io')}-v{number}.parquet"),
            writer_version=f"parquet_{number}_0",
            dictionary_enabled=False,
            column_dictionary_enabled=dict.fromkeys(by_dictionary, True),
            column_encoding={"key": "PLAIN", "odd": "PLAIN", **others},
            compression="zstd(9)",
            data_page_size_limit=LARGE_PAGES,
            write_batch_size=1,
            skip_arrow_metadata=True,
        )


if __name__ == "__main__":
    main()
