"""Reports of lines by feeds and files, joins of reports that are one line, and pairs that are transfers."""

from webapp.queries.matching import line_joins, transfer_pairs

__all__ = ["line_joins", "transfer_pairs"]
