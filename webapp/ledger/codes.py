"""The codes of columns and API fields: statuses, sources and verdicts, for models and schemas."""

from enum import StrEnum
from typing import Final

from webapp.ledger.chart import AccountType


class DoubtCode(StrEnum):
    """The reasons to look at a bank line again before it is posted, in the order in which pages ask."""

    UNCATEGORISED = "uncategorised"
    ALREADY_EXPLAINED = "already_explained"
    PAYS_OPEN_ITEM = "pays_open_item"
    MAY_BE_TRANSFER = "may_be_transfer"


class ArrivalOutcome(StrEnum):
    """What became of a file of any kind."""

    FILED = "FILED"
    IMPORTED = "IMPORTED"
    ALREADY_THERE = "ALREADY_THERE"
    WAITING = "WAITING"
    REFUSED = "REFUSED"


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
SETTLEMENT_STATUSES: Final = ("OPEN", "STANDING", "UNDONE")
# What made a settlement: somebody by hand, a payment, a void, a balance of nil, a document that was paid before.
SETTLEMENT_CAUSES: Final = ("BY_HAND", "PAYMENT", "VOID", "NIL", "DOCUMENT")
# What an entry that a settlement posted is.
SETTLEMENT_PURPOSES: Final = ("DIFFERENCE", "DISCOUNT", "WRITE_OFF", "FEE")
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
    "settlement",
)
# What the interface names a source: closing entries, taxes and parts of schedules count as written by hand.
SHOWN_SOURCES: Final = (*ENTRY_SOURCES, "closing", "schedule", "tax", "appropriation")
# Sources of drafts that a person writes as a whole; every other draft is of a bank line, and changed there.
MANUAL_SOURCES: Final = frozenset({"manual", "document"})
# UNTDID 1001: requests for payment, pro-forma and partial documents that are no invoices.
NO_INVOICES: Final = frozenset({"71", "102", "130", "202", "203", "204", "211", "325", "751"})
# The types of FatturaPA by which a buyer completes or replaces somebody else's invoice for VAT; they pay nothing.
SUPPLEMENTS: Final = frozenset(
    {"TD16", "TD17", "TD18", "TD19", "TD20", "TD21", "TD22", "TD23", "TD27", "TD28", "TD29"}
)
DOCUMENT_TYPES: Final = ("RECEIPT", "INVOICE", "BILL", "CREDIT_NOTE", "OTHER")
DOCUMENT_SIDES: Final = ("SALE", "PURCHASE")
# What the rows of a table of invoices are, what a row is to the books, and what is made of it beside a document.
TABLE_TYPES: Final = ("INVOICE", "BILL")
# What tables move in, and what becomes of their rows.
BOOK_TABLES: Final = ("ACCOUNTS", "OPENING", "ITEMS", "JOURNAL")
MOVED_VERDICTS: Final = ("NEW", "ALREADY_THERE", "COMPARED", "REFUSED")
ROW_VERDICTS: Final = ("NEW", "ALREADY_THERE", "SAME_NUMBER")
TABLE_ENTRIES: Final = ("NONE", "DRAFT", "POSTED")
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
# What may be done for an organization by itself.
SCHEDULES: Final = "SCHEDULES"
AUTOMATIC: Final = ("RATES", "DELETION", "CHECK", SCHEDULES)
# Letters that nobody has to get: a proposal waits, a program's connection ends, a bank's consent ends.
OPTIONAL_LETTERS: Final = ("WAITING", "CONNECTION_ENDS", "BANK_ENDS")
BANK_PROVIDERS: Final = ("simplefin", "enablebanking")
PSU_TYPES: Final = ("business", "personal")
# What alone may explain that a bank's balance and its lines do not agree.
SUSPECTS: Final = ("BALANCE", "PENDING", "JOINED", "REMOVED", "DOUBLED", "ELSEWHERE", "MISSING")
# A connection that needs a consent, is paused or has ended is not asked by itself.
CONNECTION_STATUSES: Final = ("ACTIVE", "NEEDS_CONSENT", "FAILING", "PAUSED", "ENDED")
WEBHOOK_VIEWS: Final = ("THIN", "FULL")
WEBHOOK_STATUSES: Final = ("ACTIVE", "PAUSED", "ENDED")
DELIVERY_STATES: Final = ("WAITING", "DONE", "FAILED")
JOB_STATES: Final = ("WAITING", "RUNNING", "DONE", "FAILED")
ACTION_STATUSES: Final = ("PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED")
ACT_KINDS: Final = (
    "abandon_reconciliation",
    "accept_invitation",
    "accept_reconciliation",
    "accrue",
    "add_authenticator",
    "add_document_file",
    "add_passkey",
    "adjust_taxes",
    "apply_rule",
    "appropriate",
    "approve_close",
    "bind_rows",
    "change_bank_connection",
    "change_close_policy",
    "change_financial_year",
    "change_journal_entry",
    "change_owner",
    "change_password",
    "change_person",
    "change_retention",
    "change_schedule",
    "change_role",
    "change_token",
    "change_webhook",
    "choose_drop_folder",
    "claim_tax_relief",
    "clear_reconciliation_items",
    "complete_close",
    "complete_reconciliation",
    "confirm_transaction",
    "connect_bank",
    "correct_journal_entry",
    "create_account",
    "create_close_step",
    "create_document",
    "create_feed_account",
    "create_journal_entry",
    "create_merchant",
    "create_organization",
    "create_owner",
    "create_project",
    "create_project_group",
    "create_rule",
    "create_schedule",
    "create_tax_code",
    "create_token",
    "create_webhook",
    "decline_document",
    "delete_document",
    "delete_from_inbox",
    "delete_journal_entry",
    "delete_merchant",
    "delete_old_files",
    "delete_project",
    "delete_project_group",
    "delete_rule",
    "delete_transaction",
    "discard_correction",
    "dismiss_suggestion",
    "dismiss_transfer",
    "dispose_schedule",
    "draft_schedule_part",
    "edit_feed_account",
    "edit_item",
    "edit_transaction",
    "end_bank_connection",
    "end_lock_exception",
    "end_membership",
    "end_webhook",
    "file_tax_return",
    "forget_columns",
    "grant_lock_exception",
    "import_file",
    "install_tax_pack",
    "invite_member",
    "join_transactions",
    "keep_in_inbox",
    "link_identity",
    "merge_merchant",
    "move_adjustments_lock",
    "move_lock_date",
    "move_rule",
    "offer_document_again",
    "pair_transfer",
    "plan",
    "post_journal_entry",
    "post_schedule_part",
    "prepare_close",
    "push_feed",
    "put_exchange_rates",
    "put_reconciliation_draft",
    "relate_document",
    "remove_authenticator",
    "remove_document_file",
    "remove_member",
    "remove_passkey",
    "remove_table",
    "remove_transaction_again",
    "renew_bank_connection",
    "renew_invitation",
    "renew_recovery_codes",
    "reopen_close",
    "reopen_reconciliation",
    "repay_unpaid_tax",
    "reset_second_factor",
    "restore_transaction",
    "resume_feed",
    "revalue",
    "revoke_token",
    "rotate_webhook",
    "separate_merchant",
    "set_materiality",
    "settle_items",
    "skip_schedule_part",
    "stop_schedule",
    "switch_job",
    "switch_webhook",
    "sync_bank_connection",
    "take_back_import",
    "take_back_revaluation",
    "take_back_tax_relief",
    "take_reference_rates",
    "take_table",
    "tick_close_step",
    "undismiss_suggestion",
    "undo_agent",
    "undo_plan",
    "undo_rule_run",
    "undo_settlement",
    "undo_transfer",
    "unjoin_transactions",
    "unlink_identity",
    "unrelate_document",
    "untick_close_step",
    "update_account",
    "update_close_step",
    "update_document",
    "update_merchant",
    "update_organization",
    "update_project",
    "update_project_group",
    "update_rule",
    "update_tax_code",
    "update_tax_pack",
    "void_journal_entry",
    "warn_bank_consent",
    "withdraw_balance_note",
    "withdraw_invitation",
    "withdraw_tax_return",
    "write_balance_note",
)
# Those of proposals that come to no act or to several kinds are named after their call.
CALL_KINDS: Final = (
    "accounts_create",
    "accounts_update",
    "appropriations_change_owner",
    "appropriations_create",
    "appropriations_create_owner",
    "bank_connections_change",
    "bank_connections_end",
    "bank_connections_sync",
    "close_steps_create",
    "close_steps_put_policy",
    "close_steps_update",
    "closes_accrue",
    "closes_prepare",
    "closes_tick",
    "closes_untick",
    "balance_proofs_create",
    "balance_proofs_set_materiality",
    "balance_proofs_withdraw",
    "document_tables_create",
    "documents_add_file",
    "documents_create",
    "documents_decline",
    "documents_delete",
    "documents_enter",
    "documents_offer_again",
    "documents_relate",
    "documents_remove_file",
    "documents_unrelate",
    "documents_update",
    "exchange_rates_put",
    "feed_accounts_create",
    "feed_accounts_edit",
    "financial_years_put",
    "imports_commit",
    "imports_create",
    "imports_delete",
    "inbox_delete",
    "inbox_file_as_document",
    "inbox_take",
    "items_edit",
    "journal_entries_change",
    "journal_entries_correct",
    "journal_entries_create",
    "journal_entries_delete",
    "journal_entries_post",
    "journal_entries_void",
    "line_joins_join",
    "line_joins_unjoin",
    "lock_dates_end_exception",
    "lock_dates_grant_exception",
    "lock_dates_put",
    "lock_dates_put_locks",
    "merchants_create",
    "merchants_merge",
    "merchants_separate",
    "merchants_update",
    "plans_carry_out",
    "projects_create",
    "projects_create_group",
    "projects_delete",
    "projects_delete_group",
    "projects_update",
    "projects_update_group",
    "pushes_push",
    "pushes_resume",
    "reconciliations_abandon",
    "reconciliations_accept",
    "reconciliations_complete",
    "reconciliations_put_draft",
    "reconciliations_put_lines",
    "reconciliations_reopen",
    "revaluations_revalue",
    "revaluations_take_back",
    "rule_runs_apply",
    "rule_runs_undo",
    "rule_suggestions_dismiss",
    "rule_suggestions_undismiss",
    "rules_create",
    "rules_delete",
    "rules_replace",
    "schedules_change",
    "schedules_create",
    "schedules_dispose",
    "schedules_post_part",
    "schedules_run",
    "schedules_skip_part",
    "schedules_stop",
    "settlements_settle",
    "settlements_undo",
    "tables_create",
    "tables_remove",
    "tax_codes_create",
    "tax_codes_update",
    "tax_packs_install",
    "tax_packs_update",
    "tax_reliefs_adjust",
    "tax_reliefs_claim",
    "tax_reliefs_repay",
    "tax_returns_file",
    "tax_returns_withdraw",
    "transactions_confirm",
    "transactions_confirm_many",
    "transactions_delete",
    "transactions_edit",
    "transactions_edit_many",
    "transactions_restore",
    "transactions_split_by_document",
    "transfers_accept",
)
