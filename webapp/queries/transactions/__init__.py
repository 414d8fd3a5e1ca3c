"""Bank lines: records, the workspace, suggestions, and pending corrections."""

from webapp.queries.transactions import line_details, suggestions, transactions, workspaces

__all__ = ["line_details", "suggestions", "transactions", "workspaces"]
