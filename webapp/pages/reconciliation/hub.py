"""The hub: every bank account, and how it stands with its bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from flask import Blueprint, Response, request

from webapp import queries
from webapp.ledger.money import Money
from webapp.ledger.rates import mirror
from webapp.queries.reconciliation.hub import HubRecord
from webapp.schemas.addresses import HubPageQuerySchema
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.rendering.htmx import render

bp = Blueprint("hub", __name__)

ORDER = ("broken", "needs", "never", "reconciled")
LATELY = 6


@bp.get("/")
@requires("read")
def index() -> Response:
    """Show the hub as of a day."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    as_of = HubPageQuerySchema().load(request.args)["as_of"] or today
    accounts = sorted(queries.reconciliation.hub.accounts(organization_id(), as_of=as_of), key=standing_of)
    base = {account.fa_id: in_base(account, as_of) for account in accounts}
    return render(
        "hub/index.html",
        accounts=[shown(account, base[account.fa_id]) for account in accounts],
        summary=summary(accounts),
        total=total(accounts, base),
        as_of=as_of,
        today=today,
        balances=queries.reports.sparklines.balances(organization_id(), as_of, known_balances(accounts)),
        watched=queries.transfers.watched.watched(organization_id()),
        recent=queries.audit.action_requests.listed(
            organization_id(), now=requests.now(), after=None, limit=LATELY
        ).items,
    )


def standing_of(account: HubRecord) -> tuple[int, str]:
    """Order accounts by what they need: broken, needs, never, reconciled; then by name."""
    return ORDER.index(status_word(account)), account.account_name.casefold()


def status_word(account: HubRecord) -> str:
    """Tell a broken proof apart from one that only waits for the next statement."""
    return "broken" if account.broken is not None else account.status


def summary(accounts: Sequence[HubRecord]) -> dict[str, int]:
    """Count how the accounts stand."""
    counted = Counter(status_word(account) for account in accounts)
    return {"total": len(accounts), **{word: counted[word] for word in ORDER}}


def shown(account: HubRecord, base: Money | None) -> dict[str, Any]:
    """Give a hub record together with its bank balance in the base currency, where that is another one."""
    names = ("fa_id", "account_name", "account_type", "mask", "institution_name", "status", "anchor", "draft")
    counts = (
        "unreconciled_count",
        "unconfirmed_count",
        "provider_balance",
        "broken",
        "paused_at",
        "paused_reason",
    )
    is_foreign = account.currency != principal().base_currency
    return {
        **{name: getattr(account, name) for name in (*names, *counts)},
        "provider_balance_base": base if is_foreign else None,
    }


def in_base(account: HubRecord, as_of: date) -> Money | None:
    """Mirror an account's bank balance in the base currency at the rate of the day."""
    balance, base = account.provider_balance, principal().base_currency
    if balance is None or balance.amount is None:
        return None
    rate = queries.currencies.exchange_rates.rate_on(organization_id(), account.currency, base, as_of)
    return None if rate is None else Money(mirror(balance.amount.minor, account.currency, base, rate), base)


def total(accounts: Sequence[HubRecord], base: dict[int, Money | None]) -> dict[str, Any]:
    """Sum all accounts in the base currency; unknown as soon as one of them is."""
    known = [amount for amount in base.values() if amount is not None]
    currency = principal().base_currency
    return {
        "amount": sum(known, start=Money.zero(currency)) if len(known) == len(base) else None,
        "unreconciled_count": sum(account.unreconciled_count for account in accounts),
        "unconfirmed_count": sum(account.unconfirmed_count for account in accounts),
    }


def known_balances(accounts: Sequence[HubRecord]) -> dict[int, int]:
    """Give the bank balances that are known, in minor units."""
    return {
        account.fa_id: account.provider_balance.amount.minor
        for account in accounts
        if account.provider_balance is not None and account.provider_balance.amount is not None
    }
