"""Bank lines: records, the workspace, suggestions, and pending corrections."""

from webapp.queries.transactions import (
    doubts,
    line_filters,
    line_lists,
    line_rules,
    merchant_merges,
    named_lines,
    pending_corrections,
    selected_lines,
    shown_lines,
    suggestions,
    tab_counts,
    transactions,
    waiting_lines,
    workspaces,
)
