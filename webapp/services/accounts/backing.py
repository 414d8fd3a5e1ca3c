"""The ledger account behind a feed account: one for each, in its currency, and the same once a line is posted."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import BANK, AccountType
from webapp.ledger.codes import FEED_ACCOUNT_TYPES
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind
from webapp.ledger.texts.legible import cited
from webapp.models import (
    Account,
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.services.audit import updates


class AlreadyBackedError(LedgerError):
    """Another bank account has this ledger account already."""

    code = "already_backed"


class PostedLinesError(LedgerError):
    """Lines of this account are posted, so its ledger account cannot be changed."""

    code = "posted"


class UnfitAccountError(UnprocessableError):
    """This ledger account cannot be that of a bank account."""

    code = "unfit_account"


def take(organization_id: str, account_id: int, currency: str, type_: str | None = None) -> Account:
    """Find the ledger account that is to stand behind a feed of this currency, or raise why it cannot.

    Without a type it keeps its own.
    """
    account = lookups.refer(Account, organization_id, account_id, "accountId")
    if account.type not in FEED_ACCOUNT_TYPES or account.is_system or account.is_archived:
        raise _unfit(
            f"{cited(account.name)} cannot be the ledger account of a bank. Choose an active asset or liability."
        )
    if account.keeps_items:
        raise _unfit(
            f"{cited(account.name)} keeps items of what is owed, and a bank's account keeps none. Choose"
            " another account."
        )
    feed_account = accounts.feed_of(organization_id, account.id)
    if feed_account is not None:
        raise AlreadyBackedError(
            f"{cited(account.name)} is the ledger account of {cited(feed_account.name)}. Choose another"
            " account, or none.",
            details={"faId": feed_account.id},
        )
    if (account.currency or currency) != currency:
        raise _unfit(f"{cited(account.name)} is kept in {account.currency}, this bank account in {currency}.")
    strange = _other_currency(account, currency)
    if strange is not None:
        raise _unfit(
            f"{cited(account.name)} has postings in {strange}, and the bank account has {currency} only."
        )
    account.currency = currency
    account.is_revalued = True
    set_type(account, type_ or account.type)
    return account


def set_type(account: Account, type_: str) -> None:
    """Present the account of a bank as an asset or a liability."""
    account.type, account.group = type_, group_of_bank(type_)


def group_of_bank(type_: str) -> str | None:
    """Give the group of the account of a bank; what it lends us, as on a card, is a current liability as preset."""
    return BANK if type_ == AccountType.ASSET else None


def exchange(feed_account: FeedAccount, account_id: int) -> None:
    """Put another ledger account behind a feed; the drafts of its lines move along."""
    if is_posted(feed_account):
        raise PostedLinesError(
            f"Lines of {cited(feed_account.name)} are posted to {cited(feed_account.account.name)}, so it"
            " stays that account. "
            "Void their entries first."
        )
    account = take(feed_account.organization_id, account_id, feed_account.currency)
    lines = sa.select(Transaction.id).where(refers_to(Transaction.feed_account_id, feed_account))
    db.session.execute(
        sa.update(Posting)
        .where(
            of_same_organization(Posting, feed_account),
            Posting.account_id == feed_account.account_id,
            Posting.is_bank_leg,
            Posting.transaction_id.in_(lines),
        )
        .values(account_id=account.id)
        .execution_options(synchronize_session=False)
    )
    of_lines = sa.select(Transaction.journal_entry_id).where(
        refers_to(Transaction.feed_account_id, feed_account), Transaction.journal_entry_id.is_not(None)
    )
    updates.touch(Kind.JOURNAL_ENTRY, db.session.scalars(of_lines))
    feed_account.account = account
    feed_account.account_id = account.id
    db.session.flush()
    db.session.expire_all()


def is_posted(feed_account: FeedAccount) -> bool:
    """Return whether anything of a feed account is posted: a line's entry, or the opening of a proof."""
    is_line_posted = sa.exists().where(
        of_same_organization(Posting, feed_account),
        Posting.account_id == feed_account.account_id,
        Posting.is_bank_leg,
        Posting.transaction_id.is_not(None),
        refers_to(Posting.journal_entry_id, JournalEntry),
        JournalEntry.status != "DRAFT",
    )
    is_opened = sa.exists().where(
        refers_to(Reconciliation.feed_account_id, feed_account),
        Reconciliation.opening_entry_id.is_not(None),
    )
    return bool(db.session.scalar(sa.select(sa.or_(is_line_posted, is_opened))))


def _other_currency(account: Account, currency: str) -> str | None:
    return db.session.scalar(
        sa.select(Posting.currency)
        .where(refers_to(Posting.account_id, account), Posting.currency != currency)
        .order_by(Posting.currency)
        .limit(1)
    )


def _unfit(sentence: str) -> UnfitAccountError:
    return UnfitAccountError(sentence, fields={"accountId": [sentence]})
