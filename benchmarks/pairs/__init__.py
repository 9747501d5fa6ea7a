"""Runs plain Spark and ours in turns, in one session, with new literals in every run."""
