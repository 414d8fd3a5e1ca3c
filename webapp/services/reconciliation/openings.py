"""The opening entry of an account kept as new."""

from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg
from webapp.models import FeedAccount, JournalEntry, Reconciliation
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries as journal_entries
from webapp.services.audit.act import Act
from webapp.services.audit.results import TouchedIds
from webapp.services.bookkeeping import voids
from webapp.services.journal import entries, line_drafts


def post(account: FeedAccount, draft: Reconciliation, amount_minor: int, doing: Act) -> JournalEntry | None:
    """Post what brings the account to its opening balance on its opening day; no difference posts no entry.

    Mirrored at that day's rate, or raises ExchangeRateMissingError.
    """
    if not amount_minor or draft.opening_date is None:
        return None
    organization = organizations.get(account.organization_id)
    counter = accounts.by_role(organization.id, Role.OPENING_BALANCES)
    legs = [
        Leg(account.account_id, amount_minor, account.currency, is_bank_leg=True),
        Leg(counter.id, -amount_minor, account.currency),
    ]
    entry = entries.add_draft(
        organization,
        draft.opening_date,
        line_drafts.mirror_legs(organization, legs, draft.opening_date),
        source="opening",
        description=f"Opening balance of {account.name}",
        now=doing.now,
    )
    entries.post(entry, doing, is_opening=True)
    return entry


def cancel(proof: Reconciliation, doing: Act) -> TouchedIds | None:
    """Void the opening entry of a reopened proof, on its own day; None where it has none."""
    if proof.opening_entry_id is None:
        return None
    entry = journal_entries.get(proof.organization_id, proof.opening_entry_id)
    return voids.reverse(entry, doing, on_its_own_day=True)
