"""Runs suites of Spark's own tests with and without LIMIT pruning: `make test-spark`."""
