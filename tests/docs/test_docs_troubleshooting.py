"""The page on reasons and troubleshooting quotes real messages, each warning and each exception."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import limit_pruning
from support.paths import DOCS, ROOT, SCALA

PAGE = (DOCS / "reasons.md").read_text(encoding="utf-8")
SOURCES = [
    *(ROOT / "python/limit_pruning").rglob("*.py"),
    *(ROOT / "jvm/src/main").rglob("*.scala"),
    *(ROOT / "jvm/src/main").rglob("*.java"),
]
# Literals that a program joins: by `+` in Scala and Java, by their places in Python.
JOINT = re.compile(r"\"\s*\+?\s*[sfr]?\"")
SHORTEST = 6  # characters of a part, below which it would be found anywhere


def joined(files: list[Path]) -> str:
    """Return the text of files, with each message in one piece, and its spaces as single ones."""
    texts = (file.read_text(encoding="utf-8") for file in files)
    return " ".join("\n".join(JOINT.sub("", text) for text in texts).split())


CODE = joined(SOURCES)


def messages() -> list[str]:
    """Return what the page quotes: the lines of text blocks, and what is emphasised in tables."""
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return lines + [quote for row in rows for quote in re.findall(r"\*([^*|]+)\*", row)]


def missing(message: str) -> list[str]:
    """Return the parts of a message that no source contains."""
    parts = (part.strip() for part in message.split("…"))
    return [part for part in parts if len(part) >= SHORTEST and part not in CODE]


@pytest.mark.parametrize("message", messages())
def test_every_message_is_in_the_code(message: str) -> None:
    assert any(len(part.strip()) >= SHORTEST for part in message.split("…"))
    assert missing(message) == []


def test_messages_are_found_and_others_are_not() -> None:
    assert len(messages()) > 30
    assert missing("it was deleted while … nobody read it") == ["nobody read it"]


def test_every_reason_is_one_of_the_code() -> None:
    codes = set(re.findall(r'Reason\(\s*"([a-z0-9-]+)"', joined([SCALA / "select/Reason.scala"])))
    linked = {code for code, _ in re.findall(r"\[`([a-z0-9-]+)`\]\(#(\1)\)", PAGE)}
    assert len(linked) >= 3
    assert linked <= codes


def test_every_exception_of_the_package_is_named() -> None:
    public = (getattr(limit_pruning, name) for name in limit_pruning.__all__)
    errors = {it.__name__ for it in public if isinstance(it, type) and issubclass(it, Exception)}
    assert len(errors) > 5
    assert {name for name in errors if f"`{name}`" not in PAGE} == set()


def test_every_warning_of_the_driver_is_quoted() -> None:
    code = joined(list((ROOT / "jvm/src/main").rglob("*.scala")))
    warnings = re.findall(r"log(?:Warning|Error)\(\s*s?\"([^\"$]+)", code)
    assert len(warnings) >= 3
    assert {warning for warning in warnings if warning.strip() not in PAGE} == set()


def test_every_check_of_doctor_is_named() -> None:
    code = (ROOT / "python/limit_pruning/_doctor.py").read_text(encoding="utf-8")
    checks = set(re.findall(r'(?:Check\(\s*|name = )"([A-Za-z ]+)"', code))
    settings = set(re.findall(r'"(spark\.(?:limitPruning|sql)\.[\w.]+)"', code))
    section = PAGE.split("\n## What doctor finds\n")[1]
    assert {"PySpark", "Java", "JAR", "session", "a query"} <= checks
    told_without_advice = {"limit_pruning", "Python"}
    assert {name for name in checks - told_without_advice if f"| {name} |" not in section} == set()
    assert {name for name in settings if f"`{name}`" not in section} == set()
