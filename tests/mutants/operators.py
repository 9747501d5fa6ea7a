"""Makes mutants of a Scala file: each is the file with one small change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A pattern, and what replaces it. Spaces around an operator tell it from a part of another one.
_REPLACED: list[tuple[str, str]] = [
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r"(?<=[\s(\[{=])!(?=[\w(])", ""),
    (r"\.lt\(", ".lteq("),
    (r"\.lteq\(", ".lt("),
    (r"\.gt\(", ".gteq("),
    (r"\.gteq\(", ".gt("),
    (r"\bordering\.(lt|lteq|gt|gteq|equiv)\(", r"!ordering.\1("),
    (r"\bordering\.min\(", "ordering.max("),
    (r"\bordering\.max\(", "ordering.min("),
    (r"\b([lr]|range|[a-d])\.min\b", r"\1.max"),
    (r"\b([lr]|range|[a-d])\.max\b", r"\1.min"),
    (r"\.exists\(", ".forall("),
    (r"\.forall\(", ".exists("),
    (r"\.nonEmpty\b", ".isEmpty"),
    (r"\.isEmpty\b", ".nonEmpty"),
    (r"\.filter\(", ".filterNot("),
    (r"\.filterNot\(", ".filter("),
    (r"\.and\(", ".union("),
    (r"\.or\(", ".and("),
    (r"\.union\(", ".and("),
    (r"\.intersect\(", ".union("),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\brising\(", "falling("),
    (r"\bfalling\(", "rising("),
    (r"\bRising\b", "Falling"),
    (r"\bFalling\b", "Rising"),
    (r"\bOutcomes\.True\b", "Outcomes.False"),
    (r"\bOutcomes\.False\b", "Outcomes.True"),
    (r"\bOutcomes\.Null\b", "Outcomes.Empty"),
    (r"\bOutcomes\.TrueOrFalse\b", "Outcomes.False"),
    (r"\bOutcomes\.Any\b", "Outcomes.True"),
    (r"\bNulls\.No\b", "Nulls.Unknown"),
    (r"\bNulls\.Unknown\b", "Nulls.No"),
    (r"\bValues\.Empty\b", "Values.Unknown"),
    (r"\bcanBeTrue\b(?! *[=:])", "canBeFalse"),
    (r"\bcanBeNull\b(?! *[=:])", "canBeTrue"),
    (r"\bcanBeNull\b(?! *[=:])", "canBeValue"),
    (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r"(?<==) (\d+)$", r" \1 - 1"),
    (r"\bif \((?=.*\) \S)", "if (!true && "),
    (r"\bcase (.+?) if (.+?) =>", r"case \1 =>"),
]
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
# Declarations say what exists, not what it is.
_DECLARES = re.compile(r"^\s*(package|import|case object|sealed|object|trait|final case class)\b")
# A constructor field in the contract.
_FIELD = re.compile(r'"(\w+)"')
LISTS = ("fileSourceScan", "logicalRelation", "fsRelation")


@dataclass(frozen=True)
class Mutant:
    """A file with one change.

    Attributes:
        file: The file, below the folder of the main sources.
        start: Where the change begins.
        end: Where the text that is replaced ends.
        text: What replaces it.
        line: The number of the line.
        before: The line, as it is.
        after: The line with the change.
    """

    file: str
    start: int
    end: int
    text: str
    line: int
    before: str
    after: str

    def of(self, source: str) -> str:
        """Return the file with the change."""
        return source[: self.start] + self.text + source[self.end :]

    @property
    def change(self) -> str:
        """The file and the change, whatever the number of the line."""
        return f"{self.file}: {self.before} -> {self.after}"

    @property
    def place(self) -> str:
        """The change, with the number of the line."""
        return f"{self.file}:{self.line}: {self.before} -> {self.after}"


def mutants(file: str, source: str) -> list[Mutant]:
    """Return the mutants of a file in the order of their places."""
    code = _COMMENT.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), source)
    found: dict[str, Mutant] = {}
    for pattern, replacement in _REPLACED:
        for match in re.finditer(pattern, code, re.MULTILINE):
            start, end = match.span()
            if "\0" in match[0] or _DECLARES.match(_line(code, start)):
                continue
            one = _mutant(file, source, start, end, match.expand(replacement))
            found.setdefault(one.place, one)
    return sorted(found.values(), key=lambda one: (one.start, one.end, one.text))


def without_fields(file: str, source: str) -> Iterator[Mutant]:
    """Return mutants of the contract in which one constructor field is not listed."""
    for name in LISTS:
        start = source.index(f"val {name}")
        end = source.index(")", start)
        for match in _FIELD.finditer(source, start, end):
            yield _mutant(file, source, *match.span(1), f"no {match[1]}")


def _mutant(file: str, source: str, start: int, end: int, text: str) -> Mutant:
    before = _line(source, start)
    first = source.rfind("\n", 0, start) + 1
    after = source[first:start] + text + source[end : end + len(before)].split("\n")[0]
    number = source.count("\n", 0, start) + 1
    return Mutant(file, start, end, text, number, before.strip(), after.strip())


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]
