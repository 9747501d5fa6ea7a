"""A server that speaks the protocol of S3, its clients, and tables in it."""
