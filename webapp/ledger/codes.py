"""The codes of columns and API fields: statuses, sources and verdicts, by which models and schemas check."""

from typing import Final

from webapp.ledger.chart import AccountType

TRANSACTION_STATUSES: Final = ("PENDING", "BOOKED", "SET_ASIDE", "REMOVED", "DELETED")
# The statuses of bank lines that are in the books.
IN_BOOKS: Final = ("BOOKED", "SET_ASIDE")
FEED_EVENTS: Final = ("ADDED", "MODIFIED", "REMOVED")
# The tiers by which a pending line became a booked one, the surest first; TWIN is for duplicates of booked lines.
PENDING_TIERS: Final = ("LINK", "EXACT", "TIP", "REWORDED")
JOIN_TIERS: Final = (*PENDING_TIERS, "TWIN", "REISSUED", "PERSON")
JOIN_STATUSES: Final = ("JOINED", "SUGGESTED", "REFUSED")
PAIR_STATUSES: Final = ("STANDING", "UNDONE", "DISMISSED")
# What the difference between the two sides of a transfer is, where somebody named it.
PAIR_DIFFERENCES: Final = ("FEE", "EXCHANGE")
SETTLEMENT_STATUSES: Final = ("STANDING", "UNDONE")
IMPORT_STATUSES: Final = ("PREVIEWED", "IMPORTED", "REFUSED")
VERDICTS: Final = ("NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED")

ENTRY_STATUSES: Final = ("DRAFT", "POSTED", "VOIDED")
ENTRY_SOURCES: Final = (
    "bank_feed",
    "document",
    "manual",
    "opening",
    "correction",
    "void",
    "revaluation",
    "exchange",
)
# Sources of drafts that a person writes as a whole; every other draft is of a bank line, and changed there.
MANUAL_SOURCES: Final = frozenset({"manual", "document"})
DOCUMENT_TYPES: Final = ("RECEIPT", "INVOICE", "BILL", "CREDIT_NOTE", "OTHER")
# An invoice is ours and a credit note a supplier's: of these the money comes in.
PAID_TO_US: Final = ("INVOICE", "CREDIT_NOTE")
ACCOUNT_TYPES: Final = tuple(each.value for each in AccountType)
# The types of ledger accounts that may have a bank account behind them.
FEED_ACCOUNT_TYPES: Final = ("ASSET", "LIABILITY")

RECONCILIATION_STATUSES: Final = ("DRAFT", "COMPLETED", "REOPENED")
REPAIRS: Final = ("UNDONE", "REOPENED", "ACCEPTED")

# What an act may be about, by the kinds of its target; every kind that is in none of them is a setting.
ACTIVITY_AREAS: Final = {
    "lines": ("transaction", "journal_entry", "settlement"),
    "statements": ("reconciliation",),
    "files": ("import", "feed_account"),
    "rules": ("rule", "rule_run", "suggestion"),
    "documents": ("document",),
    "names": ("account", "merchant", "project", "project_group"),
    "settings": (),
}
ACTION_STATUSES: Final = ("PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED")
