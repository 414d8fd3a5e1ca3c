"""What can be gone to and done: the pages and the acts of the palette, each with the words that also find it."""

from typing import Final, NamedTuple

from flask import url_for

from webapp.queries.finding.names import Named
from webapp.web.rendering.languages import gettext


class Destination(NamedTuple):
    """A page, or a page on which something is done: its endpoint, the scope that it needs, and words that find it."""

    title: str
    endpoint: str
    icon: str
    words: str
    scope: str = "read"
    anchor: str | None = None


PAGES: Final = (
    Destination("Hub", "hub.index", "landmark", "home overview start balances banks"),
    Destination(
        "To do", "todo.index", "check", "waiting tasks proposals questions uncategorised open broken"
    ),
    Destination("Inbox", "inbox.index", "inbox", "add files upload receipts invoices bank history"),
    Destination("Bank files", "imports.new", "download", "import files upload statement bank csv camt"),
    Destination("Journal", "journal_entries.index", "book-open", "entries bookings postings"),
    Destination("Rules", "rules.index", "zap", "automation"),
    Destination("Suggested rules", "rule_suggestions.index", "zap", "automation habits"),
    Destination("Runs of rules", "rule_runs.index", "history", "automation undo"),
    Destination("Documents", "documents.index", "file", "receipts invoices bills"),
    Destination("Approvals", "proposals.index", "inbox", "proposals waiting agents"),
    Destination("Trial balance", "reports.trial_balance", "equal", "reports sums"),
    Destination(
        "Profit and loss", "reports.profit_and_loss", "equal", "reports income statement expenses result"
    ),
    Destination("Balance sheet", "reports.balance_sheet", "equal", "reports assets liabilities equity"),
    Destination("General ledger", "reports.general_ledger", "equal", "reports accounts register"),
    Destination(
        "Owed", "owed.index", "book-open", "open items receivables payables customers suppliers overdue aged"
    ),
    Destination("Banks", "feed_accounts.index", "landmark", "bank accounts lines cards"),
    Destination("Transfers", "transfers.index", "arrow-right", "between own accounts open items"),
    Destination("Chart of accounts", "accounts.index", "folder", "ledger accounts"),
    Destination("Customers and suppliers", "merchants.index", "store", "counterparties merchants parties"),
    Destination("Projects", "projects.index", "tag", "cost centres groups"),
    Destination("Activity", "action_requests.index", "history", "audit log acts who did what"),
    Destination("Organization", "organizations.show", "settings", "settings company name"),
    Destination("Members", "members.index", "users", "settings people team roles"),
    Destination("Exchange rates", "exchange_rates.show", "settings", "settings currencies revaluation"),
    Destination("Financial year", "financial_years.show", "calendar", "settings closing"),
    Destination("Lock date", "lock_dates.show", "lock", "settings close period month"),
    Destination("Files", "retention.show", "file", "settings retention keep years delete evidence"),
    Destination("API keys", "tokens.index", "key-round", "settings tokens agents"),
    Destination("Your sign-in", "own_sign_in.show", "user", "settings password sessions"),
    Destination("Help", "help.index", "landmark", "how to tasks guide manual questions"),
)
ACTS: Final = (
    Destination(
        "Import bank files", "imports.new", "download", "upload statement csv camt mt940 ofx", "draft"
    ),
    Destination("New entry", "manual_entries.new", "plus", "write create journal booking by hand", "draft"),
    Destination("New rule", "rule_editor.new", "plus", "create add automation", "draft"),
    Destination("New customer or supplier", "merchants.index", "plus", "create add merchant", "draft", "new"),
    Destination("New project", "projects.index", "plus", "create add", "draft", "new"),
    Destination("New account", "accounts.index", "plus", "create add ledger", "admin", "new"),
    Destination("Add a document", "documents.new", "plus", "new upload receipt invoice bill", "draft"),
    Destination(
        "Add a table of invoices", "document_tables.new", "plus", "new upload list csv xlsx", "draft"
    ),
    Destination("Invite a member", "members.index", "plus", "new add person user", "admin"),
    Destination("New API key", "tokens.index", "plus", "create token agent"),
    Destination("Lock a period", "lock_dates.show", "lock", "close month", "admin"),
)


def address(place: Destination) -> str:
    """Give the address of a place."""
    return url_for(place.endpoint, _anchor=place.anchor)


def acts_on(account: Named, scopes: frozenset[str]) -> list[tuple[str, str, str]]:
    """Give the acts on a bank account: the title, the address and the words that also find it."""
    acts = [(gettext("Lines of %(name)s"), "all", "open workspace transactions bank account")]
    if "confirm" in scopes:
        acts.append((gettext("Confirm lines of %(name)s"), "unconfirmed", "work through bookkeeping drafts"))
    if "reconcile" in scopes:
        acts.append(
            (gettext("Reconcile %(name)s"), "statement", "statement proof tie out tick clear balance")
        )
    return [
        (title % {"name": account.name}, url_for("feed_accounts.show", fa_id=account.id, show=show), more)
        for title, show, more in acts
    ]
