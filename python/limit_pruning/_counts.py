"""The numbers of one LIMIT, in groups."""

from __future__ import annotations

from dataclasses import dataclass, field

from limit_pruning._export import Exported
from limit_pruning._row_groups import RowGroupReport


@dataclass(frozen=True, slots=True)
class FileCounts(Exported):
    """Files of one scan.

    Attributes:
        pruned_by_log: Files of a Delta table that Delta has skipped by its log; they are not
            part of `total`. None if the table has no log, if the log does not say how many files
            there are, or if the search did not end.
        total: Files that partition pruning and the log leave; None if the search did not end.
        inspected: Files whose footers, or whose metrics in the manifests of an Apache Iceberg
            table, were used for planning; None if the search did not end.
        footers_cached: Inspected files whose footers were in the cache; None if the search did not
            end.
        scanned: Files with a selected row group, or chosen files of an Apache Iceberg table; None
            where the LIMIT is not pruned.
        reserve: Files that were not inspected, which the scan reads if it returns too few rows of
            the others, because Spark skips missing or corrupt files; None where it does not.
        chosen: Paths of the chosen files of an Apache Iceberg table, at most 100. Empty for other
            tables, and where the LIMIT is not pruned.
    """

    pruned_by_log: int | None
    total: int | None
    inspected: int | None
    footers_cached: int | None
    scanned: int | None
    reserve: int | None
    chosen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowGroupCounts(Exported):
    """Row groups of one scan.

    Attributes:
        total: Row groups in the inspected files; None if the search did not end.
        matched: Row groups that may contain a matching row; None if the search did not end.
        fully_matched: Row groups in which every row is proved to match; None if the search did not
            end.
        dropped: Matched row groups without a row that reaches the threshold; None where the LIMIT
            is not pruned, or has no ORDER BY.
        scanned: Selected row groups; None where the LIMIT is not pruned. Spark's own scan, or that
            of a native engine, reads their files whole.
        reserve: Row groups of inspected files, which the scan reads if it returns too few rows of
            the selected ones; None as for files.
        read: Row groups that the scan opened; None until the query has run, and where Spark's own
            scan reads the files.
        skipped: Row groups that the scan skipped, because enough rows that it had read sort before
            theirs; None as for `read`.
        details: The inspected row groups in file order, at most 5,000. Empty where no footer was
            read, in a history, and where the driver has released them to free memory.
        omitted: Inspected row groups without details: those after the first 5,000, or after the
            first 16 MB of footers.
    """

    total: int | None
    matched: int | None
    fully_matched: int | None
    dropped: int | None
    scanned: int | None
    reserve: int | None
    read: int | None
    skipped: int | None
    details: tuple[RowGroupReport, ...] = field(repr=False)
    omitted: int


@dataclass(frozen=True, slots=True)
class PageCounts(Exported):
    """Data pages of the selected row groups, in the columns that are read.

    Attributes:
        skipped: Pages that are not read; None where the LIMIT is not pruned, and where Spark's own
            scan reads the files.
        not_skipped_reason: Why row groups are read whole, even if few of their rows are needed;
            None where pages can be skipped.
    """

    skipped: int | None
    not_skipped_reason: str | None


@dataclass(frozen=True, slots=True)
class RowCounts(Exported):
    """Rows of one scan.

    Attributes:
        to_read: Selected rows; None where the LIMIT is not pruned, and where Spark's own scan, or
            that of a native engine, reads more of the files.
        ranges: Ranges of selected rows in row groups that are read in part; None as for `to_read`.
        cut: Rows of the selected row groups that are not read; None as for `to_read`.
        skipped: Rows that an OFFSET skips, and that are counted and not read; None where the LIMIT
            is not pruned.
        certain: Rows that are certain to reach the threshold; None where the LIMIT is not pruned,
            or has no ORDER BY.
        verified: Rows that jobs found before the scan, by reading the columns of the predicate and
            of the ORDER BY: as many as the LIMIT needs, or all that match. None where there was no
            such job.
        read: Rows that the scan returned; None until the query has run, and where Spark's own scan
            reads the files.
    """

    to_read: int | None
    ranges: int | None
    cut: int | None
    skipped: int | None
    certain: int | None
    verified: int | None
    read: int | None


@dataclass(frozen=True, slots=True)
class ByteCounts(Exported):
    """Bytes of one scan.

    Attributes:
        total: Length of all files that partition pruning leaves; None if the search did not end.
        to_read: Compressed bytes that contain the selected rows, in the columns that are read; None
            where the LIMIT is not pruned, and where Spark's own scan reads the files.
        read_first: Bytes that jobs before the scan read to find the rows, as far as Spark counts
            them: it misses what Hadoop reads in other threads (vectored reads). If the tasks of the
            scan found them, compressed bytes of the columns of the predicate. 0 where the rows
            were found in an earlier run of the DataFrame; None where nothing was read first.
        read: Compressed bytes of the pages that the scan read; None until the query has run, and
            where Spark's own scan reads the files.
    """

    total: int | None
    to_read: int | None
    read_first: int | None
    read: int | None


@dataclass(frozen=True, slots=True)
class Timings(Exported):
    """Time spent on one LIMIT.

    Attributes:
        planning_ms: Milliseconds that pruning added to planning; None where nothing was measured.
    """

    planning_ms: float | None
