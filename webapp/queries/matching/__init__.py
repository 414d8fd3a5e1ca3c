"""What feeds and files reported of a line, and which lines are one."""

from webapp.queries.matching import line_joins, transfer_pairs

__all__ = ["line_joins", "transfer_pairs"]
