"""A headless Chromium, to see what a notebook shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver

Theme = Literal["light", "dark"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # which root cannot have
    "--disable-dev-shm-usage",  # small in containers
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--hide-scrollbars",
)
_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Row groups</title>'
_PAGE += '<style>:root {{ color-scheme: light dark }}</style><body class="{}">{}</body></html>'


def programs() -> tuple[str, str] | None:
    """Return the paths of a Chromium and of its driver; None where one is missing."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@contextmanager
def started() -> Iterator[WebDriver]:
    """Start the browser, which reaches no other machine, and end it afterwards."""
    found = programs()
    if found is None:
        raise FileNotFoundError("Chromium or chromedriver was not found: `make browser`")
    options = webdriver.ChromeOptions()
    options.binary_location, driver = found
    for option in _OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield browser
    finally:
        browser.quit()


def look(browser: WebDriver, *, width: int, theme: Theme, scale: float = 1) -> None:
    """Make pages so many CSS pixels wide, in the theme that the system is said to prefer."""
    size = {"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": False}
    _command(browser, "Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": theme}
    _command(browser, "Emulation.setEmulatedMedia", {"features": [scheme]})


def load(browser: WebDriver, file: Path, html: str, body_class: str = "") -> None:
    """Write the outputs of a notebook into `file`, as a page, and open it."""
    file.write_text(_PAGE.format(body_class, html), encoding="utf-8")
    browser.get(file.resolve().as_uri())


def transparent(browser: WebDriver) -> None:
    """Leave out the white ground of pages in screenshots."""
    ground = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
    _command(browser, "Emulation.setDefaultBackgroundColorOverride", ground)


def _command(browser: WebDriver, name: str, arguments: dict[str, Any]) -> None:
    browser.execute_cdp_cmd(name, arguments)
