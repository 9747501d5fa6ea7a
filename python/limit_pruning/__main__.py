"""Command line: ``limit-pruning jar | inspect | doctor``, or ``python -m limit_pruning …``."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import NoReturn

from limit_pruning import InspectionError, LimitPruningError, __version__, jar_path
from limit_pruning._inspect import LARGEST_COUNT
from limit_pruning._pyspark import require_pyspark


def console() -> int:
    """Run the console script ``limit-pruning``; return the exit code."""
    return main(sys.argv[1:], program="limit-pruning")


def main(arguments: list[str], program: str = "python -m limit_pruning") -> int:
    """Run one command and return the exit code: 0 success, 1 failure, 2 wrong input."""
    parser = _parser(program)
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.error("no command was given; commands are jar, doctor and inspect")
    try:
        return _run(given)
    except LimitPruningError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, InspectionError) else 1
    except KeyboardInterrupt:
        return 130


def _run(given: argparse.Namespace) -> int:
    # Commands that start Spark are imported only when they run, so that `jar` is quick.
    if given.command == "jar":
        print(jar_path())
        return 0
    if given.command == "doctor":
        from limit_pruning._doctor import doctor

        return doctor(given.directory)
    require_pyspark()
    from limit_pruning._inspect_command import inspect_command

    return inspect_command(given)


class _Parser(argparse.ArgumentParser):
    """A parser with errors of one line."""

    def error(self, message: str) -> NoReturn:
        """Print what was found and where the supported arguments are listed; exit with code 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        description="Makes Spark read only what a LIMIT needs from Parquet.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("jar", help="print the path of the extension's JAR")
    doctor = commands.add_parser("doctor", help="check that pruning works on this machine")
    doctor.add_argument(
        "--directory",
        metavar="PATH",
        help="folder that the driver and all executors can read and write, for the table of the "
        "test query (default: a temporary folder of this machine, which a cluster cannot read)",
    )
    inspect = commands.add_parser("inspect", help="show how well a Parquet table suits pruning")
    inspect.add_argument(
        "table",
        metavar="PATH",
        help="name of a table, or else what spark.read.parquet takes: files, a folder, a URI",
    )
    inspect.add_argument("--where", metavar="PREDICATE", help="the predicate, in SQL")
    inspect.add_argument(
        "--limit", type=_count, default=1, metavar="N", help="rows of the LIMIT (default: 1)"
    )
    inspect.add_argument("--max-files", type=_count, metavar="N", help="inspect at most N files")
    inspect.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _count(text: str) -> int:
    with suppress(ValueError):
        if 1 <= int(text) <= LARGEST_COUNT:
            return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {LARGEST_COUNT}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
