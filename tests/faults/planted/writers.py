"""Faults of what is believed of the writers of files."""

from __future__ import annotations

from faults.fault import LIES, Edit, Fault, fault


def _listed(writer: str, claims: str, what: str) -> Fault:
    line = '    always("duckdb", NullCounts,'
    return fault(
        f"writers: {what} counts as listed for {claims}",
        "parquet/ListedWriters.scala",
        line,
        f'    always("{writer}", {claims}),\n{line}',
        LIES,
    )


_ANY_SIZES = (
    Edit(
        "parquet/PageLocations.scala",
        "page.offset == before.end",
        "page.offset >= before.end",
    ),
    Edit(
        "parquet/PageLocations.scala",
        "pages.last.end == chunk.start + chunk.length",
        "pages.last.end <= chunk.start + chunk.length",
    ),
)
_READ_ONCE = Edit(
    "scan/NarrowedRows.scala",
    "isNarrow && !whole.contains(rowGroup)",
    "isNarrow && whole.nonEmpty && !whole.contains(rowGroup)",
)

FAULTS = (
    fault(
        "writers: min and max of a page that are both empty are believed",
        "parquet/PageFacts.scala",
        "low.isEmpty && high.isEmpty && !hasEmptyMin(chunk)",
        "low.isEmpty && high.nonEmpty && !hasEmptyMin(chunk)",
        LIES,
    ),
    _listed("parquet.net", "NullCounts, BytesMinMax", "Parquet.Net, whose order is another,"),
    _listed("hyparquet", "NullCounts, BytesMinMax", "hyparquet, whose bounds may be prefixes,"),
    _listed(
        "github.com/segmentio/parquet-go",
        "NullCounts, NumbersMinMax, PageIndexes",
        "parquet-go, whose pages have bounds of others,",
    ),
    Fault(
        "writers: pages are located by sizes without headers, and what fails is not read again",
        (*_ANY_SIZES, _READ_ONCE),
        (LIES,),
    ),
    Fault(
        "writers: what cannot be read by the page index is not read again",
        (_READ_ONCE,),
        (LIES,),
    ),
    fault(
        "writers: days of INT96 whose microseconds overflow are in order",
        "parquet/DictionaryDecoder.scala",
        "day > LastDay) None",
        "day > LastDay + Int.MaxValue) None",
        LIES,
    ),
)
