"""How planning grows with files, columns, row groups, partitions, and the latency of storage."""
