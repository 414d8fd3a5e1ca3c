"""Tax returns filed and withdrawn: stamps on postings, and the entry that settles the taxes with the authority."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind, Ref
from webapp.ledger.tax.forms import is_over_limit
from webapp.ledger.tax.rules import AUTHORITY, TAX_ROLES
from webapp.models import JournalEntry, Organization, TaxReturn, TaxStamp
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.items import items
from webapp.queries.tax import before_filing, packs, periods, returns, unpaid
from webapp.queries.tax.returns import NOTICE, RETURN, OpenReturn, ReturnRecord
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import reversals, settlements

SOURCE = "settlement"


class ReturnMovedError(LedgerError):
    """The return is another one by now; look at it again, then file it."""

    code = "moved"


class LateOverLimitError(LedgerError):
    """The net error of earlier periods is too large to be adjusted in a return; it has to be notified apart."""

    code = "late_over_limit"


class BillsUnpaidError(LedgerError):
    """The tax of bills that are unpaid for six months is to be repaid; repay it, or say in a note why not."""

    code = "bills_unpaid"


class ReceiptsOpenError(LedgerError):
    """Money that came in settles nothing yet; settle it or give it a tax code, or say why not in a note."""

    code = "receipts_open"


class OpenItemsUncodedError(LedgerError):
    """What was open before the books had taxes brought no tax codes; give it these, or say why not in a note."""

    code = "open_items_uncoded"


class NotNewestError(LedgerError):
    """Only the newest return that stands can be withdrawn."""

    code = "not_newest"


class ReturnPaidError(LedgerError):
    """What this return owes is settled; undo that settlement first."""

    code = "paid"


def file(
    *,
    form: str,
    to: date,
    digest: str,
    kind: str = RETURN,
    reference: str | None = None,
    note: str | None = None,
    actor: Actor,
    now: datetime,
) -> ReturnRecord:
    """File the open return of a period as it was looked at: its postings are in it for good, until it is withdrawn.

    A notice takes late errors only, apart from the return of the period, which is filed after it.
    """
    organization = organizations.get(actor.organization_id)
    payload: dict[str, Any] = {"form": form, "to": to.isoformat(), "kind": kind, "digest": digest}
    payload |= {"reference": reference, "note": note}
    what = "notice of errors" if kind == NOTICE else "return"
    title = f"Filed the {form} {what} to {to:%-d %b %Y}"
    target = ("tax_return", form)
    with act(actor, now, "file_tax_return", target, title=title, note=note or "", payload=payload) as doing:
        found = returns.open_return(organization, form, to, kind)
        _check(organization, found, digest, note)
        entry = _settle(organization, found, doing)
        filed = _stamped(found, entry, doing, reference=reference, note=note)
        doing.target_id, doing.after = str(filed.id), _facts(filed)
    return returns.record(filed)


def withdraw(filed: TaxReturn, *, reason: str, actor: Actor, now: datetime) -> ReturnRecord:
    """Withdraw the newest return, of which nothing is paid: its postings are open again, its entry is reversed."""
    what = "notice of errors" if filed.is_notice else "return"
    title = f"Withdrew the {filed.form} {what} to {filed.ends_on:%-d %b %Y}"
    payload = {"reason": reason}
    with act(
        actor, now, "withdraw_tax_return", ("tax_return", filed.id), title=title, note=reason, payload=payload
    ) as doing:
        last = periods.last_filed(filed.organization_id, filed.form)
        if last is None or last.id != filed.id:
            raise NotNewestError
        doing.before = _facts(filed)
        entry = filed.journal_entry_id and lookups.get(
            JournalEntry, filed.organization_id, filed.journal_entry_id
        )
        if entry:
            if any(each.settled_minor for each in items.of_entry(filed.organization_id, entry.id)):
                raise ReturnPaidError
            settlements.settle_with_reversal(entry, reversals.cancel(entry))
        db.session.execute(
            sa.update(TaxStamp)
            .where(TaxStamp.organization_id == filed.organization_id, TaxStamp.return_id == filed.id)
            .values(ended_at=now)
            .execution_options(synchronize_session=False)
        )
        filed.status, filed.withdrawn_at, filed.reason = "WITHDRAWN", now, reason
        db.session.flush()
        doing.after = _facts(filed)
    return returns.record(filed)


def _stamped(
    found: OpenReturn, entry: JournalEntry | None, doing: Act, *, reference: str | None, note: str | None
) -> TaxReturn:
    """Keep a return as it was looked at, and stamp its postings."""
    made, organization_id = found.record, doing.actor.organization_id
    is_notice = made.kind == NOTICE
    filed = TaxReturn(
        organization_id=organization_id,
        form=made.form,
        pack_version=made.pack_version,
        starts_on=made.from_,
        ends_on=made.to,
        status="FILED",
        is_notice=is_notice,
        figures={**returns.kept_figures(made), "unpaid": unpaid.stored(made.bills_unpaid_six_months)},
        digest=made.digest,
        reference=reference,
        note=note,
        filed_at=doing.now,
        filed_by=doing.actor.as_json(),
        journal_entry_id=None if entry is None else entry.id,
        last_number=None if is_notice else returns.last_number(organization_id),
    )
    db.session.add(filed)
    db.session.flush()
    stamp = {"organization_id": organization_id, "return_id": filed.id, "form": made.form}
    if found.postings:
        rows = [{**stamp, "posting_id": each.posting_id} for each in found.postings]
        db.session.execute(sa.insert(TaxStamp), rows)
    return filed


def _facts(filed: TaxReturn) -> dict[str, Any]:
    entry_id = Ref.optional(Kind.JOURNAL_ENTRY, filed.journal_entry_id)
    return {"status": filed.status, "payable": filed.figures["payable"], "journalEntryId": entry_id}


def _check(organization: Organization, found: OpenReturn, digest: str, note: str | None) -> None:
    """Refuse a return that moved since it was looked at, whose errors are too large, or before which money waits."""
    made = found.record
    if made.digest != digest:
        raise ReturnMovedError(details={"digest": made.digest})
    if made.kind == NOTICE:
        return
    for error, find in (
        (ReceiptsOpenError, before_filing.open_receipts),
        (OpenItemsUncodedError, before_filing.uncoded_items),
    ):
        waiting = [] if note else find(organization.id, made.form, made.to)
        if waiting:
            raise error(details={"itemIds": [Ref(Kind.POSTING, each.id) for each in waiting]})
    unpaid = made.bills_unpaid_six_months
    if unpaid is not None and unpaid.items and not note:
        raise BillsUnpaidError(
            f"{unpaid.tax.formatted} is to be repaid for bills that are unpaid for six months. Repay it, or say"
            " in a note why not.",
            details={"itemIds": list(unpaid.items), "tax": str(unpaid.tax)},
        )
    form = packs.content(made.form).form
    if made.net_errors is None or form.turnover is None:
        return
    turnover = found.figures[form.turnover]
    if is_over_limit(made.net_errors.minor, turnover, organization.base_currency):
        raise LateOverLimitError(details={"netErrors": str(made.net_errors)})


def _settle(organization: Organization, found: OpenReturn, doing: Act) -> JournalEntry | None:
    """Post the entry that brings the taxes of a return from their accounts to the authority, if there are any."""
    made, roles = found.record, packs.accounts(organization.id)
    of_taxes = {roles[role].id for role in TAX_ROLES if role in roles}
    cleared: dict[int, int] = {}
    for each in found.postings:
        if each.account_id in of_taxes:
            cleared[each.account_id] = cleared.get(each.account_id, 0) - each.base_minor
    base, payable = organization.base_currency, made.payable.minor
    legs = [Leg(account_id, amount, base, amount) for account_id, amount in cleared.items() if amount]
    if payable:
        due_on, reference = made.due_on, f"{made.form} {made.to.isoformat()}"
        reference = f"{made.form} notice {made.to.isoformat()}" if made.kind == NOTICE else reference
        legs.append(Leg(roles[AUTHORITY].id, -payable, base, -payable, due_on=due_on, reference=reference))
    rest = -sum(leg.amount_minor for leg in legs)
    if rest:
        legs.append(Leg(accounts.by_role(organization.id, Role.ROUNDING).id, rest, base, rest))
    if not legs:
        return None
    entry_ids = {each.journal_entry_id for each in found.postings}
    days = lookups.by_id(JournalEntry, organization.id, entry_ids).values()
    latest = max([made.to, *(each.effective_on for each in days)])
    entry = journal_entries.add_draft(
        organization,
        organizations.first_open_day(organization.id, latest),
        legs,
        source=SOURCE,
        description=f"{'Notice' if made.kind == NOTICE else 'Return'} {made.form} to {made.to:%-d %b %Y}",
        now=doing.now,
    )
    journal_entries.post(entry, doing)
    return entry
