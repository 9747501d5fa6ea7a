"""Short names of files."""

from collections.abc import Iterable
from itertools import takewhile


def short_names(files: Iterable[str]) -> dict[str, str]:
    """Return each file's path below the common folder of all files.

    Examples:
        >>> list(short_names(["s3://b/t/day=1/a.parquet", "s3://b/t/day=2/a.parquet"]).values())
        ['day=1/a.parquet', 'day=2/a.parquet']
    """
    paths = {file: file.split("/") for file in files}
    levels = zip(*(path[:-1] for path in paths.values()), strict=False)
    shared = len(list(takewhile(lambda names: len(set(names)) == 1, levels)))
    return {file: "/".join(path[shared:]) for file, path in paths.items()}
