"""The way of tools to the books: calls of the JSON API, and no other."""
