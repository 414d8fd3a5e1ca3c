"""Revaluation of balances in other currencies: an entry as of a day, and its reversal on the next."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import ClassVar

from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.corrections import reversal
from webapp.ledger.journal.entries import Leg
from webapp.ledger.rates import ExchangeRateMissingError
from webapp.ledger.references import Kind, Ref
from webapp.models import JournalEntry, Organization
from webapp.queries.access import organizations
from webapp.queries.currencies import revaluation_verdicts, revaluations
from webapp.queries.currencies.revaluations import ForeignBalance
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.bookkeeping import voids
from webapp.services.journal import entries, open_days


class NotRevaluationError(LedgerError):
    """Only a standing revaluation can be taken back."""

    code = "not_revaluation"
    codes: ClassVar[Mapping[str, str]] = {
        "not_revaluation": "The entry is no revaluation. Void it instead.",
        "voided": "The revaluation was taken back already.",
    }


def revalue(as_of: date, *, actor: Actor, now: datetime, force: bool = False) -> ActionResult:
    """Revalue balances in other currencies at a day's rates: an entry, and its reversal on the next day.

    A second run for the same day takes the place of the first where anything differs, and else changes nothing;
    where nothing differs from the books there is no entry. Raises PeriodLockedError where either day is closed,
    ExchangeRateMissingError naming every rate that is missing.
    """
    organization = organizations.get(actor.organization_id)
    payload = {"asOf": as_of.isoformat()}
    title = f"Revalued as of {as_of:%-d %b %Y}"
    with act(actor, now, "revalue", ("day", as_of.isoformat()), title=title, payload=payload) as doing:
        for day in (as_of, as_of + timedelta(days=1)):
            open_days.check(organization.id, day)
        entries.check_near(organization.id, as_of, now, force=force)
        verdict = revaluation_verdicts.of_day(organization, as_of)
        if verdict.missing:
            raise ExchangeRateMissingError.on([(as_of, code) for code in verdict.missing])
        earlier, legs = verdict.pair, verdict.due
        if legs == verdict.standing:
            doing.nothing_to_do()
            done_by = earlier[0].action_request_id if earlier else None
            standing = TouchedIds([entry.id for entry in earlier])
            return ActionResult(action_request_id=done_by, changed=False, result=standing)
        for entry in earlier:
            voids.reverse(entry, doing, on_its_own_day=True)
        if legs:
            doing.before = {"balances": [_fact(balance) for balance in verdict.balances]}
        written = _write(organization, as_of, legs, doing)
        touched = TouchedIds(
            [entry.id for entry in written], voided_journal_entry_ids=[entry.id for entry in earlier]
        )
        doing.result = touched.as_json()
    return ActionResult(action_request_id=doing.id, changed=True, result=touched)


def take_back(entry: JournalEntry, *, reason: str, actor: Actor, now: datetime) -> ActionResult:
    """Take a revaluation back whole: each of its two entries is reversed on its own day.

    `entry` is either of them. Raises NotRevaluationError, PeriodLockedError where either day is closed, and
    NotVoidableError where an opening balance holds them.
    """
    target = ("journal_entry", entry.id)
    payload = {"reason": reason}
    with act(actor, now, "take_back_revaluation", target, note=reason, payload=payload) as doing:
        doing.title = f"Took back the revaluation of entry {entry.id}"
        pair = _require_standing(entry)
        doing.title = f"Took back the revaluation as of {pair[0].effective_on:%-d %b %Y}"
        doing.before = {"status": entry.status}
        for each in pair:
            open_days.check(each.organization_id, each.effective_on)
        voids.check_not_opened(pair)
        reversed_by = [voids.reverse(each, doing, on_its_own_day=True) for each in pair]
        touched = TouchedIds(
            [entry_id for each in reversed_by for entry_id in each.journal_entry_ids],
            voided_journal_entry_ids=[each.id for each in pair],
        )
        doing.result = touched.as_json()
        doing.after = {"status": entry.status}
    return ActionResult(action_request_id=doing.id, changed=True, result=touched)


def _require_standing(entry: JournalEntry) -> Sequence[JournalEntry]:
    pair = revaluations.of_entry(entry)
    if pair:
        return pair
    if entry.source == revaluations.SOURCE:
        raise NotRevaluationError(
            f"The revaluation of entry {entry.id} was taken back by entry {entry.voided_by_id} already.",
            details={"voidedById": entry.voided_by_id},
            code="voided",
        )
    raise NotRevaluationError(f"Entry {entry.id} is no revaluation. Void it instead.")


def _write(organization: Organization, as_of: date, legs: Sequence[Leg], doing: Act) -> list[JournalEntry]:
    if not legs:
        return []
    description = f"Revaluation as of {as_of:%-d %b %Y}"
    return [
        _post(organization, as_of, legs, description, doing),
        _post(organization, as_of + timedelta(days=1), reversal(legs), f"{description}, reversed", doing),
    ]


def _post(
    organization: Organization, day: date, legs: Sequence[Leg], description: str, doing: Act
) -> JournalEntry:
    entry = entries.add_draft(
        organization, day, legs, source=revaluations.SOURCE, description=description, now=doing.now
    )
    entries.post(entry, doing)
    return entry


def _fact(balance: ForeignBalance) -> dict[str, object]:
    return {
        "accountId": Ref(Kind.ACCOUNT, balance.account_id),
        "currency": balance.currency,
        "amountMinor": balance.amount_minor,
        "amountBaseMinor": balance.amount_base_minor,
    }
