"""Random queries by the clock: `make fuzz`, which writes what was checked to a file of results."""
