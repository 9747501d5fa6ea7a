"""The one source of the version: the JAR, the wheel and the package read it here."""

__version__ = "0.1.0.dev0"
