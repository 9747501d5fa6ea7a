"""The row-group map as a browser shows it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By

import browser
from limit_pruning import PruningReport
from limit_pruning._display import Grid
from limit_pruning._display.page import page
from limit_pruning._limit_view import limit_view
from support import downloads
from support.contrast import contrast
from support.sample_reports import case_study, limit_report, many, renamed, report_of, row_group

pytestmark = pytest.mark.browser

STATES = ".map :is(.not, .partially, .fully)"
UNEVEN = [
    row_group(0, "not", rows=100),
    row_group(1, "partially", rows=300),
    row_group(2, "fully", rows=600, rows_to_read=150),
    *renamed([row_group(0, "fully", rows=1000, rows_to_read=1000)], "file:/data/other.parquet"),
]
SAMPLES = {
    "case study": report_of(*case_study()),
    "two files": report_of(*UNEVEN),
    "lines": report_of(*many(150)),
    "thousands": report_of(*many(5000)),
    "no row groups": report_of(),
    "long words": PruningReport(
        (limit_report(case_study(), table="t" * 300, predicate="p" * 300),)
    ),
}
BOXES = "return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect())"
STYLE = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"


@pytest.fixture(scope="module")
def driver() -> Iterator[WebDriver]:
    """A browser; where there is none these tests are skipped, but in CI they fail."""
    if browser.programs() is None:
        reason = "needs chromium and chromedriver: `make browser`, or your system's packages"
        downloads.missing(reason)
    with browser.started() as started:
        yield started


class Shown:
    """What the browser shows of a report."""

    def __init__(self, driver: WebDriver, file: Path) -> None:
        """Show in `driver`, by way of `file`."""
        self.driver = driver
        self.file = file

    def open(
        self, html: str, width: int = 1000, theme: browser.Theme = "light", body: str = ""
    ) -> None:
        """Open a page; it must cause no message on the console and ask for nothing."""
        browser.look(self.driver, width=width, theme=theme)
        browser.load(self.driver, self.file, html, body)
        assert self.driver.execute("getLog", {"type": "browser"})["value"] == []
        assert self.run("return performance.getEntriesByType('resource').length") == 0

    def run(self, script: str, *arguments: object) -> Any:
        """Run JavaScript and return its result."""
        return self.driver.execute_script(script, *arguments)

    def boxes(self, selector: str) -> list[dict[str, float]]:
        """Return where the elements are, in CSS pixels."""
        boxes: list[dict[str, float]] = self.run(BOXES, selector)
        return boxes

    def style(self, selector: str, name: str) -> str:
        """Return the style that the first such element has in effect."""
        return str(self.run(STYLE, selector, name))


@pytest.fixture
def shown(driver: WebDriver, tmp_path: Path) -> Shown:
    """A page to show reports on."""
    return Shown(driver, tmp_path / "page.html")


@pytest.mark.parametrize("width", [400, 1000, 1600])
def test_blocks_are_as_wide_as_their_rows_and_stand_in_order(shown: Shown, width: int) -> None:
    shown.open(SAMPLES["two files"]._repr_html_(), width)
    blocks, (area,) = shown.boxes(STATES), shown.boxes(".map")
    assert [box["width"] / area["width"] for box in blocks] == pytest.approx(
        [group.rows / 2000 for group in UNEVEN], abs=0.001
    )
    for left, right in itertools.pairwise(blocks):
        assert right["left"] == pytest.approx(left["right"], abs=0.5)
    assert blocks[-1]["right"] == pytest.approx(area["right"], abs=0.5)


def test_frames_are_around_what_is_chosen_and_bars_tell_how_much_of_it(shown: Shown) -> None:
    shown.open(SAMPLES["two files"]._repr_html_())
    blocks, (frame,), (bar,) = (shown.boxes(s) for s in (STATES, ".map .frame", ".map .read"))
    assert frame["left"] == pytest.approx(blocks[2]["left"], abs=0.5)
    assert frame["right"] == pytest.approx(blocks[3]["right"], abs=0.5)
    assert 0 < blocks[2]["top"] - frame["top"] < 3
    assert 0 < frame["bottom"] - blocks[2]["bottom"] < 3
    assert bar["left"] == pytest.approx(blocks[2]["left"], abs=0.5)
    assert bar["width"] == pytest.approx(blocks[2]["width"] / 4, abs=0.5)
    assert bar["bottom"] <= frame["bottom"]


def test_each_file_has_its_name_and_a_mark_where_it_begins(shown: Shown) -> None:
    shown.open(SAMPLES["two files"]._repr_html_())
    blocks, ticks, names = (shown.boxes(s) for s in (STATES, ".tick", ".name"))
    starts = [blocks[0]["left"], blocks[3]["left"]]
    assert [tick["left"] for tick in ticks] == pytest.approx(starts, abs=1)
    assert [name["left"] for name in names] == pytest.approx(starts, abs=1)
    texts = [name.text for name in shown.driver.find_elements(By.CSS_SELECTOR, ".name")]
    assert [text.strip() for text in texts] == ["tracking_data.parquet", "other.parquet"]


@pytest.mark.parametrize("sample", ["case study", "two files", "lines"])
def test_tooltips_tell_the_bounds_that_decided(shown: Shown, sample: str) -> None:
    report = SAMPLES[sample]
    shown.open(report._repr_html_())
    texts = shown.run(
        "return [...document.querySelectorAll(arguments[0])].map(e => {"
        " const box = e.getBoundingClientRect();"
        " const hit = document.elementFromPoint(box.left + 2, box.bottom - 3);"
        " return hit.querySelector('title')?.textContent })",
        STATES,
    )
    groups = report.only.row_groups.details
    assert len(texts) == len(groups)
    for group, text in zip(groups, texts, strict=True):
        assert f"row group {group.ordinal}: " in text
        assert group.why in text
        assert group.facts[0] in text
        assert f"{group.rows:,} rows, " in text
        assert ("scanned: " in text) == group.scanned


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_overflows(shown: Shown, sample: str, width: int) -> None:
    shown.open(SAMPLES[sample]._repr_html_(), width)
    page, window = shown.run(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert page <= window == width
    (card,) = shown.boxes("section")
    for box in shown.boxes("section *:not(title, .grid *)"):  # a grid scrolls
        if box["width"]:
            assert box["left"] >= card["left"]
            assert box["right"] <= card["right"]


def test_a_grid_that_is_too_wide_scrolls_by_itself(shown: Shown) -> None:
    grid = Grid(("column", "type", "bounds"), (("c" * 90, "STRING", "all"),))
    view = replace(limit_view(SAMPLES["case study"].only), grid=grid)
    shown.open(page([view], "nothing"), 400)
    (card,), (area,) = shown.boxes("section"), shown.boxes(".grid")
    assert area["right"] <= card["right"] <= 400
    assert shown.run("return document.documentElement.scrollWidth") == 400
    assert shown.run("const g = document.querySelector('.grid'); return g.scrollWidth") > 400


@pytest.mark.parametrize("width", [400, 1600])
def test_thousands_of_row_groups_can_be_seen(shown: Shown, width: int) -> None:
    shown.open(SAMPLES["thousands"]._repr_html_(), width)
    blocks, (area,) = shown.boxes(STATES), shown.boxes(".map")
    assert len(blocks) == 5000
    assert min(box["width"] for box in blocks) > 1.5
    assert min(box["height"] for box in blocks) >= 10
    assert area["height"] < 600


@pytest.mark.parametrize(
    ("preferred", "body", "theme"),
    [
        ("light", "", "light"),
        ("dark", "", "dark"),
        ("light", "vscode-dark", "dark"),
        ("dark", "vscode-light", "light"),
        ("light", "vscode-high-contrast", "dark"),
        ("dark", "vscode-high-contrast vscode-high-contrast-light", "light"),
        ("light", '" data-jp-theme-light="false', "dark"),
        ("dark", '" data-jp-theme-light="true', "light"),
    ],
)
def test_themes(shown: Shown, preferred: browser.Theme, body: str, theme: str) -> None:
    shown.open(SAMPLES["case study"]._repr_html_(), theme=preferred, body=body)
    light = {"section": "rgb(255, 255, 255)", ".fully": "rgb(44, 157, 111)"}
    dark = {"section": "rgb(13, 17, 23)", ".fully": "rgb(63, 181, 138)"}
    seen = light if theme == "light" else dark
    assert shown.style("section", "backgroundColor") == seen["section"]
    assert shown.style(".fully", "fill") == seen[".fully"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_and_marks_stand_out(shown: Shown, theme: browser.Theme) -> None:
    shown.open(SAMPLES["two files"]._repr_html_(), theme=theme)
    ground = shown.style("section", "backgroundColor")
    for text in ("section", ".note", "code", "code b", ".name", "table"):
        assert contrast(shown.style(text, "color"), ground) >= 4.5, text
    assert contrast(shown.style(".frame", "stroke"), ground) >= 7
    assert contrast(shown.style(".fully", "fill"), ground) >= 3
    assert contrast(shown.style(".stripe", "fill"), shown.style(".ground", "fill")) >= 1.5
    looks = {shown.style(f".map .{state}", "fill") for state in ("not", "partially", "fully")}
    assert len(looks) == 3


def test_outputs_on_one_page_do_not_disturb_each_other(shown: Shown) -> None:
    html = SAMPLES["case study"]._repr_html_()
    other = SAMPLES["two files"]._repr_html_()
    shown.open(f'<div style="display: none">{html}</div>{other}')
    patterns, used = shown.run(
        "return [[...document.querySelectorAll('pattern')].map(e => `url(\"#${e.id}\")`),"
        " [...document.querySelectorAll('.map .partially')].map(e => getComputedStyle(e).fill)]"
    )
    assert len(set(patterns)) == 2
    assert used == [patterns[0], patterns[0], patterns[1]]


def test_who_does_not_see_the_map_is_told(shown: Shown) -> None:
    shown.open(SAMPLES["case study"]._repr_html_())
    area = shown.driver.find_element(By.CSS_SELECTOR, ".map")
    assert area.aria_role == "list"
    assert area.accessible_name == (
        "Row groups in the order of the files: "
        "1 not matching, 2 partially matching, 1 fully matching"
    )
    block = shown.driver.find_element(By.CSS_SELECTOR, ".map .fully")
    assert block.aria_role == "listitem"
    assert "row group 2: fully matching" in block.accessible_name
