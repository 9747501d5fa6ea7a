"""Parquet files as other writers leave them."""
