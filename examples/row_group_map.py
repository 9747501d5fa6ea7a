"""Draws the README's pictures of a row-group map: a real query's report, as notebooks show it.

Run by `make pictures`. The tables are those of `make demo`.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from selenium.webdriver.common.by import By

import browser
import demo
import demo_tables
import limit_pruning

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
PAGE = demo.FOLDER / "row-group-map.html"
QUERY = """
SELECT * FROM events e
WHERE e.ts >= TIMESTAMP'2024-03-02 15:00:00' AND e.ts < TIMESTAMP'2024-03-04 04:00:00'
LIMIT 35000
"""
# Planning is slow in a JVM that has just started, which is not what the pictures are about.
OTHER_QUERY = """
SELECT * FROM events
WHERE day = DATE'2024-03-06' AND ts > TIMESTAMP'2024-03-06 {hour:02}:30:00'
LIMIT 10
"""
WARM_UP = 8
WIDTH = 940
SCALE = 2


def main() -> None:
    """Run the query, and photograph its report in a light and in a dark notebook."""
    if browser.programs() is None:
        raise SystemExit("Chromium or chromedriver was not found: `make browser` installs them")
    html = report()._repr_html_()
    IMAGES.mkdir(parents=True, exist_ok=True)
    with browser.started() as driver:
        browser.transparent(driver)
        for theme in get_args(browser.Theme):
            browser.look(driver, width=WIDTH, theme=theme, scale=SCALE)
            browser.load(driver, PAGE, html)
            picture = IMAGES / f"row-group-map-{theme}.png"
            driver.find_element(By.TAG_NAME, "section").screenshot(str(picture))
            print(f"{picture}: {picture.stat().st_size / 1024:.0f} KiB")


def report() -> limit_pruning.PruningReport:
    """Return the report of the query, over a table that has a name in the catalog."""
    demo_tables.write_once(demo.FOLDER)
    spark = demo.start()
    try:
        location = (demo.FOLDER / "events").as_uri()
        spark.sql(f"CREATE TABLE events USING parquet LOCATION '{location}'")
        spark.sql("MSCK REPAIR TABLE events")
        for hour in range(WARM_UP):
            spark.sql(OTHER_QUERY.format(hour=hour)).collect()
        query = spark.sql(QUERY)
        query.collect()
        return limit_pruning.report(query)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
