"""Delta Lake beside the extension: its JARs, a session with both, and random tables."""
