"""Pages of rules: the list, the editor with its live preview, runs and suggestions."""
