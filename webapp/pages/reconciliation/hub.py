"""The hub: every bank account with its balance, its reconciliation status, and the repair of a broken proof."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from flask import Blueprint, Response, current_app, request, url_for

from webapp import queries, services
from webapp.config import Settings
from webapp.ledger.money import Money
from webapp.ledger.rates import mirror
from webapp.queries.audit.activity import Acts
from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.culprits import Culprit, Culprits
from webapp.queries.reconciliation.hub import HubRecord
from webapp.queries.tax.periods import DueReturn
from webapp.queries.transfers.watched import WatchedAccount
from webapp.schemas.addresses import HubPageQuerySchema
from webapp.services.backups import records
from webapp.services.operating import diagnosis
from webapp.services.operating.machine import Symptom
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal, requires, settings
from webapp.web.rendering.htmx import redirect_to, render

bp = Blueprint("hub", __name__)

ORDER = ("broken", "needs", "never", "reconciled")
RECENT_ACTS = 6
# So many ticks in a row leave room for other acts beside them.
MOST_TICKS = 10
# A return waits for a person so long before it is due.
NOTICE_OF_RETURNS = timedelta(days=31)


@bp.get("/")
@requires("read")
def index() -> Response:
    """Show the hub as of a day."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    as_of = HubPageQuerySchema().load(request.args)["as_of"] or today
    accounts = sorted(queries.reconciliation.hub.accounts(organization_id(), as_of=as_of), key=sort_key)
    base = {account.fa_id: in_base(account, as_of) for account in accounts}
    causes = [account.broken.broken_by for account in accounts if account.broken is not None]
    culprits = queries.reconciliation.culprits.of_causes(organization_id(), causes)
    return render(
        "hub/index.html",
        accounts=[shown(account, base[account.fa_id]) | breach(account, culprits) for account in accounts],
        summary=summary(accounts),
        total=total(accounts, base),
        as_of=as_of,
        today=today,
        balances=queries.accounts.balances.closing_balances(
            organization_id(), as_of, stated_balances(accounts)
        ),
        **waiting_in(accounts)._asdict(),
        lines=queries.transactions.waiting_lines.of_accounts(organization_id(), accounts),
        warnings=[
            each.warning for each in queries.currencies.revaluation_verdicts.to_mend(organization_id(), today)
        ],
        lock_date=queries.access.organizations.get(organization_id()).lock_date,
        recent=recent(),
        steps=first_steps(),
        backups=backup_symptom(),
        failed_jobs=queries.access.jobs.count_failed(organization_id()) if is_owner() else 0,
        troubles=[*queries.imports.bank_connections.troubles(organization_id(), requests.now())],
        comes_back=bool(settings().public_url),
        since=queries.audit.book_moves.last_act(organization_id()),
    )


@bp.post("/steps/hide")
@requires("read", session_only=True)
def hide_steps() -> Response:
    """Leave the first steps out of the viewer's hub."""
    services.access.own_sign_in.hide_steps(organization_id(), principal().user_id)
    return redirect_to(url_for("hub.index"))


def first_steps() -> list[dict[str, Any]]:
    """List the first steps with whether they were taken; none once all are, or the viewer hid them."""
    if principal().hides_steps or principal().is_demo or "draft" not in principal().scopes:
        return []
    taken = queries.reconciliation.hub.steps_taken(organization_id())
    if is_owner():
        taken["backup"] = "made" in records.noted(settings().instance_path)
    return [] if all(taken.values()) else [{"name": name, "is_taken": done} for name, done in taken.items()]


def is_owner() -> bool:
    """Return whether the viewer may change the settings."""
    return "admin" in principal().scopes


def backup_symptom() -> Symptom | None:
    """Give an owner what is wrong with the backups, unless one of them hides it."""
    if not is_owner():
        return None
    settings: Settings = current_app.config["SETTINGS"]
    return diagnosis.of_hub(settings.instance_path, requests.now())


class Waiting(NamedTuple):
    """What waits for a person beside the proposals, which `todo_count` has as well: a thing counts once."""

    inbox_count: int
    watched: Sequence[WatchedAccount]
    due_returns: Sequence[DueReturn]
    todo_count: int


def waiting_in(accounts: Sequence[HubRecord]) -> Waiting:
    """Find what waits in the books that have these accounts."""
    inbox_count = queries.documents.inbox_files.count(organization_id())
    watched = [each for each in queries.transfers.watched.watched(organization_id()) if each.open_items]
    broken = [each for each in accounts if each.broken is not None]
    unconfirmed = [each for each in accounts if each.unconfirmed_count]
    today = queries.access.organizations.today(organization_id(), requests.now())
    due = queries.tax.periods.due(organization_id(), today + NOTICE_OF_RETURNS)
    things = principal().waiting, inbox_count, len(watched), len(broken), len(unconfirmed), len(due)
    return Waiting(inbox_count, watched, due, sum(things))


def recent() -> list[Acts]:
    """The newest acts; the ticks of a statement that follow each other are one."""
    found: list[Acts] = []
    # Ticks are rare: mostly each act stands alone, and one more shows that the last one does.
    for limit in (RECENT_ACTS + 1, RECENT_ACTS * MOST_TICKS):
        newest = queries.audit.action_requests.listed(
            organization_id(), now=requests.now(), after=None, limit=limit
        )
        found = queries.audit.activity.grouped(newest.items)
        if newest.next_key is None or len(found) > RECENT_ACTS:
            break
    return found[:RECENT_ACTS]


def sort_key(account: HubRecord) -> tuple[int, str]:
    """Order accounts by what they need: broken, needs, never, reconciled; then by name."""
    return ORDER.index(status_of(account)), account.account_name.casefold()


def status_of(account: HubRecord) -> str:
    """The status of an account, with `broken` for a broken proof."""
    return "broken" if account.broken is not None else account.status


def summary(accounts: Sequence[HubRecord]) -> dict[str, int]:
    """Count the accounts by status."""
    counted = Counter(status_of(account) for account in accounts)
    return {"total": len(accounts), **{status: counted[status] for status in ORDER}}


def shown(account: HubRecord, base: Money | None) -> dict[str, Any]:
    """A hub record with its bank balance in the base currency, if that is another one."""
    names = (
        "fa_id",
        "account_id",
        "account_name",
        "account_type",
        "mask",
        "institution_name",
        "status",
        "anchor",
        "draft",
    )
    counts = (
        "unreconciled_count",
        "unconfirmed_count",
        "provider_balance",
        "broken",
        "uncleared_entries",
        "paused_at",
        "paused_reason",
    )
    is_foreign = account.currency != principal().base_currency
    return {
        **{name: getattr(account, name) for name in (*names, *counts)},
        "provider_balance_base": base if is_foreign else None,
    }


def breach(account: HubRecord, culprits: Culprits) -> dict[str, Any]:
    """What broke the proof of an account, and its repair; nothing where its proofs hold."""
    cause = account.broken.broken_by if account.broken is not None else None
    if cause is None:
        return {}
    culprit = culprits.get((cause.transaction_id, cause.journal_entry_id))
    return {"culprit": culprit, "repair": repair_of(cause, culprit, principal().scopes)}


def in_base(account: HubRecord, as_of: date) -> Money | None:
    """An account's bank balance in the base currency at the rate of the day; None where one is unknown."""
    balance, base = account.provider_balance, principal().base_currency
    if balance is None or balance.amount is None:
        return None
    rate = queries.currencies.exchange_rates.rate_on(organization_id(), account.currency, base, as_of)
    return None if rate is None else Money(mirror(balance.amount.minor, account.currency, base, rate), base)


def total(accounts: Sequence[HubRecord], base: dict[int, Money | None]) -> dict[str, Any]:
    """The sum of all accounts in the base currency; unknown if one of them is, with the reason of each."""
    amounts = [amount for amount in base.values() if amount is not None]
    currency = principal().base_currency
    missing = [account for account in accounts if base[account.fa_id] is None]
    return {
        "amount": None if missing else sum(amounts, start=Money.zero(currency)),
        "missing": [
            f"{account.account_name} has no balance yet"
            if account.provider_balance is None or account.provider_balance.amount is None
            else f"{account.currency} has no rate on this day"
            for account in missing
        ],
        "unreconciled_count": sum(account.unreconciled_count for account in accounts),
        "unconfirmed_count": sum(account.unconfirmed_count for account in accounts),
    }


def stated_balances(accounts: Sequence[HubRecord]) -> dict[int, int]:
    """The bank balances in minor units, of accounts that have one."""
    return {
        account.fa_id: account.provider_balance.amount.minor
        for account in accounts
        if account.provider_balance is not None and account.provider_balance.amount is not None
    }


class Repair(NamedTuple):
    """What the card does, what follows, and where it leads."""

    act: str
    consequence: str
    address: str


def repair_of(cause: BrokenBy, culprit: Culprit | None, can: Collection[str]) -> Repair | None:
    """The repair of what broke a proof, as far as the viewer may do it; None where the culprit is gone."""
    if culprit is None:
        return None
    if culprit.fa_id is not None and cause.transaction_id is not None:
        return _of_line(cause, cause.transaction_id, culprit, can)
    entry_id = cause.journal_entry_id
    if entry_id is None:
        return None
    if cause.field == "arrival" and culprit.entry_status == "POSTED" and "confirm" in can:
        return Repair(
            f"Void entry {entry_id}", "Its reversal cancels it; the proof is valid again", _void(entry_id)
        )
    if cause.field == "entryStatus":
        return Repair(f"Open entry {entry_id}", "Write it again, then reopen the proof", _entry(entry_id))
    return Repair(
        f"Open entry {entry_id}", "Put it back as it was; the proof is valid again", _entry(entry_id)
    )


def _of_line(cause: BrokenBy, line_id: int, culprit: Culprit, can: Collection[str]) -> Repair:
    def at(edit: str | None, show: str | None = None) -> str:
        # A browser gives the focus to nothing where an address has a fragment.
        return url_for("feed_accounts.show", fa_id=culprit.fa_id, show=show, line=line_id, edit=edit)

    entry_id, is_draft = cause.journal_entry_id, culprit.entry_status == "DRAFT"
    if culprit.line_status in ("REMOVED", "DELETED") and "draft" in can:
        return Repair("Restore the line", "Restored and confirmed, it counts again", at("restore", "all"))
    if cause.field == "entryStatus" and is_draft and "confirm" in can:
        after = "Posts it again; the proof is valid again"
        return Repair("Confirm the line again", after, at("confirm", "unconfirmed"))
    if cause.field == "arrival" and is_draft and "draft" in can:
        after = "It no longer counts; the proof is valid again"
        return Repair("Leave the line out of the books", after, at("delete", "unconfirmed"))
    if cause.field == "arrival" and entry_id is not None and "confirm" in can:
        after = "Then leave its line out; the proof is valid again"
        return Repair(f"Void entry {entry_id}", after, _void(entry_id))
    return Repair(
        "Open the line", "Take the first values of the bank; the proof is valid again", at(None, "all")
    )


def _entry(entry_id: int) -> str:
    return url_for("journal_entries.show", entry_id=entry_id)


def _void(entry_id: int) -> str:
    return url_for("journal_entries.show", entry_id=entry_id, act="void")
