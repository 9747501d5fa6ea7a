"""Row groups as a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from limit_pruning._errors import PandasNotInstalledError
from limit_pruning._row_groups import RowGroupReport

if TYPE_CHECKING:
    import pandas as pd


def row_group_frame(scans: Sequence[tuple[str, Sequence[RowGroupReport]]]) -> pd.DataFrame:
    """Return one row for each row group of the scans, in their order.

    Args:
        scans: The table and the row groups of each scan.

    Returns:
        The columns are `scan` (the position of the scan, from 0), `table`, and the attributes of
        RowGroupReport.

    Raises:
        PandasNotInstalledError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise PandasNotInstalledError(
            "pandas was not found; to_pandas() needs pandas 2.2 or later: `pip install pandas`. "
            "to_dict() and to_json() work without it."
        ) from error
    names = [field.name for field in fields(RowGroupReport)]
    rows = [
        (number, table, *(getattr(group, name) for name in names))
        for number, (table, row_groups) in enumerate(scans)
        for group in row_groups
    ]
    return pd.DataFrame(rows, columns=["scan", "table", *names])
