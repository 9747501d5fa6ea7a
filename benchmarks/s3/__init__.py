"""What a LIMIT costs on an object store, with and without the extension."""
