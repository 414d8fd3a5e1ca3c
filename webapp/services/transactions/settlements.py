"""Settling open items by hand: items of one account and currency that sum to nil, and undoing that again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import NotRequired, TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.settled_parts import base_share
from webapp.ledger.money import Money, money_at
from webapp.ledger.references import Kind, Ref, refs
from webapp.models import Account, JournalEntry, Posting, Settlement, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.items import items, settlements
from webapp.queries.matching import transfer_pairs
from webapp.queries.transfers import open_items
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.items.refusals import (
    NoOpenItemError,
    SettlementSumError,
    SeveralAccountsError,
    SeveralPartiesError,
)
from webapp.services.journal import entries
from webapp.services.journal import settlements as settling

LEAST_PARTS = 2


class PartInput(TypedDict):
    """What to take of an open item, with its sign; without an amount all that is left of it."""

    item_id: int
    amount: NotRequired[Decimal | None]


class VoidSettlementError(LedgerError):
    """This settlement joins a voided entry with its reversal, and stays as long as that."""

    code = "void"


class PairedItemError(LedgerError):
    """An item is one side of a linked transfer, which settles it; end that transfer first."""

    code = "paired"


@dataclass(frozen=True, slots=True)
class _OpenItem:
    """An item, what it is in its currency and in the base, and what of both is settled."""

    id: int
    root_id: int | None
    currency: str
    whole: tuple[int, int]
    settled: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Taken:
    part: settling.TakenPart
    currency: str


def settle(parts: Sequence[PartInput], *, actor: Actor, now: datetime, force: bool = False) -> Settlement:
    """Match open items whose parts sum to zero.

    Nothing is posted but, on an account that keeps items, what their rates differ by.
    """
    account = _account(actor.organization_id, [each["item_id"] for each in parts])
    title = f"Settled {len(parts)} open items of {account.name}"
    target = ("account", account.id)
    payload = {
        "parts": [
            {"itemId": Ref(Kind.POSTING, each["item_id"]), "amount": _text(each.get("amount"))}
            for each in parts
        ]
    }
    with act(actor, now, "settle_items", target, title=title, payload=payload) as doing:
        settlement = _settle_kept(account, parts) if account.keeps_items else _settle_watched(account, parts)
        entries.check_near(actor.organization_id, settlement.settled_on, now, force=force)
        doing.after = {"settlementIds": refs(Kind.SETTLEMENT, [settlement.id])}
    return settlement


def undo(
    settlement: Settlement,
    *,
    reason: str,
    why: str = "MISTAKE",
    on: date | None = None,
    transaction_id: int | None = None,
    actor: Actor,
    now: datetime,
) -> Settlement:
    """Take a settlement back, so that its items are open again; a repeat changes nothing.

    `on`, or the booking day of the line that returned it, is when its money came back: its taxes go back that day.
    """
    if transaction_id is not None:
        line = lookups.refer(Transaction, settlement.organization_id, transaction_id, "transactionId")
        on = line.booked_on
    account = lookups.get(Account, settlement.organization_id, settlement.account_id)
    title = f"Undid the settlement of {len(settlement.parts)} open items of {account.name}"
    target, payload = ("settlement", settlement.id), {"reason": reason, "why": why}
    with act(actor, now, "undo_settlement", target, title=title, note=reason, payload=payload) as doing:
        if settlement.status == "UNDONE":
            doing.nothing_to_do()
            return settlement
        if settlement.cause == "VOID":
            raise VoidSettlementError
        doing.before = {"status": settlement.status}
        settling.undo(settlement, reason, on, returned_on=on)
        doing.after = {"status": settlement.status}
    return settlement


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else format(amount, "f")


def _account(organization_id: str, item_ids: Sequence[int]) -> Account:
    """Find the one account of some items, which is watched or keeps them."""
    if len(set(item_ids)) != len(item_ids) or len(item_ids) < LEAST_PARTS:
        raise SettlementSumError("A settlement is of two items or more, each of them once.")
    found = db.session.scalars(
        sa.select(Account)
        .where(
            Account.organization_id == organization_id,
            sa.or_(Account.is_watched, Account.keeps_items),
            Account.id.in_(
                sa.select(Posting.account_id).where(
                    Posting.organization_id == organization_id, Posting.id.in_(item_ids)
                )
            ),
        )
        .limit(LEAST_PARTS)
    ).all()
    if not found:
        raise NoOpenItemError
    if len(found) > 1:
        raise SeveralAccountsError
    return found[0]


def _settle_kept(account: Account, chosen: Sequence[PartInput]) -> Settlement:
    """Settle items of an account that keeps them: of one party and one currency."""
    found = items.by_id(account.organization_id, [each["item_id"] for each in chosen])
    taken = []
    for index, each in enumerate(chosen):
        item = found.get(each["item_id"])
        whole = (item.amount_minor, item.amount_base_minor) if item else (0, 0)
        settled = (item.settled_minor, item.settled_base_minor) if item else (0, 0)
        currency, root_id = (item.currency, item.journal_entry_id) if item else ("", None)
        open_item = None if item is None else _OpenItem(item.id, root_id, currency, whole, settled)
        taken.append(_part(open_item, each, index))
    _check_sum(taken)
    if len(set(items.parties(account.organization_id, found).values())) > 1:
        raise SeveralPartiesError
    return settling.settle_items(account, [each.part for each in taken], cause="BY_HAND")


def _settle_watched(account: Account, chosen: Sequence[PartInput]) -> Settlement:
    """Settle items of a watched account, on which nothing is realised by that."""
    taken = _watched_parts(account, chosen)
    _check_sum(taken)
    _check_base(account, taken)
    roots = [each.part.root_id or 0 for each in taken]
    _check_unpaired(account.organization_id, roots)
    settled_on = _settled_on(account.organization_id, roots)
    parts = [each.part for each in taken]
    return settling.stand(account, taken[0].currency, parts, settled_on=settled_on, cause="BY_HAND")


def _watched_parts(account: Account, chosen: Sequence[PartInput]) -> list[_Taken]:
    """Read the items of a watched account and what is settled of each, and take the parts of them."""
    whole = open_items.whole_items(account.organization_id, account.id)
    settled = settlements.settled_amounts(account.organization_id).subquery()
    rows = db.session.execute(
        sa.select(
            whole,
            sa.func.coalesce(settled.c.amount_minor, 0).label("settled_minor"),
            sa.func.coalesce(settled.c.amount_base_minor, 0).label("settled_base_minor"),
        )
        .outerjoin(
            settled,
            sa.and_(
                settled.c.organization_id == account.organization_id, settled.c.item_id == whole.c.item_id
            ),
        )
        .where(whole.c.item_id.in_([each["item_id"] for each in chosen]))
    )
    by_id = {
        row.item_id: _OpenItem(
            row.item_id,
            row.root_id,
            row.currency,
            (int(row.amount_minor), int(row.amount_base_minor)),
            (int(row.settled_minor), int(row.settled_base_minor)),
        )
        for row in rows
    }
    return [_part(by_id.get(each["item_id"]), each, index) for index, each in enumerate(chosen)]


def _part(item: _OpenItem | None, chosen: PartInput, index: int) -> _Taken:
    path = f"parts.{index}"
    if item is None:
        sentence = f"{chosen['item_id']} is no open item of this account."
        raise NoOpenItemError(sentence, fields={f"{path}.itemId": [sentence]})
    left = item.whole[0] - item.settled[0]
    if item.whole == item.settled:
        sentence = f"Item {item.id} is settled already."
        raise NoOpenItemError(sentence, fields={f"{path}.itemId": [sentence]})
    asked = chosen.get("amount")
    amount = Money(left, item.currency) if asked is None else money_at(asked, item.currency, f"{path}.amount")
    if abs(amount.minor) > abs(left) or amount.minor * left < 0 or (left and not amount.minor):
        sentence = f"{Money(left, item.currency).formatted} is left of item {item.id}."
        raise SettlementSumError(sentence, fields={f"{path}.amount": [sentence]})
    share = base_share(item.whole, item.settled, amount.minor)
    return _Taken(settling.TakenPart(item.id, item.root_id, amount.minor, share), item.currency)


def _check_sum(parts: Sequence[_Taken]) -> None:
    currency = parts[0].currency
    if any(each.currency != currency for each in parts):
        raise SeveralAccountsError
    rest = Money(sum(each.part.amount_minor for each in parts), currency)
    if rest:
        raise SettlementSumError(
            f"These items add up to {rest.formatted}, not to zero.",
            details={"rest": str(rest), "currency": currency},
        )


def _check_base(account: Account, parts: Sequence[_Taken]) -> None:
    """Refuse what leaves a rest in the base on transfers; elsewhere it is realised when the account comes to nil."""
    base = organizations.get(account.organization_id).base_currency
    base_rest = Money(sum(each.part.base_minor for each in parts), base)
    if account.role == Role.TRANSFERS.value and base_rest:
        raise SettlementSumError(
            f"Their rates leave {base_rest.formatted} between them. Pair the two lines, or settle an entry of that "
            "difference with them.",
            details={"rest": str(base_rest), "currency": base},
        )


def _check_unpaired(organization_id: str, root_ids: Sequence[int]) -> None:
    if transfer_pairs.is_any_paired(organization_id, root_ids):
        raise PairedItemError


def _settled_on(organization_id: str, root_ids: Sequence[int]) -> date:
    """Give the first open day at or after all that the items' entries and their corrections are dated."""
    latest = db.session.scalars(
        sa.select(sa.func.max(JournalEntry.effective_on)).where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            sa.or_(JournalEntry.id.in_(root_ids), JournalEntry.corrects_id.in_(root_ids)),
        )
    ).one()
    return organizations.first_open_day(organization_id, latest)
