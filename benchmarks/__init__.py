"""Measures what a LIMIT costs: plain Spark, Spark with the extension, DataFusion and DuckDB."""
