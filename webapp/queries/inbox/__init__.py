"""Files that wait for a person."""

from webapp.queries.inbox import inbox_files

__all__ = ["inbox_files"]
