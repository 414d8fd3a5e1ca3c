"""Accruals: the result of a later entry in the month that it belongs to, reversed on the day after."""

from datetime import datetime, timedelta

from webapp.ledger.closing.closes import month_named
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind, Ref
from webapp.models import Account, JournalEntry
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import cut_offs, entries
from webapp.queries.reports.closings import RESULT_TYPES
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.bookkeeping import manual_entries
from webapp.services.journal import entries as journal_entries

DAY = timedelta(days=1)


class NotLateError(UnprocessableError):
    """Only a posted entry after the month, with income or expenses, can be accrued in it."""

    code = "not_late"


class AccruedError(LedgerError):
    """This entry is accrued already; void that accrual first."""

    code = "accrued"


def accrue(
    period: str, *, journal_entry_id: int, account_id: int, actor: Actor, now: datetime
) -> ActionResult:
    """Post the result of a later entry on the last day of a month against an account, and reverse it on the next day.

    It takes no taxes: those are due, or deducted, with the entry itself. Raises NotLateError or AccruedError.
    """
    organization = organizations.get(actor.organization_id)
    to = month_named(period)
    payload = {
        "journalEntryId": Ref(Kind.JOURNAL_ENTRY, journal_entry_id),
        "accountId": Ref(Kind.ACCOUNT, account_id),
    }
    with act(actor, now, "accrue", ("journal_entry", "new"), payload=payload) as doing:
        late = lookups.refer(JournalEntry, organization.id, journal_entry_id, "journalEntryId")
        account = lookups.refer(Account, organization.id, account_id, "accountId")
        doing.title = f"Accrued {late.description or f'entry {late.id}'} on {to:%-d %b %Y}"
        of_result = _legs(late)
        if late.status != "POSTED" or late.effective_on <= to or not of_result:
            raise NotLateError(fields={"journalEntryId": [str(NotLateError.__doc__)]})
        if late.id in cut_offs.accruals(organization.id, [late.id], to):
            raise AccruedError
        base = organization.base_currency
        minor = -sum(each.amount_minor for each in of_result)
        entry = journal_entries.add_draft(
            organization,
            to,
            [*of_result, Leg(account.id, minor, base, minor)],
            source="manual",
            description=late.description,
            now=now,
        )
        made = manual_entries.reversing(entry, to + DAY, doing)
        made.accrues_entry_id = late.id
        journal_entries.post(entry, doing)
        back = manual_entries.reverse(entry, made, doing)
        touched = TouchedIds([entry.id, back.id])
        doing.target_id, doing.result = str(entry.id), touched.as_json()
        doing.after = dict(payload)
    return ActionResult(action_request_id=doing.id, changed=True, result=touched)


def _legs(late: JournalEntry) -> list[Leg]:
    """Give what an entry has on income and expenses of the business, in the base currency and without taxes."""
    legs = entries.effective_legs(late)
    accounts = lookups.by_id(Account, late.organization_id, {each.account_id for each in legs})
    return [
        Leg(
            each.account_id,
            each.amount_base_minor,
            late.base_currency,
            each.amount_base_minor,
            merchant_id=each.merchant_id,
            project_id=each.project_id,
        )
        for each in legs
        if each.amount_base_minor
        and accounts[each.account_id].in_scope
        and accounts[each.account_id].type in RESULT_TYPES
    ]
