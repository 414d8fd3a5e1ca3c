"""Taxes: codes are there, returns have the boxes that they stamped, and what waits is what items have left."""

from collections import Counter
from collections.abc import Iterable

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.tax.rules import ADVANCES, WAITING
from webapp.models import (
    COUNTING,
    Account,
    JournalEntry,
    Posting,
    TaxCode,
    TaxPart,
    TaxReturn,
    TaxStamp,
    refers_to,
)
from webapp.queries.checks.violations import Violation, entry, found
from webapp.queries.tax import derivations, packs, waiting


def unknown_codes() -> Iterable[Violation]:
    """Find postings whose tax code is not there, which no key of the database refuses."""
    missing = ~sa.exists().where(refers_to(Posting.tax_code_id, TaxCode))
    return found(
        "tax_code_unknown",
        sa.select(Posting.organization_id, Posting.journal_entry_id.label("entry_id"))
        .where(Posting.tax_code_id.is_not(None), missing)
        .distinct(),
        lambda row: f"Entry {row.entry_id} has a tax code that is not there.",
        entry,
    )


def differing_returns() -> Iterable[Violation]:
    """Find standing returns whose boxes are not what their stamped postings add up to."""
    statement = (
        sa.select(TaxStamp.organization_id, TaxStamp.return_id, Posting.boxes)
        .join(
            Posting,
            sa.and_(Posting.organization_id == TaxStamp.organization_id, Posting.id == TaxStamp.posting_id),
        )
        .join(TaxReturn, refers_to(TaxStamp.return_id, TaxReturn))
        .where(TaxReturn.status == "FILED")
    )
    sums: dict[tuple[str, int], Counter[tuple[str, str]]] = {}
    for organization_id, return_id, boxes in db.session.execute(statement):
        sums.setdefault((organization_id, return_id), Counter()).update(
            {(form, box): minor for form, box, minor in boxes or ()}
        )
    standing = sa.select(TaxReturn).where(TaxReturn.status == "FILED").order_by(TaxReturn.id)
    for filed in db.session.scalars(standing):
        stamped = sums.get((filed.organization_id, filed.id), Counter())
        is_of_form = {box: minor for (form, box), minor in stamped.items() if form == filed.form and minor}
        if is_of_form != _filed_figures(filed):
            yield Violation(
                "tax_return_differs",
                f"The {filed.form} return to {filed.ends_on} says other figures than its postings.",
                filed.organization_id,
                {"taxReturnId": filed.id},
            )


def _filed_figures(filed: TaxReturn) -> dict[str, int]:
    """Give the exact figures of a return, of a notice those of its rows; totals and what is nothing are left out."""
    figures = filed.figures["boxes"]
    if filed.is_notice:
        figures = [figure for late in filed.figures["late"] for figure in late[2]]
    totals = {each.box for each in packs.content(filed.form).form.boxes if each.terms is not None}
    said: Counter[str] = Counter()
    for box, _, _, exact in figures:
        said[box] += 0 if box in totals else exact
    return {box: minor for box, minor in said.items() if minor}


def differing_accounts() -> Iterable[Violation]:
    """Find accounts of taxes that wait, and of advances, that are not their items less the parts of these."""
    roles = {f"tax_{role}": role for role in (*WAITING.values(), ADVANCES)}
    rows = db.session.execute(
        sa.select(Account.organization_id, Account.role, sa.func.sum(Posting.amount_base_minor))
        .join(Posting, refers_to(Posting.account_id, Account))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Account.role.in_(roles), JournalEntry.status.in_(COUNTING))
        .group_by(Account.organization_id, Account.role)
        .order_by(Account.organization_id, Account.role)
    )
    expected: dict[str, Counter[str]] = {}
    for organization_id, role, there in rows.all():
        if organization_id not in expected:
            expected[organization_id] = waiting.sums(organization_id)
        if expected[organization_id][roles[role or ""]] != there:
            yield Violation(
                "tax_waiting_differs",
                f"What stands on the account of the role {role} is not what its items have left.",
                organization_id,
                {"role": role},
            )


def differing_parts() -> Iterable[Violation]:
    """Find items whose parts have other shares of base and tax than what was settled of them gives."""
    statement = sa.select(TaxPart.organization_id).distinct().order_by(TaxPart.organization_id)
    for organization_id in db.session.scalars(statement).all():
        for entry_id in derivations.differing(organization_id):
            yield Violation(
                "tax_parts_differ",
                f"What is settled of entry {entry_id} has other taxes than its shares.",
                organization_id,
                {"journalEntryId": entry_id},
            )


CHECKS = (unknown_codes, differing_returns, differing_accounts, differing_parts)
