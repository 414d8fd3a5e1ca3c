"""What a close freezes of the books, read from them, and the acts that moved it since."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.act_ids import act_id
from webapp.ledger.chart import Role
from webapp.ledger.closing import documents as rules
from webapp.ledger.closing.documents import CloseVerdict, Judgement
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import Adjusting, ReportColumns
from webapp.models import ActionRequest, Close, JournalEntry, ProofBreak, Reconciliation
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.closes.balance_proofs import BalanceRecord
from webapp.queries.closes.steps import CloseStep, Looked
from webapp.queries.currencies import revaluation_verdicts
from webapp.queries.items import ageing
from webapp.queries.journal.cut_offs import CutOff
from webapp.queries.reconciliation import verdicts
from webapp.queries.reports import statements, trial_balances
from webapp.queries.transfers import open_items

DAY = timedelta(days=1)
MOST_ACTS = 20
# What changes how accounts, parties and rates are shown in closed days.
PRESENTING = (
    *("update_account", "create_feed_account", "edit_feed_account"),
    *("merge_merchant", "separate_merchant", "update_project"),
    *("put_exchange_rates", "take_reference_rates"),
)
REOPENING = ("reopen_reconciliation", "accept_reconciliation")


@dataclass(frozen=True, slots=True)
class CloseAct:
    """An act that moved figures of a close: who did it, when, why, and what it was."""

    action_request_id: str
    by: str
    at: datetime
    note: str
    title: str


def facts(
    organization_id: str, days: Period, steps: Sequence[CloseStep], cut_off: CutOff, looked: Looked
) -> dict[str, object]:
    """Write what a close freezes of the books, with its steps as they are left."""
    years = organizations.financial_years(organization_id)
    return {
        "v": 1,
        "organizationId": organization_id,
        "period": f"{days.last:%Y-%m}",
        "from": days.first.isoformat(),
        "to": days.last.isoformat(),
        "baseCurrency": organizations.base_currency(organization_id),
        "isYearEnd": years.of(days.last).last == days.last,
        **_figures(organization_id, days),
        "statements": _statements(organization_id, days),
        "cutOff": {
            "count": cut_off.count,
            "sum": str(cut_off.sum),
            "result": str(cut_off.result),
            "rows": [
                {"journalEntryId": each.journal_entry_id, "amount": str(each.amount)} for each in cut_off.rows
            ],
        },
        "flux": [
            {
                "accountId": each.account_id,
                "before": str(each.before),
                "now": str(each.now),
                "note": each.note,
            }
            for each in looked.changes
        ],
        "balances": [_balance(each) for each in looked.balances],
        "inTransit": _in_transit(organization_id, days.last),
        "steps": [
            {
                "code": each.code,
                "state": each.state,
                "count": each.count,
                "amount": None if each.amount is None else str(each.amount),
                "note": each.note,
            }
            for each in steps
        ],
    }


def compare(organization_id: str, frozen: Mapping[str, Any], days: Period) -> Judgement:
    """Compare what a close has frozen with the books as they are."""
    return rules.compare(frozen, _figures(organization_id, days))


def _figures(organization_id: str, days: Period) -> dict[str, Any]:
    """Read the figures that a close is judged by."""
    base = organizations.base_currency(organization_id)
    trial = {
        str(each): _trial_rows(organization_id, ReportColumns(days, adjusting=each)) for each in Adjusting
    }
    return {
        "trialBalance": trial,
        "totals": {which: rules.totals(each, base) for which, each in trial.items()},
        "aged": list(_aged(organization_id, days.last)),
        "proofs": _proofs(organization_id, days),
        "revaluation": _revaluation(organization_id, days.last),
    }


def _trial_rows(organization_id: str, columns: ReportColumns) -> list[dict[str, Any]]:
    found = trial_balances.trial_balance(organization_id, columns)
    return [
        {
            "accountId": each.account_id,
            "code": each.code,
            "name": each.name,
            "type": each.type,
            "inScope": each.in_scope,
            "group": each.group,
            "opening": str(each.opening),
            "change": str(each.change),
            "closing": str(each.closing),
        }
        for each in found.lines
    ]


def _balance(record: BalanceRecord) -> dict[str, Any]:
    return {
        "accountId": record.account_id,
        "name": record.account_name,
        "proof": record.proof,
        "balance": str(record.balance),
        "figure": None if record.figure is None else str(record.figure),
        "difference": None if record.difference is None else str(record.difference),
        "explained": str(record.explained),
        "state": record.state,
    }


def _in_transit(organization_id: str, day: date) -> dict[str, Any]:
    """Count the money on its way between accounts at the close of a day, with the day since when the oldest is."""
    items = open_items.items_subquery(organization_id)
    transfers = accounts.ids_by_role(organization_id, (Role.TRANSFERS,))
    chosen = items.c.effective_on <= day, items.c.account_id.in_(transfers)
    count, amount, oldest = db.session.execute(
        sa.select(
            sa.func.count(),
            sa.func.coalesce(sa.func.sum(items.c.amount_base_minor), 0),
            sa.func.min(items.c.effective_on),
        ).where(*chosen)
    ).one()
    return {
        "count": count,
        "sum": str(Money(int(amount), organizations.base_currency(organization_id))),
        "oldest": None if oldest is None else oldest.isoformat(),
    }


def _statements(organization_id: str, days: Period) -> dict[str, object]:
    columns = ReportColumns(days)
    profit = statements.profit_and_loss(organization_id, columns)
    sheet = statements.balance_sheet(organization_id, columns)
    sums = {
        "income": profit.income,
        "expenses": profit.expenses,
        "result": profit.result,
        "assets": sheet.assets,
        "liabilities": sheet.liabilities,
        "equity": sheet.equity,
        "resultOfYear": sheet.result_of_year,
        "earlierResults": sheet.earlier_results,
    }
    lines = {"profitAndLoss": profit.lines, "balanceSheet": sheet.lines}
    return {
        **{name: str(each.amount) for name, each in sums.items()},
        **{
            name: [
                {
                    "accountId": each.account_id,
                    "name": each.name,
                    "type": each.type,
                    "inScope": each.in_scope,
                    "amount": str(each.amount),
                }
                for each in found
            ]
            for name, found in lines.items()
        },
    }


def _aged(organization_id: str, day: date) -> Iterator[dict[str, Any]]:
    for side in OwedSide:
        for party in ageing.report(organization_id, side, day).parties:
            for row in party.rows:
                ages = {str(age): str(amount) for age, amount in row.amounts.items() if amount}
                yield {
                    "side": str(side),
                    "partyId": party.id,
                    "party": party.name,
                    "currency": row.currency,
                    "ages": ages,
                }


def proofs(organization_id: str, days: Period) -> list[tuple[Reconciliation, bool]]:
    """List the proofs of statements of these days, and of each account the first one at their end or after it.

    Each comes with whether it holds.
    """
    rows = db.session.scalars(
        sa.select(Reconciliation)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.status == "COMPLETED",
            Reconciliation.statement_date >= days.first,
        )
        .order_by(Reconciliation.feed_account_id, Reconciliation.statement_date)
    ).all()
    ended: set[int] = set()
    chosen = []
    for each in rows:
        if each.feed_account_id not in ended:
            chosen.append(each)
        if each.statement_date >= days.last:
            ended.add(each.feed_account_id)
    verdict_of = verdicts.of_proofs(organization_id, chosen)
    return [(each, verdict_of[each.id].holds) for each in chosen]


def stated(proof: Reconciliation) -> Money:
    """Give the balance that a proof is of."""
    return Money(proof.statement_balance_minor, proof.currency)


def _proofs(organization_id: str, days: Period) -> list[dict[str, Any]]:
    return [
        {
            "reconciliationId": each.id,
            "faId": each.feed_account_id,
            "statementDate": each.statement_date.isoformat(),
            "statementBalance": str(stated(each)),
            "digest": each.digest,
            "holds": holds,
            **{name: _left_on(each, name) for name in ("outstanding", "inTransit")},
        }
        for each, holds in proofs(organization_id, days)
    ]


def _left_on(proof: Reconciliation, name: str) -> dict[str, Any]:
    """Count what only the books of a proof have, or only its statement."""
    amounts = [Money.of(each["amount"], proof.currency) for each in json.loads(proof.frozen or "{}")[name]]
    return {"count": len(amounts), "sum": str(sum(amounts, Money.zero(proof.currency)))}


def _revaluation(organization_id: str, day: date) -> dict[str, str]:
    verdict = revaluation_verdicts.of_day(organizations.get(organization_id), day)
    return {"state": str(verdict.state), "difference": str(verdict.difference)}


def acts_since(close: Close, frozen: Mapping[str, Any], judged: Judgement) -> list[CloseAct]:
    """List the acts after a close that moved what it froze: entries of its days, changes of accounts, proofs."""
    if close.approved_at is None or judged.verdict is CloseVerdict.HOLDS:
        return []
    of, proofs = close.organization_id, [str(each) for each in judged.proofs]
    posted = sa.select(JournalEntry.action_request_id).where(
        JournalEntry.organization_id == of,
        JournalEntry.number > int(frozen["lastNumber"]),
        JournalEntry.effective_on <= close.ends_on,
    )
    broken = sa.select(ProofBreak.action_request_id).where(
        ProofBreak.organization_id == of, ProofBreak.reconciliation_id.in_(judged.proofs)
    )
    # An act that is presented says which figure of a locked day it moved.
    moved = ActionRequest.after["lockedFigures"]["figure"].as_string().is_not(None)
    presented = sa.and_(ActionRequest.kind.in_(PRESENTING), moved)
    reopened = sa.and_(ActionRequest.kind.in_(REOPENING), ActionRequest.target_id.in_(proofs))
    rows = db.session.scalars(
        sa.select(ActionRequest)
        .where(
            ActionRequest.organization_id == of,
            ActionRequest.status == "EXECUTED",
            ActionRequest.id > act_id(close.approved_at, 0),
            sa.or_(ActionRequest.id.in_(posted), ActionRequest.id.in_(broken), presented, reopened),
        )
        .order_by(ActionRequest.id.desc())
        .limit(MOST_ACTS)
    )
    return [CloseAct(each.id, _name(each.actor), each.created_at, each.note, each.title) for each in rows]


def _name(actor: Mapping[str, Any]) -> str:
    return str(actor.get("name") or actor.get("kind"))
