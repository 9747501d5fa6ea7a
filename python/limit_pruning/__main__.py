"""Command line: ``python -m limit_pruning jar | inspect | doctor``."""

from __future__ import annotations

import argparse
import sys

from limit_pruning import InspectionError, LimitPruningError, __version__, jar_path


def main(arguments: list[str]) -> int:
    """Run one command and return the exit code: 0 success, 1 failure, 2 wrong input."""
    given = _parser().parse_args(arguments)
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

        return doctor()
    from limit_pruning._inspect_command import inspect_command

    return inspect_command(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m limit_pruning",
        description="Makes Spark read only what a LIMIT needs from Parquet.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("jar", help="print the path of the extension's JAR")
    commands.add_parser("doctor", help="check that pruning works on this machine")
    inspect = commands.add_parser("inspect", help="show how well a Parquet table suits pruning")
    inspect.add_argument("table", metavar="PATH", help="files, a folder, or the name of a table")
    inspect.add_argument("--where", metavar="PREDICATE", help="the predicate, in SQL")
    inspect.add_argument(
        "--limit", type=_positive, default=1, metavar="N", help="rows of the LIMIT (default: 1)"
    )
    inspect.add_argument("--max-files", type=_positive, metavar="N", help="inspect at most N files")
    inspect.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
