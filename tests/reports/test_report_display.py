"""What a report shows in terminals, at prompts and, as far as text tells, in notebooks."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import rich
from rich.console import Console

from limit_pruning import LimitReport, PruningReport, Reason, RowCounts, RowGroupCounts
from support.sample_reports import case_study, group_of, limit_report, many, report_of, row_group

ANSI = re.compile(r"\x1b\[[0-9;]*m")
CASE_STUDY = report_of(*case_study())
HOSTILE = limit_report(
    [row_group(0, file='file:/a\'b/<x>&"y".parquet', facts=('s: <b>&"', "</title><script>1"))],
    table='/a/<i>t & "u"',
    predicate="s = '</code><script>alert(1)</script>'",
)
NOT_PRUNED = limit_report(
    [],
    covered=False,
    reason=Reason("code", "the predicate is not deterministic"),
    row_groups=group_of(RowGroupCounts, details=(), omitted=0),
)


def printed(report: PruningReport | LimitReport, width: int = 100, encoding: str = "utf-8") -> str:
    """Return what rich prints where there are no colours."""
    output = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=output, width=width, color_system=None).print(report)
    output.seek(0)
    return "\n".join(line.rstrip() for line in output.read().splitlines())


def coloured(report: PruningReport, width: int = 100) -> str:
    """Return what rich prints to a terminal that has colours."""
    output = io.StringIO()
    Console(file=output, width=width, force_terminal=True, color_system="standard").print(report)
    return output.getvalue()


def test_a_terminal_shows_the_query_the_strip_the_counts_and_the_cost() -> None:
    assert printed(CASE_STUDY) == (
        "tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3\n"
        "  4 row groups → 3 matched → 1 fully matched → 1 scanned\n"
        "\n"
        f"  {19 * '░'} {19 * '▒'} {19 * '█'} {19 * '▒'}\n"
        f"{42 * ' '}{19 * '▔'}\n"
        "\n"
        "                         row groups  rows  ▔ scanned  to read   size\n"
        "  ░░ not matching                 1     3          0        0  120 B\n"
        "  ▒▒ partially matching           2     6          0        0  240 B\n"
        "  ██ fully matching               1     3          1        3  120 B\n"
        "  to read: 3 rows; row filter: skipped"
    )


def test_colours_are_added_to_the_same_text() -> None:
    shown = coloured(CASE_STUDY)
    plain = "\n".join(line.rstrip() for line in ANSI.sub("", shown).splitlines())
    assert plain == printed(CASE_STUDY)
    assert re.search("\x1b\\[32m█+", shown)
    assert re.search("\x1b\\[33m▒+", shown)
    assert re.search("\x1b\\[90m░+", shown)


def test_a_terminal_without_unicode_shows_the_same() -> None:
    shown = printed(limit_report(case_study(), table="täble"), 60, "ascii")
    assert shown.startswith(r"t\xe4ble WHERE")
    assert "4 row groups -> 3 matched" in shown
    assert f"{13 * '.'} {13 * '/'} {13 * '#'} {13 * '/'}" in shown
    assert "^ scanned" in shown


def test_widths_in_a_terminal_tell_the_rows() -> None:
    shown = printed(report_of(row_group(0, rows=900), row_group(1, "not", rows=100)))
    assert [len(run) for run in shown.splitlines()[3].split()] == [71, 7]


def test_files_are_told_apart_in_a_terminal() -> None:
    few = printed(report_of(row_group(0, file="a"), row_group(1, file="a"), row_group(0, file="b")))
    assert re.search("█ █+ │ █", few)
    dense = printed(report_of(*many(48)), width=50)
    assert "  ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█▒ ░▒█\n  ▔" in dense


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("count", [4, 60, 5000])
def test_nothing_is_wider_than_the_terminal(width: int, count: int) -> None:
    lines = printed(report_of(*many(count)), width).splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < 60
    assert width < 60 or "…" not in "".join(lines)


def test_thousands_of_row_groups_end_in_a_count() -> None:
    shown = printed(report_of(*many(5000)), 102)
    left_out = re.search(r"row groups not shown here: ([\d,]+)", shown)
    assert left_out
    # Twenty lines of eighty row groups, with gaps between files of four.
    assert left_out[1] == "3,400"


def test_row_groups_that_the_report_lacks_are_counted() -> None:
    row_groups = replace(limit_report(case_study()).row_groups, omitted=1234)
    omitting = limit_report(case_study(), row_groups=row_groups)
    remark = "row groups not shown, and not counted here: 1,234"
    assert remark in printed(omitting)
    assert remark in omitting._repr_html_()
    assert "not shown" not in printed(CASE_STUDY) + CASE_STUDY._repr_html_()


def test_why_a_limit_is_not_pruned_is_shown() -> None:
    for shown in (printed(NOT_PRUNED), NOT_PRUNED._repr_html_()):
        assert "not pruned: the predicate is not deterministic" in shown
        assert "row groups" not in re.sub("(?s)<style>.*</style>", "", shown)


def test_order_by_and_its_bound_are_shown() -> None:
    rows = group_of(RowCounts, certain=3)
    limit = limit_report(case_study(), order_by="s DESC", threshold="76", rows=rows)
    for shown in (printed(limit), limit._repr_html_()):
        assert "ORDER BY" in shown
        assert "threshold: 76; 3 rows certain" in shown


def test_a_query_without_limit_says_so() -> None:
    sentence = "This query has no LIMIT over a Parquet scan."
    assert printed(PruningReport(())) == sentence
    assert sentence in PruningReport(())._repr_html_()


def test_every_limit_is_shown() -> None:
    report = PruningReport((limit_report(case_study(), table="one"), NOT_PRUNED))
    assert re.search("(?s)^one .*\n\ntracking_data ", printed(report))
    assert report._repr_html_().count("<section>") == 2


def test_show_prints_to_the_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    CASE_STUDY.show()
    assert "██ fully" in capsys.readouterr().out


def test_a_value_steers_no_terminal() -> None:
    limit = limit_report([], table="[red]\x1b[31mt\n[/red]", predicate="s = '\x07'")
    shown = coloured(PruningReport((limit,)))
    assert r"[red]\x1b[31mt\n[/red]" in ANSI.sub("", shown)
    assert r"\x07" in shown
    assert "\x07" not in shown


def test_repr_is_the_text_where_nobody_sits_at_a_prompt() -> None:
    assert repr(CASE_STUDY) == str(CASE_STUDY)
    assert repr(CASE_STUDY.only) == str(CASE_STUDY.only)


@pytest.mark.parametrize(("terminal", "shown"), [(True, coloured(CASE_STUDY)), (False, None)])
def test_repr_at_a_prompt(
    terminal: bool, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(
        file=io.StringIO(), width=100, force_terminal=terminal, color_system="standard"
    )
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    monkeypatch.setattr(rich, "_console", console)
    assert repr(CASE_STUDY) == (shown.rstrip("\n") if shown else str(CASE_STUDY))


class Page(HTMLParser):
    """The elements and the text of a piece of HTML."""

    def __init__(self, text: str) -> None:
        """Read `text`."""
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append(tag)
        self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in ("src", "href")
            if name == "id":
                self.ids.append(str(value))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Demand that elements end in the order in which they began."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text outside of the style."""
        if "style" not in self.open:
            self.text += data


def test_html_is_well_formed_and_asks_for_nothing() -> None:
    page = Page(CASE_STUDY._repr_html_())
    assert page.open == []
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "url(http" not in CASE_STUDY._repr_html_()
    assert "@import" not in CASE_STUDY._repr_html_()


def test_names_and_values_are_escaped() -> None:
    page = Page(HOSTILE._repr_html_())
    assert page.open == []
    assert "script" not in page.tags
    assert HOSTILE.table in page.text
    assert str(HOSTILE.predicate) in page.text
    assert "</title><script>1" in page.text


def test_outputs_share_no_identifier() -> None:
    ids = Page(CASE_STUDY._repr_html_() + CASE_STUDY._repr_html_()).ids
    assert len(ids) == len(set(ids)) == 4


def test_thousands_of_row_groups_fit_into_a_notebook() -> None:
    assert len(report_of(*many(5000))._repr_html_()) < 2_000_000
