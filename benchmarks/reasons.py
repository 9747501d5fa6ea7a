"""The known reasons for missed targets; the report shows them with the targets.

They have no figures, which would have to be measured again with each run.
"""

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "if several tasks read the rows of a LIMIT, these are shuffled before they are written, "
        "and therefore read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "the rest is what every query of Spark takes, above all to commit a write; plain Spark "
        "reads from the page cache"
    ),
    "bytes, plain / ours: clustered, toPandas or write": (
        "plain Spark prunes row groups, too, and reads only one in each file that contains rows; "
        "the extension also reads the footers of the files before the first that contains rows"
    ),
    "bytes, ours / DataFusion: covered": (
        "DataFusion has all footers in memory when the query starts; for a count, it reads only "
        "the column of the predicate; for a LIMIT that a dictionary proves, only the extension "
        "reads dictionaries"
    ),
    "time, ours: 2,000 files / 60 files, covered": (
        "clustered: more files are before the first that contains rows, and planning inspects "
        "their footers one after the other; all files are listed and sorted for every query"
    ),
    "time, Delta without push-down / ours: no predicate, toPandas or write": (
        "the rest is what every query of Delta Lake takes: it checks its log, and selects files "
        "with a Spark job of more tasks than the query has; a write also commits"
    ),
    "time, ours / Delta: nothing to gain": (
        "the two sessions differ by more than 3 % in a query without LIMIT, too (last line); the "
        "first query over the table inspects the footers of a few files in vain"
    ),
    "time, ours / Iceberg: planning, at the root": (
        "planning takes tens of milliseconds, and the extension adds a few, to compare cached "
        "metrics with the predicate and to replace the scan"
    ),
    "bytes, plain / ours: INT96 with dictionaries": (
        "at the root, the one task of plain Spark finds its rows in the first files, too, and the "
        "extension also reads the dictionaries of the files before the first that contains rows"
    ),
    "time, plain / ours: INT96 with dictionaries": (
        "at the root, the one task of plain Spark finds its rows after a few files, whose "
        "dictionaries the extension reads while planning, in each run: they are not cached"
    ),
    "time, plain / ours: scalar subquery": (
        "both run the subquery, which takes longer than the rest of the query over a few files"
    ),
    "time, plain / ours: DISTINCT or GROUP BY, LIMIT": (
        "plain Spark reads one or two columns of a few files from the page cache, and both "
        "shuffle the groups"
    ),
    "time, ours / plain: collect that one task answers": (
        "nothing is planned, but the plan has two nodes more, and the task reads the page index; "
        "the saved bytes are in the page cache; queries without LIMIT, for which nothing is "
        "different, differ as much in this run (last line)"
    ),
    "time, ours / plain: nothing to gain": (
        "the footers of a few files, and the dictionaries or page indexes of a few row groups, are "
        "read in vain in the first run"
    ),
    "time, ours / plain: covered, at the root": (
        "without a predicate, the task waits for the page index of the file: one round trip more "
        "than plain Spark, for a fifth of the bytes, which save no time on this server"
    ),
    "requests, ours - plain: covered, at the root": (
        "for a clustered predicate, the first run reads the footers of files before the first that "
        "contains rows; the task checks the file, reads its page index, and then a range of pages "
        "for each group of adjacent columns"
    ),
    "time, ours / plain: unprovable, first time": (
        "the footers of the first files are read in vain: one round trip, and the time to open the "
        "files and to parse the footers"
    ),
    "time, ours / plain: unprovable, second time": (
        "requests and bytes are the same as in plain Spark; one query was faster, one slower"
    ),
    "time, plain / ours: no predicate, not at the root": (
        "the rest is what every query of Spark takes, and the round trips that follow each other: "
        "the footer while planning, those of Spark's reader when it opens the file, the page "
        "index, the pages"
    ),
    "nothing to gain, ours - plain, ms": (
        "these queries take hundreds of milliseconds, and the runs of a query differ by more"
    ),
    "time, ours / plain: no LIMIT": (
        "bytes, tasks and jobs are the same, and planning reads no file (`test_costs`), so this is "
        "the noise of the machine"
    ),
}
