"""The tools' only way to the books: calls of the JSON API."""
