"""Taxes of what is settled: at the end of an act the parts of its items get their base and tax, or give them back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.journal.boxes import BoxAmount, Boxes
from webapp.ledger.journal.entries import MIN_LEGS, Leg
from webapp.ledger.tax.parts import (
    APPLIED,
    BACK,
    DISCOUNT,
    MONEY,
    RELIEF,
    SHORT,
    UNPAID,
    PartShare,
    changes,
    negative,
    shares_of,
)
from webapp.ledger.tax.rules import ADVANCES, WAITING, TaxLeg, base_boxes, tax_legs
from webapp.models import Account, JournalEntry, Organization, Settlement, TaxCode, TaxPart
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts as ledger_accounts
from webapp.queries.common import lookups
from webapp.queries.items import settlements
from webapp.queries.tax import derivations, packs, parts
from webapp.queries.tax.parts import ItemTax
from webapp.services.audit.act import CLOSINGS, Act
from webapp.services.journal import entries as journal_entries

# What takes from the taxes of an invoice, where all others give to them.
TAKING: Final = (DISCOUNT, APPLIED, UNPAID)

# The cause of what an act on taxes posts by itself.
ITSELF: Final = 0


def post_differences(doing: Act) -> None:
    """Post what an act changed of the taxes of items: what it settled, undid, corrected or voided."""
    organization_id = doing.actor.organization_id
    roots = doing.corrected | parts.joined_roots(organization_id, {*doing.stood, *doing.undone})
    if not roots:
        return
    taxed, had = parts.of_entries(organization_id, roots), parts.shares(organization_id, roots)
    # What meets a credit note that was corrected changes with it.
    anew = doing.corrected & ({*taxed} | {*had})
    if anew:
        anew |= parts.joined_roots(organization_id, parts.standing(organization_id, anew))
        taxed |= parts.of_entries(organization_id, anew - taxed.keys())
        had |= parts.shares(organization_id, anew - had.keys())
    known = {*taxed} | {*had}
    if not known:
        return
    met, uncredited = parts.pieces(organization_id, known, taxed), _uncredited(doing, taxed)
    credited = {code for group in met.values() for piece in group for code in piece.credited}
    own = {code for item in taxed.values() for code in item.wholes}
    codes = lookups.by_id(TaxCode, organization_id, own | credited)
    found: list[tuple[int, PartShare]] = []
    for root in sorted(known):
        present, item = had.get(root, []), taxed.get(root)
        standing = {piece.settlement for piece in met.get(root, ())}
        kept = standing - doing.stood if root not in anew else set()
        # What a credit note left again has its whole figures: the last part takes the difference.
        kept -= {max(kept)} if kept and root in uncredited else set()
        given: dict[int, list[PartShare]] = {number: [] for number in kept}
        for share in present:
            if share.settlement in given:
                given[share.settlement].append(share)
        wanted = [share for share in present if share.settlement is None]
        if item is not None:
            whole = derivations.taxed_item(organization_id, item, present, codes)
            wanted += shares_of(whole, met.get(root, ()), given)
        counting = [share for share in present if share.settlement is None or share.settlement in standing]
        found += [
            (root, replace(share, cause=root) if root in anew else share)
            for share in changes(wanted, counting)
        ]
        found += [(root, share) for share in _taken_back(root, present, doing.undone)]
    post(doing, found, _day(doing))


def _uncredited(doing: Act, taxed: Mapping[int, ItemTax]) -> set[int]:
    """Find the entries of items that a credit note was settled with, and is not any more."""
    notes, found = {root for root, item in taxed.items() if item.is_credit}, set[int]()
    for number in doing.undone if notes else ():
        joined = parts.joined_roots(doing.actor.organization_id, [number])
        found |= joined if joined & notes else set()
    return found


def _taken_back(root: int, present: Sequence[PartShare], undone: dict[int, date | None]) -> list[PartShare]:
    """Give what takes back the shares of undone settlements: on the day their money came back, else on their own.

    A return names the money for it, also for what a correction of the item changed of its shares.
    """
    causes = {
        (each.settlement, each.tax_point): each.cause for each in reversed(present) if each.cause != root
    }
    found = []
    for share in changes([], [each for each in present if each.settlement in undone]):
        day = undone[share.settlement or 0]
        back = replace(share, cause=causes.get((share.settlement, share.tax_point), share.cause))
        found.append(back if day is None else replace(back, tax_point=day, is_own_day=True))
    return found


def _day(doing: Act) -> date:
    """Give the first open day at or after all that an act settled, undid or corrected."""
    organization_id = doing.actor.organization_id
    joined = lookups.by_id(Settlement, organization_id, {*doing.stood, *doing.undone}).values()
    days = [each.undone_on or each.settled_on for each in joined]
    entries = lookups.by_id(JournalEntry, organization_id, doing.corrected).values()
    days += [each.effective_on for each in entries]
    return organizations.first_open_day(organization_id, max(days))


def post(doing: Act, found: Iterable[tuple[int, PartShare]], day: date) -> list[JournalEntry]:
    """Post shares of items, each with the entry of its item: one entry for each that a return names for them."""
    organization = organizations.get(doing.actor.organization_id)
    groups: dict[tuple[int, bool], list[tuple[int, PartShare]]] = {}
    for root, share in found:
        groups.setdefault((share.cause, share.is_own_day), []).append((root, share))
    posted = []
    for (cause, _), group in groups.items():
        codes = lookups.by_id(TaxCode, organization.id, {share.code for _, share in group})
        accounts = packs.accounts(organization.id)
        legs = [leg for _, share in group for leg in _legs(share, codes[share.code], accounts, organization)]
        if not legs:
            continue
        if len(legs) < MIN_LEGS:
            legs.append(replace(legs[0], boxes=(), tax_code_id=None, tax_point=None))
        named = lookups.get(JournalEntry, organization.id, cause or group[0][0]).description
        entry = journal_entries.add_draft(
            organization,
            day,
            legs,
            source=settlements.SOURCE,
            description=f"Taxes of {named}" if named else "Taxes",
            now=doing.now,
        )
        journal_entries.post(entry, doing)
        db.session.execute(sa.insert(TaxPart), [_row(entry, *each) for each in group])
        posted.append(entry)
    return posted


def _row(entry: JournalEntry, root: int, share: PartShare) -> dict[str, object]:
    return {
        "organization_id": entry.organization_id,
        "journal_entry_id": root,
        "settlement_id": share.settlement,
        "kind": share.kind,
        "tax_code_id": share.code,
        "tax_point": share.tax_point,
        "base_minor": share.figures.base_minor,
        "tax_minor": share.figures.tax_minor,
        "posted_by_id": entry.id,
        "cause_id": share.cause or entry.id,
        "is_own_day": share.is_own_day,
        "account_id": share.account,
        "size_minor": share.size_minor,
    }


def _legs(
    share: PartShare, code: TaxCode, accounts: Mapping[str, Account], organization: Organization
) -> list[Leg]:
    """Give the legs of a share: what of the tax goes to or from its own accounts, and what stands against that.

    What was paid before the books had taxes is in no box: its tax goes back to the opening balances.
    """
    rule, figures, base = code.rule, share.figures, organization.base_currency
    if share.kind in TAKING and not (rule.waits and share.kind in SHORT):
        figures = negative(share).figures
    taxes, boxes = (
        tax_legs(rule, figures.tax_minor),
        base_boxes(rule, [figures.base_minor], figures.base_minor)[0],
    )
    against = share.account or 0
    if share.kind == MONEY:
        against = packs.account(accounts, WAITING[code.side]).id
    elif share.kind == APPLIED:
        against = packs.account(accounts, ADVANCES).id
    elif share.kind in SHORT and rule.waits:
        # It never was in a box.
        whole = sum(each.amount_minor for each in taxes)
        taxes = [TaxLeg(WAITING[code.side], -whole, ())]
        boxes = ()
    elif share.kind == RELIEF:
        taxes, boxes = [TaxLeg("input", figures.tax_minor, _claimed(code, figures.tax_minor))], ()
    elif share.kind in BACK or share.kind in BACK.values():
        boxes = ()
    whole = sum(each.amount_minor for each in taxes)
    legs = [(packs.account(accounts, each.role).id, each.amount_minor, each.boxes) for each in taxes]
    if packs.is_before(
        organization.id, {box.form for of in rule.shares for box in of.boxes}, share.tax_point
    ):
        opening = ledger_accounts.by_role(organization.id, Role.OPENING_BALANCES)
        legs, boxes = [(opening.id, whole, ())], ()
    return _written(share, base, [*legs, (against, -whole, boxes)])


def _written(share: PartShare, base: str, legs: Iterable[tuple[int, int, Boxes]]) -> list[Leg]:
    """Write legs of a share, each with its account, amount and boxes; those of nothing are left out."""
    facts: dict[str, Any] = {"tax_code_id": share.code, "tax_point": share.tax_point}
    return [
        Leg(account_id, amount, base, amount, boxes=own, **facts)
        for account_id, amount, own in legs
        if amount or own
    ]


def _claimed(code: TaxCode, tax_minor: int) -> Boxes:
    """Give the boxes of a relief: that of each form which a purchase raises."""
    forms = dict.fromkeys(box.form for share in code.rule.of_tax for box in share.boxes)
    return tuple(BoxAmount(form, packs.content(form).form.claims, tax_minor) for form in forms)


CLOSINGS.append(post_differences)
