"""Pages of imports: a file's preview, its columns, and its progress."""
