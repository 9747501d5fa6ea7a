"""Thrift's compact protocol, as far as a Parquet footer needs it, to edit footers in tests.

A struct is a dict from field number to ``(type, value)``, so that a footer that is decoded and
encoded again says the same, whatever fields it has.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = (
    *range(1, 11),
    12,
)
Struct = dict[int, tuple[int, Any]]


class Decoder:
    """Reads one struct from bytes."""

    def __init__(self, data: bytes) -> None:
        """Start at the first byte."""
        self._data = data
        self._at = 0

    @property
    def position(self) -> int:
        """The number of bytes read so far."""
        return self._at

    def struct(self) -> Struct:
        """Read a struct up to its stop byte."""
        fields: Struct = {}
        number = 0
        while (head := self._byte()) != 0:
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._zigzag()
            fields[number] = (kind, self._value(kind))
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self._byte()
        if kind in (I16, I32, I64):
            return self._zigzag()
        if kind == DOUBLE:
            return self._take(8)
        if kind == BINARY:
            return self._take(self._varint())
        if kind in (LIST, SET):
            return self._list()
        if kind == STRUCT:
            return self.struct()
        raise ValueError(f"Thrift type {kind} is not used by Parquet footers")

    def _list(self) -> tuple[int, list[Any]]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        count = self._varint() if size == 15 else size
        if kind in (TRUE, FALSE):
            return kind, [self._byte() == TRUE for _ in range(count)]
        return kind, [self._value(kind) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def _zigzag(self) -> int:
        raw = self._varint()
        return (raw >> 1) ^ -(raw & 1)


def encode(fields: Struct) -> bytes:
    """Return a struct's bytes."""
    out = bytearray()
    previous = 0
    for number, (kind, value) in sorted(fields.items()):
        bool_kind = TRUE if value else FALSE
        head = bool_kind if kind in (TRUE, FALSE) else kind
        delta = number - previous
        out += bytes([delta << 4 | head]) if delta < 16 else bytes([head]) + _zigzag(number)
        out += _value(kind, value)
        previous = number
    return bytes(out) + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (TRUE, FALSE):
        return b""
    if kind == BYTE:
        return bytes([value])
    if kind in (I16, I32, I64):
        return _zigzag(value)
    if kind == DOUBLE:
        return bytes(value)
    if kind == BINARY:
        return varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return encode(value)
    return _list(*value)


def _list(kind: int, items: list[Any]) -> bytes:
    head = bytes([min(len(items), 15) << 4 | kind])
    size = varint(len(items)) if len(items) >= 15 else b""
    if kind in (TRUE, FALSE):
        return head + size + bytes(TRUE if item else FALSE for item in items)
    return head + size + b"".join(_value(kind, item) for item in items)


def varint(value: int) -> bytes:
    """Return a number as Thrift writes sizes."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)
