"""What happened to a Delta table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from support import random_histories


@dataclass(kw_only=True)
class History(random_histories.History):
    """What happened to a Delta table, and the features that it has."""

    path: Path
    mapping: str
    vectors: bool
    has_changed_names: bool = False

    @classmethod
    def at(cls, path: Path, mapping: str, vectors: bool, partitioned: bool) -> History:
        """Return the history of a table that is still to be made."""
        return cls(
            table=f"delta.`{path}`",
            path=path,
            mapping=mapping,
            vectors=vectors,
            partitioned=partitioned,
            # Delta takes timestamps without a time zone only with a table feature.
            names={name: name for name in random_histories.COLUMNS if name != "tn"},
        )
