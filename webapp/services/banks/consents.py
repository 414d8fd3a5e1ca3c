"""Consents that people give at their banks: each begins with a state of ours, with which the browser comes back."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final
from urllib.parse import parse_qs, urlsplit

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.models import BankConnection
from webapp.queries.access.principals import digest_of
from webapp.services.banks.connections import ConnectionEndedError

LIFETIME: Final = timedelta(hours=1)
STATE, ENDS = "state", "stateEndsAt"


class ConsentOverError(UnprocessableError):
    """This answers no consent that was begun here in the last hour; begin it again."""

    code = "consent_over"


class ConsentRefusedError(UnprocessableError):
    """The bank gave no consent; begin it again."""

    code = "consent_refused"


class NoConsentError(UnprocessableError):
    """A setup token opens this connection; send one."""

    code = "no_consent"


def begin(connection: BankConnection, now: datetime) -> str:
    """Let a consent begin in the place of an earlier one, and give its state, which works once."""
    if connection.status == "ENDED":
        raise ConnectionEndedError
    if "bank" not in connection.settings:
        raise NoConsentError
    state = f"{connection.organization_id}.{connection.id}.{secrets.token_urlsafe(32)}"
    ends_at = (now + LIFETIME).isoformat()
    connection.settings = {**connection.settings, STATE: digest_of(state), ENDS: ends_at}
    return state


def place_of(state: str) -> tuple[str, int]:
    """Read the organization and the connection that a state names; raises ConsentOverError."""
    organization_id, _, rest = state.partition(".")
    number = rest.partition(".")[0]
    if not (organization_id and number.isascii() and number.isdecimal()):
        raise ConsentOverError
    return organization_id, int(number)


def code_of(connection: BankConnection, sent: Mapping[str, str], now: datetime) -> str:
    """Take the code out of what a bank sent the browser back with, and end the state.

    Raises ConsentOverError or ConsentRefusedError.
    """
    known, ends_at = connection.settings.get(STATE, ""), connection.settings.get(ENDS, "")
    if not compare_digest(digest_of(sent.get("state", "")), known) or now.isoformat() > ends_at:
        raise ConsentOverError
    connection.settings = {
        key: value for key, value in connection.settings.items() if key not in {STATE, ENDS}
    }
    code = sent.get("code")
    if not code:
        said = sent.get("error_description") or sent.get("error") or ""
        raise ConsentRefusedError(f"The bank gave no consent: {cited(said)}." if said else None)
    return code


def copied(connection: BankConnection, text: str, now: datetime) -> str:
    """Take the code out of the address that a person copied; a text that is no address is the code."""
    if not text.startswith(("http://", "https://")):
        return text
    sent = {name: values[0] for name, values in parse_qs(urlsplit(text).query).items()}
    return code_of(connection, sent, now)
