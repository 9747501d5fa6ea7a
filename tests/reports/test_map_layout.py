"""Where the blocks of a row-group map stand."""

from __future__ import annotations

import itertools

import pytest

from limit_pruning._display.layout import file_spans, lines, scanned_spans
from limit_pruning._display.names import short_names
from support.sample_reports import case_study, many, renamed, row_group


def test_few_row_groups_stand_on_one_line_as_wide_as_their_rows() -> None:
    groups = [row_group(number, rows=rows) for number, rows in enumerate((100, 300, 600))]
    (line,) = lines(groups)
    assert [block.group for block in line] == groups
    assert [block.width for block in line] == pytest.approx([10, 30, 60])
    assert [block.x for block in line] == pytest.approx([0, 10, 40])


@pytest.mark.parametrize("count", [1, 24, 25, 300, 5000])
def test_every_row_group_stands_once_in_order_on_lines_of_one_scale(count: int) -> None:
    groups = many(count)
    placed = lines(groups)
    assert [block.group for line in placed for block in line] == groups
    scales = {round(block.width / block.group.rows, 9) for line in placed for block in line}
    assert len(scales) == 1
    for line in placed:
        for left, right in itertools.pairwise(line):
            assert right.x == pytest.approx(left.x + left.width)
    ends = [line[-1].x + line[-1].width for line in placed]
    assert max(ends) == pytest.approx(100)
    # Lines are as full as whole blocks allow.
    widest = max(block.width for line in placed for block in line)
    assert min(ends) >= 100 - 2 * widest


def test_lines_grow_slower_than_row_groups() -> None:
    assert [len(lines(many(count))) for count in (24, 100, 1000, 5000)] == [1, 5, 18, 40]


def test_what_would_be_too_narrow_is_as_wide_as_can_be_seen() -> None:
    groups = [row_group(0, rows=10_000_000), row_group(1, rows=1), row_group(2, rows=0)]
    (line,) = lines(groups)
    assert [block.width for block in line[1:]] == pytest.approx([0.4, 0.4], abs=0.01)


def test_row_groups_without_rows_are_equally_wide() -> None:
    (line,) = lines([row_group(number, rows=0) for number in range(4)])
    assert [block.width for block in line] == pytest.approx([25] * 4)


def test_no_row_groups_no_lines() -> None:
    assert lines([]) == []


def test_a_file_that_goes_on_does_not_begin_again() -> None:
    first, second = renamed(case_study(), "a"), renamed(many(40), "b")
    spans = [file_spans(line) for line in lines([*first, *second])]
    assert [(span.file, span.first) for span in spans[0]] == [("a", True), ("b", True)]
    assert [(span.file, span.first) for span in spans[1]] == [("b", False)]


def test_neighbours_that_are_chosen_share_a_frame() -> None:
    scanned = (True, True, False, True)
    groups = [row_group(n, rows=10, rows_to_read=10 * yes) for n, yes in enumerate(scanned)]
    (line,) = lines(groups)
    frames = [(span.x, span.width) for span in scanned_spans(line)]
    assert frames == [pytest.approx((0, 50)), pytest.approx((75, 25))]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["s3://b/t/a.parquet"], ["a.parquet"]),
        (["/t/day=1/a", "/t/day=2/a"], ["day=1/a", "day=2/a"]),
        (["/t/x1/a", "/t/x1/b"], ["a", "b"]),
        (["/t/ab", "/t/ac/d"], ["ab", "ac/d"]),
        ([], []),
    ],
)
def test_short_names(files: list[str], names: list[str]) -> None:
    assert list(short_names(files).values()) == names
