"""Whether an account may keep items, and from which day on."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import REVALUED_TYPES
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.models import Account, JournalEntry, Posting, refers_to
from webapp.queries.accounts import accounts
from webapp.queries.items import settlements


class KeepsNoItemsError(UnprocessableError):
    """Only what others owe, or are owed, is kept as items: an asset or a liability that no bank is behind."""

    code = "keeps_no_items"


class ItemsFromError(UnprocessableError):
    """Name the day from which on the account keeps items: what is dated before it is opening items."""

    code = "items_from"


class SettledItemsError(LedgerError):
    """Items of this account are settled; undo their settlements first."""

    code = "settled"


def check_new(name: str, type_: str, content: Mapping[str, Any]) -> None:
    """Refuse a new account that keeps items and holds none."""
    if content.get("keeps_items"):
        _check_fits(name, type_, None, is_watched=bool(content.get("is_watched")))


def check(account: Account, changes: Mapping[str, Any]) -> None:
    """Refuse to switch where it does not fit, where the day is missing, or while something is settled."""
    keeps = changes.get("keeps_items", account.keeps_items)
    if keeps and changes.keys() & {"keeps_items", "type", "is_watched"}:
        is_watched = bool(changes.get("is_watched", account.is_watched))
        _check_fits(account.name, changes.get("type", account.type), account, is_watched=is_watched)
    if not changes.keys() & {"keeps_items", "items_from"}:
        return
    items_from = changes.get("items_from", account.items_from)
    if items_from is not None and not keeps:
        sentence = "Only an account that keeps items keeps them from a day on; send keepsItems as well."
        raise ItemsFromError(sentence, fields={"itemsFrom": [sentence]})
    if keeps and items_from is None and accounts.has_counting_postings(account):
        sentence = f"Something is posted to {cited(account.name)}. Name the day from which on it keeps items."
        raise ItemsFromError(sentence, fields={"itemsFrom": [sentence]})
    _check_unsettled(account)
    if keeps:
        _check_unrealised(account, items_from)


def _check_fits(name: str, type_: str, account: Account | None, *, is_watched: bool) -> None:
    is_bank = account is not None and accounts.feed_of(account.organization_id, account.id) is not None
    if type_ not in REVALUED_TYPES or is_bank or (account is not None and account.is_system):
        sentence = f"{cited(name)} keeps no items: only an asset or a liability that no bank is behind does."
        raise KeepsNoItemsError(sentence, fields={"keepsItems": [sentence]})
    if is_watched:
        sentence = (
            f"{cited(name)} is watched or keeps items; what it keeps is shown as owed, so switch one of the two"
            " off."
        )
        raise KeepsNoItemsError(sentence, fields={"isWatched": [sentence]})


def _check_unsettled(account: Account) -> None:
    """Refuse while a settlement of a payment or of somebody stands; what joins a void with its reversal may go."""
    standing = [each for each in settlements.of_account(account) if each.cause != "VOID"]
    if standing:
        ids = [each.id for each in standing]
        named = f"settlement {ids[0]}" if len(ids) == 1 else f"{len(ids)} settlements, {ids[0]} among them"
        raise SettledItemsError(
            f"Items of {cited(account.name)} are settled by {named}. Undo that first.",
            details={"settlementIds": ids},
        )


def _check_unrealised(account: Account, items_from: date | None) -> None:
    """Refuse a day before the account's last exchange difference: from the day on, only settlements realise."""
    latest = db.session.scalar(
        sa.select(sa.func.max(JournalEntry.effective_on))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == account.organization_id,
            JournalEntry.source == "exchange",
            JournalEntry.status == "POSTED",
            Posting.account_id == account.id,
        )
    )
    if latest is not None and (items_from is None or items_from <= latest):
        sentence = (
            f"An exchange difference is realised on {cited(account.name)} on {latest:%-d %b %Y}. Name a later"
            " day."
        )
        raise ItemsFromError(sentence, fields={"itemsFrom": [sentence]})
