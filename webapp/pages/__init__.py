"""The HTML door: a page's URL gives the page, and htmx the part of it that it asked for."""

from __future__ import annotations

from importlib import import_module

from flask import Flask

NOUNS = (
    "accounts",
    "action_requests",
    "agent_undos",
    "documents",
    "documentation",
    "exchange_rates",
    "feed_accounts",
    "health",
    "hub",
    "import_columns",
    "import_progress",
    "imports",
    "journal_entries",
    "line_joins",
    "lock_dates",
    "manual_entries",
    "members",
    "merchants",
    "organizations",
    "projects",
    "proposals",
    "reconciliations",
    "reports",
    "rule_editor",
    "rule_previews",
    "rule_runs",
    "rule_suggestions",
    "rules",
    "sessions",
    "tokens",
    "transactions",
    "transfers",
)


def register(app: Flask) -> None:
    """Open the door: one blueprint per noun."""
    for noun in NOUNS:
        app.register_blueprint(import_module(f"webapp.pages.{noun}").bp)
