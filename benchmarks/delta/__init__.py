"""What the extension saves over a table of Delta Lake, compared with Delta Lake alone."""
