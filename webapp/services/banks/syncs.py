"""A sync: a provider is asked for the new lines of a connection, and each account's are one push of its own."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from types import ModuleType
from typing import Any, Final, TypeVar
from zlib import crc32

import sqlalchemy as sa

from webapp.database.sessions import begin_write, db
from webapp.importers import providers
from webapp.importers.providers import AccountSelector, PayloadRefusedError, Push
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.ledger.matching.pushed_lines import minor_of
from webapp.models import BankConnection, ConnectedAccount, FeedAccount, FeedLine, Transaction, refers_to
from webapp.queries.access import organizations
from webapp.queries.accounts import feed_accounts
from webapp.queries.imports import bank_connections
from webapp.services.audit import action_requests
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.banks import enablebanking, simplefin
from webapp.services.banks.answers import (
    DAY,
    Claimed,
    ConsentNeededError,
    ProviderAnswer,
    ProviderRefusedError,
    ShownAccount,
    Way,
    Window,
)
from webapp.services.feeds import pushes
from webapp.services.feeds.incoming_lines import PushBody
from webapp.services.operating import jobs
from webapp.services.operating.outbound import (
    OutboundAddressError,
    OutboundClosedError,
    OutboundFailedError,
)
from webapp.services.storage import vault
from webapp.services.storage.vault import Owner, SecretLostError, VaultKeyError

#: The providers that are asked, each by its module.
PROVIDERS: Final[dict[str, ModuleType]] = {"simplefin": simplefin, "enablebanking": enablebanking}
OWNER: Final = "BANK_CONNECTION"
KIND: Final = "bank_connection"
# The days before a consent ends on which people are told; the last of them is noted under this name.
WARNINGS: Final = (1, 7, 14)
WARNED: Final = "warned"
SETUP, ACCESS = "setup", "access"
# Lines appear weeks after their day.
OVERLAP: Final = timedelta(days=45)
BETWEEN: Final = timedelta(hours=6)
AFTER_FAILURE: Final = timedelta(hours=1)
ASKED: Final = frozenset({"ACTIVE", "FAILING", "NEEDS_CONSENT"})
SERVER_ERROR: Final = 500
# What may be wrong with a provider or with the way to it; the books are as they were.
REFUSED = (
    ConsentNeededError,
    ProviderRefusedError,
    PayloadRefusedError,
    enablebanking.NotSetUpError,
    OutboundFailedError,
    OutboundClosedError,
    OutboundAddressError,
    SecretLostError,
    VaultKeyError,
)


Known = TypeVar("Known", ShownAccount, ConnectedAccount)


def owner(connection: BankConnection) -> Owner:
    """Name a connection to the vault."""
    return Owner(OWNER, connection.uid)


@dataclass(slots=True)
class Sync:
    """One sync of a connection; `store` commits a step, and `clock` tells the time."""

    organization_id: str
    connection_id: int
    way: Way
    store: Callable[[], None]
    clock: Callable[[], datetime]
    failed: set[str] = field(default_factory=set)
    attached: list[ShownAccount] = field(default_factory=list)

    def run(self) -> None:
        """Take what is new, and leave the last step for the caller to commit; a refusal is said on the connection."""
        try:
            told = self._ask()
        except REFUSED as error:
            db.session.rollback()
            self._note_refusal(error)
        else:
            if told is not None:
                self._note_success(told)

    def _ask(self) -> list[str] | None:
        """Ask for what is new, and give what the provider says of the connection; None where it is not asked now."""
        connection = self._connection()
        if connection.status not in ASKED:
            return None
        self._warn_of_consent(connection)
        windows = self._planned(connection)
        if windows is None:
            tomorrow = self.clock().replace(hour=0, minute=0, second=0, microsecond=0) + DAY
            self._want_next(connection, tomorrow)
            return None
        told: list[str] = []
        for answer in self._answers(connection, windows):
            told += answer.told
            for external_id in self._note_accounts(answer):
                told += self._take(external_id, answer)
        return list(dict.fromkeys(told))

    def _warn_of_consent(self, connection: BankConnection) -> None:
        """Tell once 14 days, 7 days and 1 day before the consent ends, by an event."""
        ends, now = connection.consent_ends_at, self.clock()
        due = next((days for days in WARNINGS if ends and ends - now <= days * DAY), None)
        if ends is None or due is None or due >= connection.settings.get(WARNED, due + 1):
            return
        actor = Actor(self.organization_id, "SYSTEM", None, connection.name)
        title = f"Warned that the consent for {connection.name} ends on {ends:%-d %b %Y}"
        payload = {"days": due, "endsAt": instant_text(ends)}
        with act(actor, now, "warn_bank_consent", (KIND, connection.id), title=title, payload=payload):
            connection.settings = {**connection.settings, WARNED: due}

    def _connection(self) -> BankConnection:
        begin_write(self.organization_id)
        return bank_connections.get(self.organization_id, self.connection_id)

    def _planned(self, connection: BankConnection) -> list[Window] | None:
        """Choose the windows to ask for and count the calls; None where no call is left today."""
        provider, now = PROVIDERS[connection.provider], self.clock()
        used = connection.calls if connection.calls_on == now.date() else 0
        left = provider.MOST_CALLS - used
        today = organizations.today(self.organization_id, now)
        attached = [each for each in bank_connections.accounts_of(connection) if each.feed_account_id]
        self.attached = [
            ShownAccount(each.external_id, each.name, each.currency, each.iban) for each in attached
        ]
        # What opens a connection works once and not for long, so that it does not wait for another day.
        opens = vault.has(owner(connection), SETUP)
        if left <= 0 and not opens and (attached or provider.CALLS_TO_SHOW):
            return None
        planned = list(windows(attached, today, provider.WINDOW_DAYS))[: max(left, 0)]
        connection.calls_on, connection.calls = now.date(), used + (len(planned) or provider.CALLS_TO_SHOW)
        return planned

    def _answers(self, connection: BankConnection, planned: Sequence[Window]) -> Iterator[ProviderAnswer]:
        """Ask outside any transaction, after a setup token that waits was claimed."""
        of, provider = owner(connection), PROVIDERS[connection.provider]
        setup = vault.find(of, SETUP)
        access = "" if setup else vault.get(of, ACCESS)
        self.store()
        if setup:
            access = self._claimed(provider, of, setup)
        yield from provider.answers(
            self.way, access, planned, lambda shown: same(shown, self.attached) is not None
        )

    def _claimed(self, provider: ModuleType, of: Owner, setup: str) -> str:
        """Claim a setup token, which works once: it is gone whatever comes of it, unless nobody answered."""
        try:
            claimed: Claimed = provider.claim(self.way, setup)
        except (ConsentNeededError, ProviderRefusedError) as error:
            self._connection()
            vault.drop(of, SETUP)
            is_open = vault.has(of, ACCESS)
            self.store()
            # What was let in before may still be.
            raise (ProviderRefusedError(str(error)) if is_open else error) from None
        connection = self._connection()
        vault.drop(of, SETUP)
        vault.put(of, ACCESS, claimed.access, now=self.clock())
        connection.consent_ends_at = claimed.ends_at
        connection.settings = {key: value for key, value in connection.settings.items() if key != WARNED}
        self.store()
        return claimed.access

    def _note_accounts(self, answer: ProviderAnswer) -> list[str]:
        """Note which accounts the provider shows, and list those that are attached."""
        connection = self._connection()
        rows = list(bank_connections.accounts_of(connection))
        found = []
        for shown in answer.accounts:
            row = same(shown, rows) or ConnectedAccount(
                organization_id=self.organization_id, connection_id=connection.id, created_at=self.clock()
            )
            row.external_id, row.name, row.currency = (
                shown.external_id,
                shown.name[:255],
                shown.currency[:255],
            )
            row.iban, row.mask = shown.iban, shown.mask
            row.balance_at = shown.balance_at or row.balance_at
            row.is_gone = False
            if shown.external_id not in self.failed:
                row.error = answer.said.get(shown.external_id)
            db.session.add(row)
            found.append(row)
        for row in rows:
            row.is_gone = row.is_gone or row not in found
        attached = [row.external_id for row in found if row.feed_account_id is not None]
        self.store()
        # A later window would hide what an earlier one lacks.
        return [each for each in attached if each in answer.payloads and each not in self.failed]

    def _take(self, external_id: str, answer: ProviderAnswer) -> list[str]:
        """Push the lines of one account, and say what is left out; what refuses them is said there alone."""
        left_out: list[str] = []
        try:
            connection = self._connection()
            left_out = self._push(connection, self._account(connection, external_id), answer)
        except LedgerError as error:
            if error.status >= SERVER_ERROR:
                raise
            db.session.rollback()
            action_requests.record_refusal(error)
            self.failed.add(external_id)
            self._account(self._connection(), external_id).error = str(error)
        self.store()
        return left_out

    def _account(self, connection: BankConnection, external_id: str) -> ConnectedAccount:
        return next(
            each for each in bank_connections.accounts_of(connection) if each.external_id == external_id
        )

    def _push(
        self, connection: BankConnection, account: ConnectedAccount, answer: ProviderAnswer
    ) -> list[str]:
        window, now = answer.window, self.clock()
        if window is None or account.feed_account_id is None or connection.status not in ASKED:
            return []
        feed_account = feed_accounts.get_with_books(self.organization_id, account.feed_account_id)
        payload = answer.payloads[account.external_id]
        selector = AccountSelector(account.external_id, None, feed_account.currency)
        today = organizations.today(self.organization_id, now)
        found = providers.PROVIDERS[connection.provider](payload, selector).without_nonsense(today)
        body = body_of(found, account, window)
        is_renumbered = False
        if account.is_renumbered:
            earlier, is_renumbered = renumbered(feed_account, body, window)
            body["removed"] = [*body["removed"], *earlier]
        digest = pushes.digest_of(body)
        if not window.is_last or digest != account.digest:
            account.batches += 1
            number = f"{connection.uid[:8]}-{account.id}-{account.batches}"
            body["batch_id"] = f"{number}-{window.first}-{window.end}-{digest[:16]}"
            pushes.push(
                feed_account,
                body,
                actor=Actor(self.organization_id, "SYSTEM", None, connection.name),
                now=now,
                provider=connection.provider,
                sent=json.dumps(payload, default=str).encode(),
            )
            account.digest = digest if window.is_last else None
        account.is_renumbered = is_renumbered or (account.is_renumbered and not window.is_last)
        account.fetched_until = min(window.end - DAY, today)
        return [f"In {account.name}: {sentence}" for sentence in found.left_out]

    def _note_success(self, told: Sequence[str]) -> None:
        connection, now = self._connection(), self.clock()
        connection.last_succeeded_at = now
        _say(connection, "provider_message" if told else None, " ".join(told), now)
        if connection.status in ASKED:
            connection.status = "ACTIVE"
            ahead = now + BETWEEN
            self._want_next(connection, ahead.replace(minute=crc32(connection.uid.encode()) % 60))

    def _note_refusal(self, error: LedgerError) -> None:
        connection, now = self._connection(), self.clock()
        needs_person = isinstance(error, ConsentNeededError | SecretLostError)
        _say(connection, error.code, str(error), now)
        if connection.status in ASKED:
            connection.status = "NEEDS_CONSENT" if needs_person else "FAILING"
            if not needs_person:
                self._want_next(connection, now + AFTER_FAILURE)

    def _want_next(self, connection: BankConnection, at: datetime) -> None:
        of, subject, now = self.organization_id, str(connection.id), self.clock()
        jobs.want(of, bank_connections.SYNC, now.isoformat(), subject=subject, at=at, now=now)


def _say(connection: BankConnection, code: str | None, sentence: str, now: datetime) -> None:
    connection.error_code, connection.error = code, sentence if code else None
    connection.error_at = now if code else None


def same(shown: ShownAccount, rows: Sequence[Known]) -> Known | None:
    """Find the account that is shown again: by its IBAN, or else by the provider's id."""
    by_iban = (
        each for each in rows if shown.iban and each.iban == shown.iban and each.currency == shown.currency
    )
    by_id = (each for each in rows if each.external_id == shown.external_id)
    return next(by_iban, None) or next(by_id, None)


def windows(attached: Sequence[ConnectedAccount], today: date, days: int) -> Iterator[Window]:
    """Part the days to ask for, so that none has more than a provider gives, and each is asked for again for weeks."""
    starts = [
        max(each.fetch_from or today, each.fetched_until - OVERLAP)
        if each.fetched_until
        else each.fetch_from or today
        for each in attached
    ]
    if not starts:
        return
    # It is tomorrow already somewhere, and the end is not included.
    first, end = min(starts), today + 2 * DAY
    while first < end:
        until = min(first + timedelta(days=days), end)
        yield Window(first, until, until == end)
        first = until


def renumbered(feed_account: FeedAccount, body: PushBody, window: Window) -> tuple[list[str], bool]:
    """Find the ids by which lines were known that come under others now: of the same day and amount, one for one.

    Answers also whether lines are left that do not come now, and may come later under other ids.
    """
    sent = {each.provider_transaction_id for each in body["added"]}
    old: dict[tuple[date, int], list[str]] = defaultdict(list)
    for name, day, minor in db.session.execute(
        sa.select(FeedLine.provider_transaction_id, Transaction.booked_on, Transaction.amount_minor)
        .join(Transaction, refers_to(FeedLine.transaction_id, Transaction))
        .where(
            refers_to(FeedLine.feed_account_id, feed_account),
            FeedLine.event != "REMOVED",
            FeedLine.is_pending.is_(False),
            Transaction.booked_on >= window.first,
            Transaction.booked_on < window.end,
        )
        .order_by(FeedLine.transaction_id.desc())
    ):
        old[day, minor].append(name)
    known = {name for names in old.values() for name in names}
    gone = {key: [name for name in names if name not in sent] for key, names in old.items()}
    found = []
    for each in body["added"]:
        names = gone.get((each.booked_on, minor_of(each.amount, feed_account.currency)))
        if names and not each.pending and each.provider_transaction_id not in known:
            found.append(names.pop())
    return found, any(gone.values())


def body_of(found: Push, account: ConnectedAccount, window: Window) -> PushBody:
    """Make the body of a push of what a reader found, from the first day on that somebody wants."""
    first, balance = account.fetch_from or date.min, found.balance
    stated: Any = balance and {"amount": balance.amount, "currency": balance.currency, "as_of": balance.as_of}
    return {
        "batch_id": "",
        "added": [each for each in found.added if each.booked_on >= first],
        "modified": [],
        "removed": list(found.removed),
        "balance": stated,
        # Only the newest window tells of all that is pending.
        "pending_until": found.pending_until if window.is_last else None,
    }
