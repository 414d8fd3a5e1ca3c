"""What items have of taxes: base and tax by code, what settlements met them with, and what their parts had of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType, Role
from webapp.ledger.journal.boxes import BASE, OF_ITEM, TAX
from webapp.ledger.tax import pieces as meeting
from webapp.ledger.tax.parts import (
    CREDIT,
    DISCOUNT,
    MONEY,
    RELIEF,
    WRITE_OFF,
    PartShare,
    Piece,
    TaxFigures,
)
from webapp.ledger.tax.parts import part_of as share_of
from webapp.ledger.tax.parts import standing as standing_reliefs
from webapp.ledger.tax.pieces import ADVANCE, DOCUMENT, SettledPart
from webapp.models import (
    Account,
    JournalEntry,
    OwedItem,
    Posting,
    Settlement,
    SettlementEntry,
    SettlementPart,
    TaxCode,
    TaxPart,
    TaxStamp,
    Transaction,
    refers_to,
)
from webapp.queries.accounts import accounts

# A reversal has the boxes of what it voids, and is no item itself.
IS_ITEM: Final = (JournalEntry.status == "POSTED", JournalEntry.voids_id.is_(None))


@dataclass(slots=True)
class ItemTax:
    """Base and tax of an entry's item by code, its tax point, and the account of its first base."""

    organization_id: str
    entry_id: int
    tax_point: date
    account_id: int
    is_advance: bool = False
    wholes: dict[int, TaxFigures] = field(default_factory=dict)

    @property
    def is_credit(self) -> bool:
        """Whether it lowers taxes, as a credit note does."""
        return sum(sum(each) for each in self.wholes.values()) < 0


def of_entries(organization_id: str, entry_ids: Collection[int]) -> dict[int, ItemTax]:
    """Find what the items of posted entries have of taxes, with their corrections; without a statement of none."""
    if not entry_ids:
        return {}
    corrections = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.corrects_id.in_(entry_ids)
    )
    written = {*entry_ids, *db.session.scalars(corrections)}
    root_id = sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)
    columns: list[Any] = [root_id.label("root_id"), Posting, Account.keeps_items, TaxCode.side]
    rows = db.session.execute(
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .join(TaxCode, refers_to(Posting.tax_code_id, TaxCode))
        .where(
            Posting.organization_id == organization_id,
            Posting.journal_entry_id.in_(written),
            Posting.tax_code_id.is_not(None),
            *IS_ITEM,
        )
        .order_by(Posting.id)
    )
    found: dict[int, ItemTax] = {}
    for root, posting, keeps_items, side in rows:
        boxes = {box: minor for form, box, minor in posting.boxes or () if form == OF_ITEM}
        if not boxes:
            continue
        # Money before a sale is on the other side than what the sale lets somebody owe.
        is_advance = keeps_items and side == "SALE" and posting.amount_minor * sum(boxes.values()) < 0
        account_id = posting.account_id
        if keeps_items and not is_advance:
            account_id = accounts.by_role(organization_id, Role.OPENING_BALANCES).id
        fresh = ItemTax(organization_id, root, posting.tax_point, account_id, is_advance)
        item = found.setdefault(root, fresh)
        had = item.wholes.get(posting.tax_code_id, TaxFigures())
        base, tax = boxes.get(BASE, 0), boxes.get(TAX, 0)
        item.wholes[posting.tax_code_id] = TaxFigures(had.base_minor + base, had.tax_minor + tax)
        if boxes.get(BASE, 0) > 0 or len(item.wholes) == 1:
            item.tax_point, item.account_id = posting.tax_point, account_id
    return found


def shares(organization_id: str, entry_ids: Collection[int]) -> dict[int, list[PartShare]]:
    """Find what the parts of entries' items had of their taxes, by entry, oldest first."""
    if not entry_ids:
        return {}
    of_entries = TaxPart.journal_entry_id.in_(entry_ids)
    return _shares(organization_id, of_entries)


def claimed(entry: JournalEntry) -> dict[int, list[PartShare]]:
    """Find the reliefs that an entry claims, by the entry of their item; none where they were taken back."""
    found = _shares(entry.organization_id, TaxPart.cause_id == entry.id, TaxPart.kind == RELIEF)
    return {root: standing_ for root, shares_ in found.items() if (standing_ := standing_reliefs(shares_))}


def reliefs_of(organization_id: str, entry_id: int) -> list[PartShare]:
    """List the reliefs that stand of an entry's item, each by the entry that claimed it, with the tax of all codes."""
    of_item = TaxPart.journal_entry_id == entry_id, TaxPart.kind == RELIEF
    by_claim: dict[int, list[PartShare]] = {}
    for share in _shares(organization_id, *of_item).get(entry_id, ()):
        by_claim.setdefault(share.cause, []).append(share)
    return [
        replace(found[0], figures=TaxFigures(0, sum(each.figures.tax_minor for each in found)))
        for shares in by_claim.values()
        if (found := standing_reliefs(shares))
    ]


def _shares(organization_id: str, *chosen: sa.ColumnElement[bool]) -> dict[int, list[PartShare]]:
    found: dict[int, list[PartShare]] = {}
    rows = db.session.scalars(
        sa.select(TaxPart).where(TaxPart.organization_id == organization_id, *chosen).order_by(TaxPart.id)
    )
    for row in rows:
        figures = TaxFigures(row.base_minor, row.tax_minor)
        found.setdefault(row.journal_entry_id, []).append(
            PartShare(
                row.settlement_id,
                row.kind,
                row.tax_code_id,
                row.tax_point,
                figures,
                row.cause_id,
                row.is_own_day,
                row.account_id,
                row.size_minor,
            )
        )
    return found


def gross(organization_id: str, entry_id: int) -> int:
    """Add up what the items of an entry are, in their currency and without a sign."""
    found = db.session.scalar(
        sa.select(sa.func.sum(OwedItem.amount_minor)).where(
            OwedItem.organization_id == organization_id, OwedItem.journal_entry_id == entry_id
        )
    )
    return abs(int(found or 0))


def joined_roots(organization_id: str, settlement_ids: Collection[int]) -> set[int]:
    """Find the entries whose items some settlements join."""
    if not settlement_ids:
        return set()
    rows = db.session.scalars(
        sa.select(SettlementPart.journal_entry_id).where(
            SettlementPart.organization_id == organization_id,
            SettlementPart.settlement_id.in_(settlement_ids),
        )
    )
    return {each for each in rows if each is not None}


def standing(organization_id: str, entry_ids: Collection[int]) -> dict[int, list[SettlementPart]]:
    """Find the parts of the standing settlements of entries' items by settlement, oldest first; voids join none."""
    of_them = sa.select(SettlementPart.settlement_id).where(
        SettlementPart.organization_id == organization_id, SettlementPart.journal_entry_id.in_(entry_ids)
    )
    rows = db.session.scalars(
        sa.select(SettlementPart)
        .join(Settlement, refers_to(SettlementPart.settlement_id, Settlement))
        .where(
            SettlementPart.organization_id == organization_id,
            SettlementPart.settlement_id.in_(of_them),
            Settlement.status == "STANDING",
            Settlement.cause != "VOID",
        )
        .order_by(SettlementPart.settlement_id, SettlementPart.id)
    )
    found: dict[int, list[SettlementPart]] = {}
    for row in rows:
        found.setdefault(row.settlement_id, []).append(row)
    return found


def pieces(
    organization_id: str, entry_ids: Collection[int], taxed: Mapping[int, ItemTax]
) -> dict[int, list[Piece]]:
    """Find what met the items of entries, by entry and in the order of their settlements.

    `taxed` has what these and all that they are settled with have of taxes.
    """
    parts = standing(organization_id, entry_ids)
    taxed = _with_joined(organization_id, parts, taxed)
    credit_notes = {entry for entry, item in taxed.items() if item.is_credit} - {*entry_ids}
    if credit_notes:
        parts |= standing(organization_id, credit_notes)
        taxed = _with_joined(organization_id, parts, taxed)
    known = _settled(organization_id, [part for group in parts.values() for part in group], taxed)
    found: dict[int, list[Piece]] = {}
    for number in sorted(parts):
        settled = [known[part.id] for part in parts[number] if part.id in known]
        if not settled:
            continue
        for entry, made in meeting.pieces_of(number, settled).items():
            found.setdefault(entry, []).extend(made)
    return _with_credited(organization_id, found, taxed)


def _with_joined(
    organization_id: str, parts: Mapping[int, Sequence[SettlementPart]], taxed: Mapping[int, ItemTax]
) -> dict[int, ItemTax]:
    entries = {part.journal_entry_id for group in parts.values() for part in group} - {None}
    return {**taxed, **of_entries(organization_id, {each for each in entries if each} - taxed.keys())}


def _with_credited(
    organization_id: str, found: dict[int, list[Piece]], taxed: Mapping[int, ItemTax]
) -> dict[int, list[Piece]]:
    """Say of each credit what it takes of base and tax: the share of the credit note that is settled with it."""
    taken: dict[tuple[int, int, int], dict[int, TaxFigures]] = {}
    for entry, group in found.items():
        if entry not in taxed or not taxed[entry].is_credit:
            continue
        whole, had, settled = gross(organization_id, entry), dict[int, TaxFigures](), 0
        for place, piece in enumerate(group):
            if piece.kind != CREDIT:
                continue
            settled += piece.size_minor
            own = {}
            for code, figures in taxed[entry].wholes.items():
                before = had.get(code, TaxFigures())
                own[code] = TaxFigures(
                    *(share_of(each, whole, settled, was) for each, was in zip(figures, before, strict=True))
                )
                had[code] = TaxFigures(*(sum(pair) for pair in zip(before, own[code], strict=True)))
            group[place] = replace(piece, credited=own)
            taken[piece.settlement, entry, piece.cause] = {
                code: TaxFigures(-figures.base_minor, -figures.tax_minor) for code, figures in own.items()
            }
    for entry, group in found.items():
        for place, piece in enumerate(group):
            credited = taken.get((piece.settlement, piece.cause, entry))
            if piece.kind == CREDIT and credited is not None:
                group[place] = replace(piece, credited=credited)
    return found


def _settled(
    organization_id: str, parts: Sequence[SettlementPart], taxed: Mapping[int, ItemTax]
) -> dict[int, SettledPart]:
    """Say of parts of settlements what they are: documents, advances, money, or what is short."""
    ids = {part.journal_entry_id for part in parts} - {None}
    facts = _facts(organization_id, ids)
    found = {}
    for part in parts:
        fact = facts.get(part.journal_entry_id or 0)
        if fact is None or not part.amount_minor:
            continue
        item = taxed.get(fact.id)
        kind = MONEY
        if item is not None:
            kind = ADVANCE if item.is_advance else DOCUMENT
        elif fact.document_id is not None and fact.booked_on is None:
            kind = DOCUMENT
        elif fact.purpose in (DISCOUNT, WRITE_OFF):
            kind = fact.purpose
        elif fact.source == "manual" and fact.bears is not None:
            # What raises what is owed is an invoice without a code.
            kind = WRITE_OFF if part.amount_minor * fact.lowers > 0 else DOCUMENT
        found[part.id] = SettledPart(
            part.item_id,
            fact.id,
            part.amount_minor,
            kind,
            item.tax_point if item else fact.day,
            fact.booked_on is not None,
            item is not None and item.is_credit,
            fact.bears,
            fact.purpose is not None,
        )
    return found


@dataclass(frozen=True, slots=True)
class _Fact:
    """What an entry is: its day, its line's booking day, its purpose in a settlement, and the cost it is booked on.

    `lowers` is the sign with which it lowers what is owed on its control account.
    """

    id: int
    source: str
    document_id: int | None
    day: date
    booked_on: date | None
    purpose: str | None
    bears: int | None
    lowers: int


def _facts(organization_id: str, entry_ids: Iterable[int | None]) -> dict[int, _Fact]:
    columns: list[Any] = [
        JournalEntry.id,
        JournalEntry.source,
        JournalEntry.document_id,
        sa.func.coalesce(JournalEntry.fact_on, JournalEntry.effective_on).label("day"),
        SettlementEntry.purpose,
        Posting.account_id,
        Account.type,
        Account.keeps_items,
        Transaction.booked_on,
    ]
    rows = db.session.execute(
        sa.select(*columns)
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .outerjoin(SettlementEntry, refers_to(SettlementEntry.journal_entry_id, JournalEntry))
        .outerjoin(Transaction, refers_to(Posting.transaction_id, Transaction))
        .where(JournalEntry.organization_id == organization_id, JournalEntry.id.in_([*entry_ids]))
        .order_by(JournalEntry.id, Posting.id)
    )
    groups: dict[int, list[Any]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    found = {}
    for entry_id, group in groups.items():
        first, others = group[0], [row for row in group if not row.keeps_items]
        is_cost = others and all(row.type in (AccountType.INCOME, AccountType.EXPENSE) for row in others)
        found[entry_id] = _Fact(
            entry_id,
            first.source,
            first.document_id,
            first.day,
            next((row.booked_on for row in group if row.booked_on is not None), None),
            first.purpose,
            others[0].account_id if others and (is_cost or first.purpose) else None,
            1 if any(row.keeps_items and row.type == AccountType.LIABILITY for row in group) else -1,
        )
    return found


@dataclass(frozen=True, slots=True)
class WrittenOff:
    """How much of an item a settlement writes off, without a sign, the account that bears it, and its entry.

    `is_caused` is what the settlement posted by itself.
    """

    settlement_id: int
    size_minor: int
    account_id: int
    entry_id: int
    is_caused: bool


def written_off(item: OwedItem) -> list[WrittenOff]:
    """List what standing settlements write off of an item, the newest first."""
    if item.journal_entry_id is None:
        return []
    joined, found = standing(item.organization_id, [item.journal_entry_id]), []
    facts = _facts(
        item.organization_id, {part.journal_entry_id for group in joined.values() for part in group}
    )
    for number in sorted(joined, reverse=True):
        own = sum(part.amount_minor for part in joined[number] if part.item_id == item.id)
        for part in joined[number]:
            fact = facts.get(part.journal_entry_id or 0)
            if fact is None or fact.bears is None or part.amount_minor * own >= 0:
                continue
            is_caused = fact.purpose == WRITE_OFF
            if is_caused or (fact.source == "manual" and part.amount_minor * fact.lowers > 0):
                size = min(abs(own), abs(part.amount_minor))
                found.append(WrittenOff(number, size, fact.bears, fact.id, is_caused))
    return found


def has_stamps(entry: JournalEntry) -> bool:
    """Return whether a standing return has a posting of an entry, its corrections, or what was settled of it."""
    part = sa.select(TaxPart.posted_by_id).where(
        TaxPart.organization_id == entry.organization_id, TaxPart.journal_entry_id == entry.id
    )
    statement = (
        sa.select(TaxStamp.id)
        .join(
            Posting,
            sa.and_(Posting.organization_id == entry.organization_id, Posting.id == TaxStamp.posting_id),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            TaxStamp.organization_id == entry.organization_id,
            TaxStamp.ended_at.is_(None),
            sa.or_(
                JournalEntry.id == entry.id, JournalEntry.corrects_id == entry.id, JournalEntry.id.in_(part)
            ),
        )
    )
    return db.session.scalar(statement.limit(1)) is not None
