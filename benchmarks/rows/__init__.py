"""LIMITs about which metadata prove nothing: bytes and times of plain Spark, ours, and peers."""
