"""Disposals of assets: parts that are due, then cost and depreciation against the gain or loss; no money, no tax."""

from datetime import date, datetime

from webapp.database.sessions import db
from webapp.ledger.closing.schedules import PartState, ScheduleKind, bears_part
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind, Ref
from webapp.models import Account, JournalEntry, Organization, Schedule
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import entries, schedules
from webapp.services.accounts import accounts as ledger_accounts
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.bookkeeping import schedule_changes, voids
from webapp.services.bookkeeping import schedules as acts
from webapp.services.journal import entries as journal_entries


class NotAnAssetError(UnprocessableError):
    """Only an asset that is depreciated is disposed of."""

    code = "not_an_asset"


class DisposedError(LedgerError):
    """This asset was disposed of already; void that entry first."""

    code = "disposed"


class NotASaleError(UnprocessableError):
    """A sale is a posted entry on the account of gains and losses on disposal; send null for what is scrapped."""

    code = "not_a_sale"


def dispose(
    schedule: Schedule,
    *,
    on: date,
    sale_entry_id: int | None = None,
    force: bool = False,
    actor: Actor,
    now: datetime,
) -> ActionResult:
    """Take an asset out of the books on a day, or on the first open one after it."""
    payload = {"on": on.isoformat(), "saleEntryId": Ref.optional(Kind.JOURNAL_ENTRY, sale_entry_id)}
    title = f"Disposed of {schedule.name} on {on:%-d %b %Y}"
    target = ("schedule", schedule.id)
    with act(actor, now, "dispose_schedule", target, title=title, payload=payload) as doing:
        if schedule.kind != ScheduleKind.DEPRECIATION:
            raise NotAnAssetError
        if schedule.disposed_on is not None:
            raise DisposedError
        organization = organizations.get(schedule.organization_id)
        journal_entries.check_near(organization.id, on, now, force=force)
        role = ledger_accounts.of_disposals(organization, now)
        if sale_entry_id is not None:
            _check_sale(organization.id, sale_entry_id, role)
        depreciated, touched, voided = _depreciate(organization, schedule, on, doing)
        if legs := _legs(organization, schedule, depreciated, role):
            entry = acts.post_legs(schedule, legs, on, doing)
            schedule.disposal_entry_id = entry.id
            touched.append(entry.id)
        schedule.disposed_on, schedule.sale_entry_id, schedule.status = on, sale_entry_id, "STOPPED"
        db.session.flush()
        done = TouchedIds(touched, voided_journal_entry_ids=voided)
        doing.result = done.as_json()
        doing.after = {"disposedOn": on.isoformat(), **payload}
    return ActionResult(action_request_id=doing.id, changed=True, result=done)


def _check_sale(organization_id: str, entry_id: int, role: Account) -> None:
    entry = lookups.refer(JournalEntry, organization_id, entry_id, "saleEntryId")
    if entry.status != "POSTED" or role.id not in {leg.account_id for leg in entries.legs_of(entry)}:
        raise NotASaleError(fields={"saleEntryId": [str(NotASaleError.__doc__)]})


def _depreciate(
    organization: Organization, schedule: Schedule, on: date, doing: Act
) -> tuple[int, list[int], list[int]]:
    """Post the parts up to the disposal and take back those beyond it; give what they come to, and the entries."""
    depreciated = 0
    touched: list[int] = []
    voided: list[int] = []
    for part in schedules.parts_of(schedule):
        state = schedules.state_of(part, part.due_on)
        if not bears_part(part.due_on, on, schedule.first_month):
            if state is PartState.POSTED:
                entry = entries.get(organization.id, part.journal_entry_id or 0)
                done = voids.reverse(entry, doing)
                touched += done.journal_entry_ids
                voided += done.voided_journal_entry_ids
            schedule_changes.take_back_drafts([part])
            part.state = "SKIPPED"
            continue
        if state not in (PartState.POSTED, PartState.SKIPPED):
            touched += acts.enter_part(schedule, part, part.due_on, doing)
        if part.state == "POSTED":
            depreciated += part.amount_base_minor or 0
    return depreciated, touched, voided


def _legs(organization: Organization, schedule: Schedule, depreciated: int, role: Account) -> list[Leg]:
    """Give the legs of a disposal: depreciation and cost go, and the book value is left on the role."""
    cost, of_parts = schedule.amount_minor or 0, schedule.account_id or 0
    asset = schedule.asset_account_id or of_parts
    minors = {of_parts: depreciated}
    minors[asset] = minors.get(asset, 0) - cost
    minors[role.id] = minors.get(role.id, 0) + cost - depreciated
    return [Leg(each, minor, organization.base_currency, minor) for each, minor in minors.items() if minor]
