"""Apache Iceberg beside the extension: its JAR, a session with both, and random tables."""
