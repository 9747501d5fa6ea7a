"""What benchmarks of table formats share: each compares a format alone with the extension."""
