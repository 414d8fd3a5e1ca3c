"""Pages of imports: a file's preview, its columns, and how far it is."""
