"""Command line: ``python -m limit_pruning jar`` prints the path of the JAR."""

import sys

from limit_pruning import JarNotFoundError, __version__, jar_path

_USAGE = "usage: python -m limit_pruning jar | --version"


def main(arguments: list[str]) -> int:
    """Run one command and return the exit code: 0 done, 1 no JAR, 2 unknown command."""
    if arguments == ["--version"]:
        print(__version__)
    elif arguments in (["--help"], ["-h"]):
        print(_USAGE)
    elif arguments == ["jar"]:
        try:
            print(jar_path())
        except JarNotFoundError as error:
            print(error, file=sys.stderr)
            return 1
    else:
        given = " ".join(arguments) or "(none)"
        print(f"unknown command {given}; {_USAGE}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
