"""How planning grows with files, columns, row groups, partitions, and the time of a request."""
