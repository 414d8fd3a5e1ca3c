"""Bank lines: records, the workspace, suggestions, and pending corrections."""

from webapp.queries.transactions import line_details, shown_lines, suggestions, transactions, workspaces

__all__ = ["line_details", "shown_lines", "suggestions", "transactions", "workspaces"]
