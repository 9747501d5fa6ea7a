"""Why a target is missed, as far as it was looked into; shown beside the target where it is."""

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "a LIMIT that several tasks read is shuffled before it is written: its rows are read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "what is left is planning, a job and opening a file, over 0.1 s on a machine with other "
        "work; plain Spark reads one row group of each file, 1.2 of 5 GB, from the page cache"
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
        "a footer and a page index are read while planning, some tens of milliseconds here; how "
        "much of the rest is the JVM's history (see nothing to gain) has not been isolated"
    ),
    "time, ours / plain: nothing to gain": (
        "four footers and up to eight row groups' dictionaries or page indexes are read in vain, "
        "which shows at small limits; after queries where plain Spark scans sixty times as much, "
        "the ratio is larger, probably as its JVM is warmer: in fresh processes, under load, it "
        "was 1.04 to 1.24 for collect and 0.92 for toPandas"
    ),
    "time, ours / plain: no LIMIT": (
        "bytes, tasks and jobs are the same, and planning touches no file (tests/test_costs.py); "
        "in fresh processes, where both JVMs have the same history, it was 0.98 to 1.11 under load"
    ),
}
