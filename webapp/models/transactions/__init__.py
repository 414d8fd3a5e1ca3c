"""Bank lines, what feeds and files reported of them, and the imports that brought them."""
