"""Tax of what is never paid: relief of bad debts, and own bills that are unpaid for six months."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money, money_at
from webapp.ledger.references import Kind, Ref
from webapp.ledger.tax.parts import (
    BACK,
    NOT_OWED,
    RELIEF,
    UNPAID,
    PartShare,
    Piece,
    TaxedItem,
    TaxFigures,
    changes,
    less_credits,
    negative,
    relief_of,
    shares_of,
    standing,
)
from webapp.models import Account, JournalEntry, OwedItem, TaxCode
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.tax import derivations, packs, parts, unpaid
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.tax import parts as taxes


class NoReliefError(UnprocessableError):
    """There is no relief of the taxes of this item, or not of so much."""

    code = "no_relief"


def claim(
    item: OwedItem,
    *,
    amount: Decimal,
    day: date,
    counter_account_id: int,
    note: str = "",
    actor: Actor,
    now: datetime,
) -> Sequence[int]:
    """Claim the tax of a bad debt, of so much of an item that nobody pays; answers the entries that it posted.

    Raises NoReliefError where no code of the item has relief, or beyond what was not paid of it.
    """
    organization_id = item.organization_id
    payload = {
        "itemId": Ref(Kind.POSTING, item.id),
        "amount": format(amount, "f"),
        "day": day.isoformat(),
        "counterAccountId": Ref(Kind.ACCOUNT, counter_account_id),
    }
    target, title = ("journal_entry", item.journal_entry_id or 0), f"Claimed relief of the tax of {item.name}"
    with act(actor, now, "claim_tax_relief", target, title=title, note=note, payload=payload) as doing:
        account = lookups.refer(Account, organization_id, counter_account_id, "counterAccountId")
        size = money_at(amount, item.currency, "amount").minor
        root = item.journal_entry_id or 0
        taxed, had = parts.of_entries(organization_id, [root]), parts.shares(organization_id, [root])
        codes = lookups.by_id(TaxCode, organization_id, taxed[root].wholes if root in taxed else ())
        relievable = [code.id for code in codes.values() if code.has_relief]
        if not relievable:
            raise NoReliefError(fields={"itemId": ["No tax code of this item has relief."]})
        whole = derivations.taxed_item(organization_id, taxed[root], had.get(root, ()), codes)
        met = parts.pieces(organization_id, [root], taxed).get(root, ())
        paid = sum(piece.size_minor for piece in met if piece.kind in NOT_OWED)
        _check_left(item, whole.gross_minor - paid - sum(each.size_minor for each in whole.relieved), size)
        relief = PartShare(
            None, RELIEF, 0, day, TaxFigures(), taxes.ITSELF, account=account.id, size_minor=size
        )
        claimed = relief_of(less_credits(whole, met), relievable, relief)
        found = _with_later_money(whole, claimed, met, had.get(root, ()))
        day = organizations.first_open_day(organization_id, day)
        posted = taxes.post(doing, [(root, share) for share in found], day)
        doing.after = {"journalEntryIds": [Ref(Kind.JOURNAL_ENTRY, each.id) for each in posted]}
    return [each.id for each in posted]


def take_back(entry: JournalEntry, *, reason: str, actor: Actor, now: datetime) -> Sequence[int]:
    """Take back the relief that an entry claimed, with what money returned of it; answers the entries that it posted.

    It is an error of the return that has the relief. Raises NoReliefError for any other entry, and for the second time.
    """
    organization_id = entry.organization_id
    target, title = ("journal_entry", entry.id), f"Took back the relief of entry {entry.id}"
    with act(actor, now, "take_back_tax_relief", target, title=title, note=reason) as doing:
        claimed = parts.claimed(entry)
        if not claimed:
            raise NoReliefError(f"Entry {entry.id} claims no relief that stands.")
        [(root, shares)] = claimed.items()
        taxed = parts.of_entries(organization_id, [root])
        had = parts.shares(organization_id, [root])[root]
        codes = lookups.by_id(TaxCode, organization_id, taxed[root].wholes)
        back = [negative(each) for each in shares]
        whole = derivations.taxed_item(organization_id, taxed[root], had, codes)
        met = parts.pieces(organization_id, [root], taxed).get(root, ())
        found = [replace(each, is_own_day=False) for each in _with_later_money(whole, back, met, had)]
        day = organizations.first_open_day(organization_id, entry.effective_on)
        posted = taxes.post(doing, [(root, share) for share in found], day)
        doing.after = {"journalEntryIds": [Ref(Kind.JOURNAL_ENTRY, each.id) for each in posted]}
    return [each.id for each in posted]


def _check_left(item: OwedItem, left: int, size: int) -> None:
    if not 0 < size <= left:
        most = Money(max(left, 0), item.currency).formatted
        sentence = f"{most} of this item was neither paid nor relieved."
        raise NoReliefError(sentence, fields={"amount": [sentence]})


def repay(*, until: date, note: str = "", actor: Actor, now: datetime) -> Sequence[int]:
    """Repay the tax of own bills whose six months ended by a day, each on that day; answers the entries that it posted.

    Money that comes later brings it back of itself.
    """
    organization_id = actor.organization_id
    payload = {"until": until.isoformat()}
    title = f"Repaid the tax of bills that were unpaid for six months by {until:%-d %b %Y}"
    target = ("organization", organization_id)
    with act(actor, now, "repay_unpaid_tax", target, title=title, note=note, payload=payload) as doing:
        installed = [form for form in packs.NAMES if packs.installed(organization_id, form)]
        bills = [bill for form in installed for bill in unpaid.bills(organization_id, form, until)]
        if not bills:
            doing.nothing_to_do()
            return []
        found = []
        for bill in bills:
            relief = PartShare(
                None,
                UNPAID,
                0,
                bill.ends_on,
                TaxFigures(),
                taxes.ITSELF,
                account=bill.account_id,
                size_minor=bill.size_minor,
            )
            shares = relief_of(bill.left, bill.codes, relief)
            found += [(bill.entry_id, each) for each in _with_later_money(bill.item, shares, bill.pieces, ())]
        latest = max(bill.ends_on for bill in bills)
        posted = taxes.post(doing, found, organizations.first_open_day(organization_id, latest))
        doing.after = {"journalEntryIds": [Ref(Kind.JOURNAL_ENTRY, each.id) for each in posted]}
    return [each.id for each in posted]


def _with_later_money(
    item: TaxedItem, shares: Sequence[PartShare], pieces: Sequence[Piece], had: Sequence[PartShare]
) -> list[PartShare]:
    """Give the shares of a relief with what money that came since its day returns of it already."""
    relieved = replace(item, relieved=standing([*item.relieved, *shares]))
    wanted = [each for each in shares_of(relieved, pieces) if each.kind in BACK.values()]
    return [*shares, *changes(wanted, [each for each in had if each.kind in BACK.values()])]
