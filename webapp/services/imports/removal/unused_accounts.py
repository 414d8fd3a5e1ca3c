"""Feed accounts that an import opened: deleted with it, unless something else uses them by now."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    Account,
    ColumnMapping,
    FeedAccount,
    Import,
    Institution,
    Posting,
    ProviderBalance,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)


def undo_account(feed_account: FeedAccount, stored: Mapping[str, Any], others: Sequence[Import]) -> None:
    """Undo what an import did to a feed account itself, or leave that to the first other import that did the same.

    `stored` is what the deleted import stores about the account, `others` are the imports with lines of it.
    """
    if stored.get("takes_number"):
        heir = _first(others, feed_account.id, external_id=feed_account.external_id)
        if heir is None:
            feed_account.external_id = None
        else:
            _note(heir, feed_account.id, takes_number=True)
    if stored.get("is_opened"):
        if others:
            _note(others[0], feed_account.id, is_opened=True)
        elif not is_used(feed_account):
            _delete(feed_account)
    db.session.flush()


def is_used(feed_account: FeedAccount) -> bool:
    """Return whether anything in the books needs a feed account or the ledger account behind it."""
    fa_id, account_id = feed_account.id, feed_account.account_id
    needs = (
        (Transaction, Transaction.feed_account_id == fa_id),
        (ProviderBalance, ProviderBalance.feed_account_id == fa_id),
        (Reconciliation, Reconciliation.feed_account_id == fa_id),
        (Import, Import.feed_account_id == fa_id),
        (Posting, Posting.account_id == account_id),
        (Account, Account.parent_id == account_id),
    )
    questions = [
        sa.exists().where(of_same_organization(model, feed_account), condition) for model, condition in needs
    ]
    return bool(db.session.scalar(sa.select(sa.or_(*questions))))


def _first(others: Sequence[Import], fa_id: int, *, external_id: str | None) -> Import | None:
    return next(
        (
            each
            for each in others
            if any(
                (stored["fa_id"], stored["external_id"]) == (fa_id, external_id) for stored in each.accounts
            )
        ),
        None,
    )


def _note(imported: Import, fa_id: int, **facts: bool) -> None:
    imported.accounts = [
        {**stored, **facts} if stored["fa_id"] == fa_id else stored for stored in imported.accounts
    ]


def _delete(feed_account: FeedAccount) -> None:
    account, institution = feed_account.account, feed_account.institution
    db.session.execute(sa.delete(ColumnMapping).where(refers_to(ColumnMapping.feed_account_id, feed_account)))
    db.session.delete(feed_account)
    db.session.flush()
    db.session.delete(account)
    if institution is not None and not _is_shared(institution):
        db.session.delete(institution)
    db.session.flush()


def _is_shared(institution: Institution) -> bool:
    return bool(
        db.session.scalar(sa.select(sa.exists().where(refers_to(FeedAccount.institution_id, institution))))
    )
