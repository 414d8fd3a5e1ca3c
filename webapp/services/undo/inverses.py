"""The inverse of each kind of act, or why there is none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from webapp.models import ActionRequest
from webapp.services.undo import accounts, documents, entries, reconciliation, rules, transactions
from webapp.services.undo.reasons import ChangedSinceError, StaysError, Undoing

__all__ = ["INVERSES", "STAYS", "ChangedSinceError", "Inverse", "StaysError", "Undoing"]


@dataclass(frozen=True, slots=True)
class Inverse:
    """An inverse: its kind, the scope that it needs, and the function that does it and answers a sentence."""

    kind: str
    scope: str
    undo: Callable[[Undoing, ActionRequest], str]


INVERSES: Mapping[str, Inverse] = {
    "confirm_transaction": Inverse("VOID", "confirm", transactions.unconfirm),
    "edit_transaction": Inverse("PUT_BACK", "draft", transactions.unedit),
    "discard_correction": Inverse("BRING_BACK", "draft", transactions.undiscard),
    "delete_transaction": Inverse("BRING_BACK", "draft", transactions.bring_back),
    "restore_transaction": Inverse("DELETE", "draft", transactions.delete_again),
    "pair_transfer": Inverse("TAKE_APART", "draft", transactions.unpair),
    "undo_transfer": Inverse("PAIR", "draft", transactions.pair_again),
    "join_transactions": Inverse("TAKE_APART", "draft", transactions.unjoin),
    "unjoin_transactions": Inverse("JOIN", "draft", transactions.join_again),
    "settle_items": Inverse("TAKE_APART", "confirm", transactions.unsettle),
    "create_journal_entry": Inverse("DELETE_OR_VOID", "confirm", entries.uncreate),
    "change_journal_entry": Inverse("PUT_BACK", "confirm", entries.unchange),
    "post_journal_entry": Inverse("VOID", "confirm", entries.unpost),
    "delete_journal_entry": Inverse("BRING_BACK", "draft", entries.bring_back),
    "adjust_taxes": Inverse("VOID", "confirm", entries.unadjust),
    "void_journal_entry": Inverse("POST_AGAIN", "confirm", entries.unvoid),
    "put_reconciliation_draft": Inverse("PUT_BACK", "reconcile", reconciliation.unput),
    "abandon_reconciliation": Inverse("BRING_BACK", "reconcile", reconciliation.open_again),
    "clear_reconciliation_items": Inverse("PUT_BACK", "reconcile", reconciliation.unclear),
    "complete_reconciliation": Inverse("REOPEN", "reconcile", reconciliation.reopen),
    "reopen_reconciliation": Inverse("COMPLETE", "reconcile", reconciliation.complete_again),
    "create_rule": Inverse("DELETE", "draft", rules.uncreate),
    "update_rule": Inverse("PUT_BACK", "draft", rules.unchange),
    "delete_rule": Inverse("BRING_BACK", "draft", rules.bring_back),
    "move_rule": Inverse("PUT_BACK", "draft", rules.unmove),
    "apply_rule": Inverse("PUT_BACK", "draft", rules.unapply),
    "import_file": Inverse("TAKE_BACK", "draft", documents.take_import_back),
    "push_feed": Inverse("DELETE", "draft", documents.delete_pushed_lines),
    "create_document": Inverse("DELETE", "draft", documents.unfile),
    "update_document": Inverse("PUT_BACK", "draft", documents.unchange),
    "add_document_file": Inverse("DELETE", "draft", documents.remove_file),
    "relate_document": Inverse("DETACH", "draft", documents.detach),
    "unrelate_document": Inverse("ATTACH", "draft", documents.attach_again),
    "decline_document": Inverse("OFFER_AGAIN", "draft", documents.offer_again),
    "offer_document_again": Inverse("DECLINE", "draft", documents.decline_again),
    "create_account": Inverse("ARCHIVE", "admin", accounts.archive_account),
    "update_account": Inverse("PUT_BACK", "admin", accounts.unchange_account),
    "create_merchant": Inverse("DELETE", "draft", accounts.delete_merchant),
    "update_merchant": Inverse("PUT_BACK", "draft", accounts.unchange_merchant),
    "merge_merchant": Inverse("TAKE_APART", "draft", accounts.separate_merchant),
    "separate_merchant": Inverse("PUT_BACK", "draft", accounts.merge_merchant_again),
    "create_project": Inverse("DELETE", "draft", accounts.delete_project),
    "update_project": Inverse("PUT_BACK", "draft", accounts.unchange_project),
    "delete_project": Inverse("BRING_BACK", "draft", accounts.bring_project_back),
    "create_project_group": Inverse("DELETE", "draft", accounts.delete_group),
    "update_project_group": Inverse("PUT_BACK", "draft", accounts.unchange_group),
    "delete_project_group": Inverse("BRING_BACK", "draft", accounts.bring_group_back),
    "create_feed_account": Inverse("ARCHIVE", "admin", accounts.deactivate_feed_account),
    "edit_item": Inverse("PUT_BACK", "draft", documents.unedit_item),
    "edit_feed_account": Inverse("PUT_BACK", "admin", accounts.unchange_feed_account),
    "move_lock_date": Inverse("PUT_BACK", "admin", accounts.move_lock_back),
    "move_adjustments_lock": Inverse("PUT_BACK", "admin", accounts.move_adjustments_back),
    "grant_lock_exception": Inverse("END", "admin", accounts.end_exception),
    "appropriate": Inverse("DELETE_OR_VOID", "confirm", entries.uncreate),
    "change_financial_year": Inverse("PUT_BACK", "admin", accounts.unchange_financial_year),
    "put_exchange_rates": Inverse("PUT_BACK", "admin", accounts.restore_rates),
}

# Why what these did stays.
STAYS: Mapping[str, str] = {
    "prepare_close": "A close that is only prepared closes nothing; prepare it again.",
    "approve_close": "Reopen the close.",
    "complete_close": "Reopen the close.",
    "reopen_close": "Close the month again.",
    "tick_close_step": "Take the tick back in the close.",
    "untick_close_step": "Tick it again in the close.",
    "create_close_step": "Archive the step.",
    "update_close_step": "Change the step again.",
    "change_close_policy": "Change what closes ask for again.",
    "bind_rows": "The audit trail only grows.",
    "take_back_import": "The file is not kept once it is imported; import it again.",
    "accept_reconciliation": "What was accepted is a proof now; reopen it to change the statement.",
    "undo_rule_run": "A run is not repeated by itself; apply the rule from a new preview.",
    "undo_settlement": "The items are open again; settle them anew if they belong together.",
    "dismiss_transfer": "The two lines are only no longer proposed; pair them by hand if they are a transfer.",
    "resume_feed": "The feed pauses by itself when it sends unusable batches again.",
    "take_reference_rates": "The central bank's rates are facts; write another rate in the place of one that is wrong.",
    "revalue": "Take the revaluation back by one of its entries, or run it again for its day.",
    "take_back_revaluation": "Run the revaluation again for its day.",
    "keep_in_inbox": "Delete the file in the inbox.",
    "delete_from_inbox": "Its file was deleted; send it again.",
    "delete_old_files": "The files are deleted for good; the books and the SHA-256 of each stay.",
    "change_retention": "Choose other years in the settings, under Files.",
    "connect_bank": "End the connection in the settings, under Bank connections.",
    "change_bank_connection": "Choose again in the settings, under Bank connections.",
    "renew_bank_connection": "A new token takes the place of the one before it.",
    "end_bank_connection": "Its secrets are deleted; connect the bank anew.",
    "sync_bank_connection": "What the bank sent is in the books; delete lines one by one.",
    "switch_job": "Switch it in the settings, under Automatic.",
    "choose_drop_folder": "Choose another folder with tieout drop-folder.",
    "delete_document": "Its file was deleted with it; upload it again.",
    "remove_document_file": "The file was deleted; upload it again.",
    "dismiss_suggestion": "The rule is suggested again once its dismissal is withdrawn, below the rules.",
    "undismiss_suggestion": "A suggestion does nothing by itself; dismiss it again below the rules.",
    "install_tax_pack": "Archive its tax codes; the entries that have them keep them.",
    "create_tax_code": "Archive the tax code; one that entries may have is never deleted.",
    "update_tax_code": "Change the tax code again.",
    "end_lock_exception": "Let the person in again.",
    "create_owner": "Archive the owner.",
    "change_owner": "Change the owner again.",
    "create_schedule": "Stop the schedule; its posted parts stay, and are voided one by one.",
    "post_schedule_part": "Void the entry of the part; the part is then due again.",
    "stop_schedule": "Write another schedule for what is left.",
    "write_balance_note": "Withdraw the note.",
    "withdraw_balance_note": "Write the note again.",
    "set_materiality": "Set the materiality again.",
    "dispose_schedule": "Void the entry of the disposal; the asset and its parts are then as before.",
    "skip_schedule_part": "Write an entry for the part by hand.",
    "update_tax_pack": "Change the periods again.",
    "file_tax_return": "Withdraw the return.",
    "claim_tax_relief": "Money that comes for the item returns the relief of itself.",
    "repay_unpaid_tax": "Paying the bills brings their tax back of itself.",
    "correct_journal_entry": "Correct the entry again.",
    "withdraw_tax_return": "File the return again.",
    "forget_columns": "The columns are chosen again with the next file.",
}
