"""The bytes that a process has read, as the kernel counts them."""

from __future__ import annotations

from pathlib import Path


def bytes_read(pid: int) -> int:
    """Return the bytes that the process has read so far, from disk or from the page cache.

    All reads count, including those of sockets and JARs. Therefore a process is measured after it
    has warmed up. Hadoop's own statistics do not contain vectored reads, which are most of the
    reads of a Parquet scan.

    Raises:
        FileNotFoundError: There is no /proc, for example on macOS.
    """
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])
