"""Connections to providers: made, renewed in place, paused and ended by people, with what becomes of each account."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, NotRequired, TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.currencies import canonical
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.models import BankConnection, ConnectedAccount, FeedAccount
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.imports import bank_connections
from webapp.services.accounts import feed_accounts
from webapp.services.accounts.feed_accounts import Opening
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import NothingToChangeError
from webapp.services.banks import enablebanking, simplefin, syncs
from webapp.services.banks.syncs import KIND
from webapp.services.operating import jobs
from webapp.services.operating.jobs import JobRunsError
from webapp.services.storage import vault

#: What each provider needs, in the words of the API, and what to know of it.
PROVIDERS: Final = (
    {
        "provider": "simplefin",
        "name": simplefin.NAME,
        "needs": ["setupToken"],
        "note": "SimpleFIN reaches banks of the United States and Canada. Make a setup token at its bridge and paste it"
        " here; it works once. This was never tried against the live service.",
    },
    {
        "provider": "enablebanking",
        "name": enablebanking.NAME,
        "needs": ["country", "bank", "psuType"],
        "note": "Enable Banking reaches banks of Europe by an application of your own, which the operator of this"
        " server sets up. You give your consent at the bank. This was never tried against the live service.",
    },
)
FETCHED: Final = timedelta(days=90)


class ConnectionEndedError(LedgerError):
    """This connection has ended; connect the bank anew."""

    code = "connection_ended"


class AccountAttachedError(LedgerError):
    """Another account of a connection brings the lines of this bank account; leave that one alone first."""

    code = "account_attached"


class ConnectionInput(TypedDict):
    """A new connection with what its provider needs: a setup token, or the bank that gives a consent."""

    provider: str
    name: str
    setup_token: NotRequired[str]
    country: NotRequired[str]
    bank: NotRequired[str]
    psu_type: NotRequired[str]


class ConnectedChoice(TypedDict):
    """What becomes of an account that a connection shows: attached, opened in the books, or left alone."""

    external_id: str
    fa_id: NotRequired[int | None]
    opens: NotRequired[bool]
    is_left: NotRequired[bool]
    type: NotRequired[str]
    fetch_from: NotRequired[date | None]


class ConnectionChanges(TypedDict, total=False):
    """The fields of a connection that were sent; accounts that are not named stay as they are."""

    name: str
    is_paused: bool
    accounts: Sequence[ConnectedChoice]


def connect(facts: ConnectionInput, *, actor: Actor, now: datetime) -> BankConnection:
    """Make a connection, whose setup token the worker claims at once, or which waits for a consent.

    Raises UnprocessableError for what its provider needs, or SetupTokenError.
    """
    needs = next(each["needs"] for each in PROVIDERS if each["provider"] == facts["provider"])
    sent = {camel(name): value for name, value in facts.items()}
    missing = {name: ["This provider needs it."] for name in needs if not sent.get(name)}
    if missing:
        raise UnprocessableError(f"Send {' and '.join(missing)}.", fields=missing)
    token = facts.get("setup_token") if facts["provider"] == "simplefin" else None
    if token:
        simplefin.claim_address(token)
    title = f"Connected {facts['name']}"
    payload = {"provider": facts["provider"], "name": facts["name"]}
    with act(actor, now, "connect_bank", (KIND, "new"), title=title, payload=payload) as doing:
        connection = BankConnection(
            organization_id=actor.organization_id,
            uid=vault.new_uid(),
            provider=facts["provider"],
            name=facts["name"],
            status="ACTIVE" if token else "NEEDS_CONSENT",
            settings={} if token else {name: sent[name] for name in needs},
            created_at=now,
        )
        db.session.add(connection)
        db.session.flush()
        if token:
            vault.put(syncs.owner(connection), syncs.SETUP, token, now=now)
            _ask_soon(connection, now)
        doing.target_id = str(connection.id)
        doing.after = state(connection)
    return connection


def renew(connection: BankConnection, opens: str, *, actor: Actor, now: datetime) -> BankConnection:
    """Put a new setup token, or the code of a new consent, in the place of the secret; the accounts stay attached."""
    if connection.provider == "simplefin":
        simplefin.claim_address(opens)
    title = f"Renewed the connection {connection.name}"
    with act(actor, now, "renew_bank_connection", (KIND, connection.id), title=title) as doing:
        _refuse_ended(connection)
        vault.put(syncs.owner(connection), syncs.SETUP, opens, now=now)
        connection.status = "ACTIVE"
        # After a new consent a bank may give its lines other ids.
        for each in bank_connections.accounts_of(connection):
            each.is_renumbered = each.feed_account_id is not None
        _ask_soon(connection, now)
        doing.after = state(connection)
    return connection


def change(
    connection: BankConnection, changes: ConnectionChanges, *, actor: Actor, now: datetime
) -> BankConnection:
    """Rename or pause a connection, or choose what becomes of its accounts."""
    title = f"Changed the connection {connection.name}"
    payload = {camel(name): value for name, value in changes.items() if name != "accounts"}
    payload["accounts"] = [
        {camel(name): value for name, value in each.items()} for each in changes.get("accounts", ())
    ]
    with act(
        actor, now, "change_bank_connection", (KIND, connection.id), title=title, payload=_in_json(payload)
    ) as doing:
        _refuse_ended(connection)
        if not changes:
            raise NothingToChangeError
        doing.before = state(connection)
        connection.name = changes.get("name", connection.name)
        if "is_paused" in changes:
            _pause(connection, now, is_paused=changes["is_paused"])
        for choice in changes.get("accounts", ()):
            _choose(connection, choice, now)
        db.session.flush()
        doing.after = state(connection)
        if doing.before == doing.after:
            doing.nothing_to_do()
        elif connection.status != "PAUSED":
            _ask_soon(connection, now)
    return connection


def end(connection: BankConnection, *, actor: Actor, now: datetime) -> BankConnection:
    """End a connection: its secrets go, and the bank accounts stay with all their lines."""
    title = f"Ended the connection {connection.name}"
    with act(actor, now, "end_bank_connection", (KIND, connection.id), title=title) as doing:
        if connection.status == "ENDED":
            doing.nothing_to_do()
            return connection
        doing.before = state(connection)
        vault.drop(syncs.owner(connection))
        jobs.drop(connection.organization_id, bank_connections.SYNC, str(connection.id))
        connection.status = "ENDED"
        for each in bank_connections.accounts_of(connection):
            each.feed_account_id = None
        db.session.flush()
        doing.after = state(connection)
    return connection


def sync(connection: BankConnection, *, actor: Actor, now: datetime) -> int:
    """Let a connection be asked at once, and give its job; raises JobRunsError while one runs."""
    title = f"Asked {connection.name} for new lines"
    with act(actor, now, "sync_bank_connection", (KIND, connection.id), title=title):
        _refuse_ended(connection)
        return jobs.want_now(connection.organization_id, bank_connections.SYNC, str(connection.id), now)


def state(connection: BankConnection) -> dict[str, object]:
    """Give what the audit trail keeps of a connection, in JSON."""
    return {
        "provider": connection.provider,
        "name": connection.name,
        "status": connection.status,
        "accounts": [
            {
                "externalId": each.external_id,
                "name": each.name,
                "faId": each.feed_account_id,
                "isLeft": each.is_left,
                "fetchFrom": each.fetch_from and each.fetch_from.isoformat(),
            }
            for each in bank_connections.accounts_of(connection)
        ],
    }


def _in_json(payload: dict[str, object]) -> dict[str, object]:
    choices: list[dict[str, object]] = payload["accounts"]  # type: ignore[assignment]
    for each in choices:
        if isinstance(each.get("fetchFrom"), date):
            each["fetchFrom"] = str(each["fetchFrom"])
    return payload


def _refuse_ended(connection: BankConnection) -> None:
    if connection.status == "ENDED":
        raise ConnectionEndedError


def _ask_soon(connection: BankConnection, now: datetime) -> None:
    """Let the worker ask once this is committed; where it asks already, once more."""
    of, subject = connection.organization_id, str(connection.id)
    try:
        jobs.want_now(of, bank_connections.SYNC, subject, now)
    except JobRunsError:
        jobs.want(of, bank_connections.SYNC, now.isoformat(), subject=subject, at=now, now=now)


def _pause(connection: BankConnection, now: datetime, *, is_paused: bool) -> None:
    if is_paused:
        connection.status = "PAUSED"
        jobs.drop(connection.organization_id, bank_connections.SYNC, str(connection.id))
    elif connection.status == "PAUSED":
        connection.status = "ACTIVE"
        _ask_soon(connection, now)


def _choose(connection: BankConnection, choice: ConnectedChoice, now: datetime) -> None:
    path = f"accounts.{choice['external_id']}"
    found = [
        each for each in bank_connections.accounts_of(connection) if each.external_id == choice["external_id"]
    ]
    if not found:
        fault = "The provider shows no such account."
        raise UnprocessableError(fault, fields={path: [fault]})
    account = found[0]
    if "fetch_from" in choice:
        account.fetch_from = choice["fetch_from"]
        account.fetched_until = None
    fa_id = choice.get("fa_id")
    if choice.get("opens") and account.feed_account_id is None:
        fa_id = _opened(connection, account, choice.get("type"), now)
    if fa_id is not None:
        _attach(account, lookups.refer(FeedAccount, connection.organization_id, fa_id, path), now)
    elif choice.get("is_left") or "fa_id" in choice:
        account.feed_account_id, account.is_left = None, True


def _opened(connection: BankConnection, account: ConnectedAccount, type_: str | None, now: datetime) -> int:
    opening = Opening(
        name=account.name,
        currency=_currency(account),
        type=type_,
        external_id=account.iban or account.external_id,
        institution_name=connection.settings.get("bank"),
    )
    opened = feed_accounts.open_account(account.organization_id, opening, now=now)
    # Without an IBAN it has the provider's id, whose end nobody knows as that of a number.
    opened.mask = account.mask
    return opened.id


def _currency(account: ConnectedAccount) -> str:
    try:
        return canonical(account.currency)
    except LedgerError:
        raise UnprocessableError(
            f"{cited(account.name)} is in {cited(account.currency)}, which is no currency of ISO 4217."
        ) from None


def _attach(account: ConnectedAccount, feed_account: FeedAccount, now: datetime) -> None:
    """Let an account bring the lines of a bank account, in the place of one that its provider shows no more."""
    if _currency(account) != feed_account.currency:
        raise UnprocessableError(
            f"{cited(account.name)} is in {account.currency}, "
            f"and {cited(feed_account.name)} in {feed_account.currency}."
        )
    other = db.session.scalar(
        sa.select(ConnectedAccount).where(
            ConnectedAccount.organization_id == account.organization_id,
            ConnectedAccount.feed_account_id == feed_account.id,
            ConnectedAccount.id != account.id,
        )
    )
    if other is not None:
        if not other.is_gone:
            raise AccountAttachedError(
                f"{cited(other.name)} brings the lines of {cited(feed_account.name)}; leave that one alone first."
            )
        other.feed_account_id, other.is_left = None, True
        account.fetch_from = account.fetch_from or other.fetch_from
        account.fetched_until, account.is_renumbered = other.fetched_until, True
        db.session.flush()
    account.feed_account_id, account.is_left = feed_account.id, False
    if account.fetch_from is None:
        account.fetch_from = organizations.today(account.organization_id, now) - FETCHED
