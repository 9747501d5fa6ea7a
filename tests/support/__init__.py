"""What tests share: nothing here is a test, and nothing outside `tests/` imports it."""
