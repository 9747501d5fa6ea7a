"""Why a target is missed, as far as it was looked into; shown beside the target where it is."""

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "a LIMIT that several tasks read is shuffled before it is written: its rows are read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "what is left is what any query costs: a LIMIT 1 that is collected takes plain Spark "
        "0.06 s here, and committing a write 0.1 s; plain Spark reads one row group of each file, "
        "1.2 of 5 GB, from the page cache in a second, which takes longer from a disk or network"
    ),
    "bytes, plain / ours: clustered, toPandas or write": (
        "plain Spark prunes row groups, too, and reads only one of each file with rows; of ours, "
        "half a MB are footers of the files before the 21st, where the rows are"
    ),
    "bytes, ours / DataFusion: both can prune": (
        "no predicate: DataFusion, too, reads only the pages needed, once in each of its "
        "partitions, of which one may be cancelled before it reads (1.05 then, else 0.52); "
        "a count after a prefix is the one query above 0.6: 0.2 MB here, 0.03 MB there"
    ),
    "time, ours: 2,000 files / 60 files, covered": (
        "clustered: rows begin in the 667th of 2,000 files but the 21st of 60, and the footers "
        "before it, which are kept from the query before, are asked one by one; 2,000 files are "
        "listed and put in order for every query"
    ),
    "time, ours / plain: collect that one task answers": (
        "planning takes 3 to 9 ms more of 60 to 90 (medians of 35 runs in turns); LIMIT 1 is the "
        "first query of its kind in the run, for which code is compiled meanwhile"
    ),
    "time, ours / plain: nothing to gain": (
        "four footers and up to eight row groups' dictionaries or page indexes are read in vain, "
        "which shows where plain Spark is done in 0.1 s"
    ),
    "time, ours / plain: no LIMIT": (
        "bytes, tasks and jobs are the same, and planning touches no file "
        "(tests/limits/test_costs.py); in fresh processes, where both JVMs have the same history, "
        "it was 0.98 to 1.11 under load"
    ),
}
