"""The path of the extension's JAR."""

from __future__ import annotations

import re
from pathlib import Path

from limit_pruning._errors import JarNotFoundError, UnsupportedSparkVersionError
from limit_pruning._pyspark import INSTALL_SPARK, SUPPORTED_SPARKS, spark_home
from limit_pruning._version import __version__

# There is a JAR for each; the last one is the one where there is no Spark to choose by.
SCALA_VERSIONS = ("2.12", "2.13")

_PACKAGE = Path(__file__).resolve().parent
_SCALA_LIBRARY = re.compile(r"scala-library-(\d+\.\d+)[.\d]*\.jar")


def jar_path() -> Path:
    """Return the path of the extension's JAR.

    An installed wheel contains the JAR. An editable install of a checkout uses the JAR that the
    build writes to ``target/``. Its name has the version of Scala and the version of this package.
    The version of Scala is that of the Spark in ``SPARK_HOME``, else of the installed PySpark.

    Returns:
        The absolute path of a file that exists.

    Raises:
        JarNotFoundError: The file is in neither place.
        UnsupportedSparkVersionError: There is no JAR for the Scala version of Spark.

    Examples:
        >>> limit_pruning.jar_path().name.startswith("spark-limit-pruning_2.13-")
        True
    """
    name = f"spark-limit-pruning_{_scala_version()}-{__version__}.jar"
    checkout = _PACKAGE.parents[1]
    candidates = [_PACKAGE / "jars" / name]
    if (checkout / "build.sbt").is_file():
        candidates.append(checkout / "target" / name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    searched = ", ".join(str(candidate) for candidate in candidates)
    raise JarNotFoundError(
        f"{name} was not found (searched: {searched}). In a checkout, run `make jar`; "
        "otherwise reinstall the package spark-limit-pruning."
    )


def _scala_version() -> str:
    """Return the Scala version of the JAR that suits the Spark that is there.

    Spark Connect clients have PySpark without JARs, and some platforms have Spark's JARs elsewhere.
    """
    home = spark_home()
    if home is not None:
        for jar in sorted(home.glob("jars/scala-library-*.jar")):
            found = _SCALA_LIBRARY.fullmatch(jar.name)
            if found and found[1] not in SCALA_VERSIONS:
                raise UnsupportedSparkVersionError(
                    f"The Spark in {home} uses Scala {found[1]} ({jar.name}); supported are Scala "
                    f"{', '.join(SCALA_VERSIONS)}, with Spark {SUPPORTED_SPARKS}. Set SPARK_HOME "
                    f"to one of these, or unset it and {INSTALL_SPARK}."
                )
            if found:
                return found[1]
    return SCALA_VERSIONS[-1]
