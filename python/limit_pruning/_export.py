"""Results as plain data."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any


class Exported:
    """A dataclass that can be converted to plain data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain data.

        Returns:
            A dict by attribute name. Values are dicts, lists, strings, numbers, booleans and None;
            times are strings in ISO 8601.
        """
        result: Any = self  # every class that inherits from this one is a dataclass
        return {name: _plain(value) for name, value in asdict(result).items()}

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON text.

        Args:
            indent: Spaces for each level; None puts everything on one line.

        Returns:
            A JSON object by attribute name.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value
