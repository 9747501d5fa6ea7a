"""The known reasons for missed targets; the report shows them with the targets.

They have no figures, which would have to be measured again with each run.
"""

REASONS: dict[str, str] = {
    "bytes, plain / ours: no predicate, toPandas or write": (
        "if several tasks read the rows of a LIMIT, these are shuffled before a write, and "
        "read twice"
    ),
    "time, plain / ours: no predicate, toPandas or write": (
        "the rest is what every query of Spark takes, above all a commit; plain Spark reads "
        "from the page cache"
    ),
    "bytes, plain / ours: clustered, toPandas or write": (
        "plain Spark prunes row groups, too; the extension also reads the footers of the "
        "files before the first that contains rows"
    ),
    "bytes, ours / DataFusion: covered": (
        "DataFusion has all footers in memory, and for a count reads only the column of the "
        "predicate; only the extension reads dictionaries"
    ),
    "time, ours: 2,000 files / 60 files, covered": (
        "more footers are inspected, one after the other, before the first file that contains "
        "rows; all files are listed and sorted"
    ),
    "time, Delta without push-down / ours: no predicate, toPandas or write": (
        "a write selects files with a Spark job of Delta, in its transaction, and commits"
    ),
    "time, ours / Delta: nothing to gain": (
        "the two sessions differ by more than 3 % in a query without LIMIT, too; the first "
        "query inspects a few footers in vain"
    ),
    "time, ours / Iceberg: planning, at the root": (
        "planning takes tens of milliseconds; the extension adds a few, to compare cached "
        "metrics and to replace the scan"
    ),
    "bytes, plain / ours: INT96 with dictionaries": (
        "at the root, plain Spark finds its rows in the first files, too; the extension also "
        "reads the dictionaries of the files before"
    ),
    "time, plain / ours: INT96 with dictionaries": (
        "at the root, plain Spark finds its rows after a few files, whose dictionaries the "
        "extension reads in each run: they are not cached"
    ),
    "time, plain / ours: scalar subquery": (
        "both run the subquery, which takes longer than the rest over a few files"
    ),
    "time, plain / ours: DISTINCT or GROUP BY, LIMIT": (
        "plain Spark reads one or two columns of a few files from the page cache, and both "
        "shuffle the groups"
    ),
    "time, ours / plain: collect that one task answers": (
        "nothing is planned, but the plan has two nodes more, and the task reads the page "
        "index; the saved bytes are in the page cache; queries without LIMIT differ as much "
        "(last line)"
    ),
    "time, ours / plain: nothing to gain": (
        "in the first run, the footers of a few files, and the dictionaries or page indexes "
        "of a few row groups, are read in vain"
    ),
    "time, ours / plain: covered, at the root": (
        "without a predicate, the task waits for the page index: one round trip more, for a "
        "fifth of the bytes, which save no time on this server"
    ),
    "requests, ours - plain: covered, at the root": (
        "clustered: the first run reads the footers of files before the first that contains "
        "rows; the task checks the file, and reads its page index and each range of pages"
    ),
    "time, ours / plain: unprovable, first time": (
        "the footers of the first files are read in vain: one round trip, and the time to "
        "open and parse"
    ),
    "time, ours / plain: unprovable, second time": (
        "requests and bytes are those of plain Spark; one query was faster, one slower"
    ),
    "time, plain / ours: no predicate, not at the root": (
        "the rest is what every query of Spark takes, and round trips one after the other: "
        "footer, opening, page index, pages"
    ),
    "nothing to gain, ours - plain, ms": (
        "these queries take hundreds of milliseconds, and their runs differ by more"
    ),
    "time, ours / plain: no LIMIT": (
        "noise of the machine: bytes, tasks and jobs are the same, and planning reads no file "
        "(`test_costs`)"
    ),
}
