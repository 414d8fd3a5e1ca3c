"""Stored rules, their names, runs and diffs."""

from webapp.queries.rules import names, rules, run_diffs, runs

__all__ = ["names", "rules", "run_diffs", "runs"]
