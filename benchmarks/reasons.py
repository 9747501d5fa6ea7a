"""The known reasons for missed targets; the report shows them with the targets."""

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "if several tasks read the rows of a LIMIT, these are shuffled before they are written, "
        "and therefore read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "the rest is overhead of every query: plain Spark needs 0.06 s to collect a LIMIT 1 here, "
        "and 0.1 s to commit a write; plain Spark reads one row group of each file, 1.2 of 5 GB, "
        "from the page cache in one second, and would need longer from a disk or a network"
    ),
    "bytes, plain / ours: clustered, toPandas or write": (
        "plain Spark prunes row groups, too, and reads only one in each file that contains rows; "
        "the extension also reads 0.5 MB of footers of the files before the 21st, which is the "
        "first that contains rows"
    ),
    "bytes, ours / DataFusion: both can prune": (
        "without a predicate, DataFusion also reads only the pages that it needs, once in each of "
        "its partitions; the ratio is 1.05 if one partition is cancelled before it reads, and 0.52 "
        "otherwise; the only query above 0.6 is a count after a prefix, with 0.2 MB here and "
        "0.03 MB in DataFusion"
    ),
    "time, ours: 2,000 files / 60 files, covered": (
        "clustered: rows begin in the 667th of 2,000 files, but in the 21st of 60; the footers "
        "before it are cached by the previous query, and planning inspects them one after the "
        "other; 2,000 files are listed and sorted for every query"
    ),
    "time, ours / plain: collect that one task answers": (
        "planning adds 3 to 9 ms to 60 to 90 ms (medians of 35 runs in turns); LIMIT 1 is the "
        "first query of its kind in the run"
    ),
    "time, ours / plain: nothing to gain": (
        "four footers, and the dictionaries or page indexes of up to eight row groups, are read in "
        "vain, which is noticeable if plain Spark needs only 0.1 s"
    ),
    "time, ours / plain: no LIMIT": (
        "bytes, tasks and jobs are the same, and planning reads no file "
        "(tests/limits/test_costs.py); in new processes, in which both JVMs have the same history, "
        "the ratio was 0.98 to 1.11 under load"
    ),
}
