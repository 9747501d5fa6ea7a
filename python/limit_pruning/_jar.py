"""Where the extension's JAR is."""

from pathlib import Path

from limit_pruning._errors import JarNotFoundError

_JAR_NAME = "spark-limit-pruning.jar"
_PACKAGE = Path(__file__).resolve().parent


def jar_path() -> Path:
    """Return the absolute path of the extension's JAR; the file exists.

    An installed wheel carries the JAR inside the package. An editable install of a checkout
    uses the one that the build leaves in ``target/``.

    Returns:
        The path of the JAR.

    Raises:
        JarNotFoundError: Neither place has the file.

    Examples:
        >>> limit_pruning.jar_path().name
        'spark-limit-pruning.jar'
    """
    checkout = _PACKAGE.parents[1]
    candidates = [_PACKAGE / "jars" / _JAR_NAME]
    if (checkout / "build.sbt").is_file():
        candidates.append(checkout / "target" / _JAR_NAME)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    looked_at = ", ".join(str(candidate) for candidate in candidates)
    raise JarNotFoundError(
        f"{_JAR_NAME} was not found (looked at: {looked_at}). In a checkout, run `make jar`; "
        "otherwise reinstall the package spark-limit-pruning."
    )
