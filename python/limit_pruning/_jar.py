"""The path of the extension's JAR."""

from pathlib import Path

from limit_pruning._errors import JarNotFoundError

_JAR_NAME = "spark-limit-pruning.jar"
_PACKAGE = Path(__file__).resolve().parent


def jar_path() -> Path:
    """Return the path of the extension's JAR.

    An installed wheel contains the JAR. An editable install of a checkout uses the JAR that the
    build writes to ``target/``.

    Returns:
        The absolute path of a file that exists.

    Raises:
        JarNotFoundError: The file is in neither place.

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
    searched = ", ".join(str(candidate) for candidate in candidates)
    raise JarNotFoundError(
        f"{_JAR_NAME} was not found (searched: {searched}). In a checkout, run `make jar`; "
        "otherwise reinstall the package spark-limit-pruning."
    )
