"""Random tables over random files, and random queries over them."""
