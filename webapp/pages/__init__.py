"""The pages of the web client: a URL gives the page, or for htmx the part of it that is targeted."""

from importlib import import_module

from flask import Flask

# A person's own pages: their addresses name no books.
OWN = (
    "access.joining",
    "access.mailed_links",
    "access.oauth",
    "access.own_books",
    "access.own_sign_in",
    "access.sessions",
    "documentation",
    "health",
)
BOOKS = "/b/<books:books>"
NOUNS = (
    "access.connections",
    "access.jobs",
    "access.members",
    "access.organizations",
    "access.saved_views",
    "access.system",
    "access.tokens",
    "access.webhooks",
    "accounts.accounts",
    "accounts.choices",
    "accounts.merchants",
    "accounts.projects",
    "audit.action_requests",
    "audit.agent_undos",
    "audit.plan_undos",
    "audit.proposals",
    "bookkeeping.balance_proofs",
    "bookkeeping.close_settings",
    "bookkeeping.exchange_rates",
    "bookkeeping.financial_years",
    "bookkeeping.journal_entries",
    "bookkeeping.lock_dates",
    "bookkeeping.manual_entries",
    "bookkeeping.owners",
    "bookkeeping.retention",
    "bookkeeping.schedules",
    "bookkeeping.book_tables",
    "changes",
    "closes",
    "days",
    "documents.documents",
    "documents.tables",
    "finding.finding",
    "help",
    "imports.bank_connections",
    "imports.columns",
    "imports.imports",
    "imports.progress",
    "inbox",
    "owed",
    "reconciliation.hub",
    "reconciliation.reconciliations",
    "reconciliation.todo",
    "reports",
    "rules.editor",
    "rules.previews",
    "rules.rules",
    "rules.runs",
    "rules.suggestions",
    "tax",
    "tax_entries",
    "transactions.confirmations",
    "transactions.feed_accounts",
    "transactions.line_joins",
    "transactions.line_rules",
    "transactions.settlements",
    "transactions.shared_edits",
    "transactions.transactions",
    "transactions.transfers",
)


def register(app: Flask) -> None:
    """Register one blueprint per noun."""
    for noun in OWN:
        app.register_blueprint(import_module(f"webapp.pages.{noun}").bp)
    for noun in NOUNS:
        bp = import_module(f"webapp.pages.{noun}").bp
        app.register_blueprint(bp, url_prefix=BOOKS + (bp.url_prefix or ""))
