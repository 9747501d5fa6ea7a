"""What the extension saves over a table of Apache Iceberg, compared with Iceberg alone."""
