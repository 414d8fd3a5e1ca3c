"""Bank lines: records, the workspace, suggestions, what an open correction would change."""

from webapp.queries.transactions import line_details, suggestions, transactions, workspaces

__all__ = ["line_details", "suggestions", "transactions", "workspaces"]
