"""Read-only questions about the books."""
