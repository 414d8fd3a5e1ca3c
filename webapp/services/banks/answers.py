"""What a provider answers about the accounts of a connection, and how it refuses, whoever it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from webapp.ledger.errors import LedgerError
from webapp.services.operating.outbound import Gate

MOST_BYTES: Final = 64 * 1024 * 1024
PATIENCE_SECONDS: Final = 60.0
DAY: Final = timedelta(days=1)
WEEK: Final = 7 * DAY


class ConsentNeededError(LedgerError):
    """The bank does not let this connection in any more; renew it."""

    code = "needs_consent"


class ProviderRefusedError(LedgerError):
    """The provider refuses to answer; look at your account there."""

    code = "provider_refused"


class Application(NamedTuple):
    """The operator's own application at Enable Banking: its id, and its private key in PEM; both empty for none."""

    id: str = ""
    key: str = ""


class Way(NamedTuple):
    """How providers are reached, and when: through the gate, as the application where one asks for that."""

    gate: Gate
    application: Application
    now: datetime


class Claimed(NamedTuple):
    """What opens a connection from now on, and when the consent to it ends."""

    access: str
    ends_at: datetime | None = None


class Window(NamedTuple):
    """The days to ask for, the last one not included; the newest window of a sync `is_last`."""

    first: date
    end: date
    is_last: bool


class ShownAccount(NamedTuple):
    """An account as the provider shows it; `currency` is as it writes it, `balance_at` when its balance was so."""

    external_id: str
    name: str
    currency: str
    iban: str | None = None
    mask: str | None = None
    balance_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """The accounts of a connection, the payloads for their reader of those asked for, and what the provider says.

    `said` are its sentences about single accounts by their ids, `told` those about the connection.
    """

    window: Window | None
    accounts: list[ShownAccount]
    payloads: Mapping[str, Any] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
