"""Why a target is missed, as far as it was looked into; shown beside the target where it is."""

_NOISE = "a few milliseconds decide, so that a machine with other work on it decides nothing"

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "a LIMIT that several tasks read is shuffled before it is written: its rows are read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "what is left is planning, starting a job and opening a file, where other work on the "
        "machine counts most; plain Spark reads 1.2 GB from the page cache meanwhile, not from disk"
    ),
    "bytes, plain / ours: clustered, toPandas or write": (
        "plain Spark prunes row groups, too, and reads only one of each file with rows; of ours, "
        "2 MB are footers: of every file, as the waves of 4, 16 and 64 reach beyond the 21st, "
        "where the rows are, and 32 KiB each, of which 9 are the footer"
    ),
    "bytes, ours / DataFusion: both can prune": (
        "no predicate: DataFusion, too, reads only the pages needed, once in each of its "
        "partitions, of which one may be cancelled before it reads (1.05 then, else 0.52); "
        "counts: it has kept the footers since the tables were registered, and we read them again"
    ),
    "time, ours: 2,000 files / 60 files, covered": (
        "clustered: rows begin in the 667th of 2,000 files, and the footers before it are read "
        "one by one (24 MB, as 32 KiB are asked for, of which 3 are the footer); none are kept"
    ),
    "time, ours / plain: collect that one task answers": (
        f"one more footer and a page index are read while planning; {_NOISE}"
    ),
    "time, ours / plain: nothing to gain": (
        "four footers, and of eight row groups the dictionaries or page indexes, where there are "
        f"any, are read before looking is given up; {_NOISE}"
    ),
    "time, ours / plain: no LIMIT": f"no file is touched (tests/test_costs.py); {_NOISE}",
}
