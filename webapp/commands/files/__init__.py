"""Commands on files: watched folders, and old files."""
