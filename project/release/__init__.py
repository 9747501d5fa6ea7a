"""Checks that a version can be released: ``make release-check``."""
