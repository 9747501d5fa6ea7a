"""Measures the cost of a LIMIT: plain Spark, Spark with the extension, DataFusion and DuckDB."""
