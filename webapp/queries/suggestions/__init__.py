"""Habits in confirmed lines: suggested rules and likely accounts."""

from webapp.queries.suggestions import likely_accounts, rule_suggestions

__all__ = ["likely_accounts", "rule_suggestions"]
