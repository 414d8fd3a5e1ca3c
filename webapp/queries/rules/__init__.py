"""Stored rules, their names, runs and diffs; what rules decide of lines and documents, and why."""

from webapp.queries.rules import line_reasons, names, previews, rules, run_diffs, runs
