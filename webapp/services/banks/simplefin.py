"""SimpleFIN: a setup token is claimed once for an address that holds the secret: https://www.simplefin.org/protocol.html."""

import http.client
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from webapp.importers import providers
from webapp.importers.providers import PayloadRefusedError
from webapp.importers.providers.payloads import PayloadObject, cut, records
from webapp.ledger.errors import UnprocessableError
from webapp.services.banks.answers import (
    DAY,
    MOST_BYTES,
    PATIENCE_SECONDS,
    WEEK,
    Claimed,
    ConsentNeededError,
    ProviderAnswer,
    ProviderRefusedError,
    ShownAccount,
    Way,
    Window,
)
from webapp.services.operating.outbound import HOST, OutboundFailedError

NAME: Final = "SimpleFIN"
# The bridge's own rule is 24 on a day, of which one claims a token; and the days of one call.
MOST_CALLS: Final = 23
CALLS_TO_SHOW: Final = 1
WINDOW_DAYS: Final = 90
LONGEST_ADDRESS: Final = 2000
_MASK: Final = re.compile(r"(\d{4})\D*$")


class SetupTokenError(UnprocessableError):
    """This is no setup token of SimpleFIN; copy all of it."""

    code = "setup_token"


def claim_address(setup_token: str) -> str:
    """Read the address at which a setup token is claimed; raises SetupTokenError."""
    try:
        address = b64decode("".join(setup_token.split()), validate=True).decode("ascii").strip()
        parts = urlsplit(address)
    except ValueError:
        raise SetupTokenError from None
    if parts.scheme != "https" or not HOST.fullmatch(parts.hostname or "") or parts.username is not None:
        raise SetupTokenError
    return address


def claim(way: Way, setup_token: str) -> Claimed:
    """Claim a setup token, which works once, for the address that holds the secret."""
    address = claim_address(setup_token)
    host = urlsplit(address).hostname or ""
    # Some servers refuse a POST that does not say how long its empty body is.
    status, data = way.gate.call(
        "POST",
        address,
        {host},
        headers={"Content-Length": "0"},
        most_bytes=LONGEST_ADDRESS,
        seconds=PATIENCE_SECONDS,
    )
    if status == http.client.FORBIDDEN:
        raise ConsentNeededError(
            "This setup token was claimed before, or somebody took it back. Make a new one at the bridge; if you have "
            "not used this one yourself, tell the bridge that somebody else has it."
        )
    _refuse(host, status)
    access = data.decode("ascii", "replace").strip()
    parts = urlsplit(access)
    if parts.scheme != "https" or not parts.password or not HOST.fullmatch(parts.hostname or ""):
        raise ProviderRefusedError(f"{host} gave no address for this setup token. Make a new one.")
    return Claimed(access)


def answers(
    way: Way, access: str, windows: Sequence[Window], _wanted: Callable[[ShownAccount], bool]
) -> Iterator[ProviderAnswer]:
    """Ask for all accounts: once for each window with lines, or once without lines where there is none."""
    for window in windows or (None,):
        query = {"balances-only": "1"} if window is None else _query(window)
        yield _read(_get(way, access, query), window)


def recorded(way: Way, access: str) -> bytes:
    """Give what the bridge answers for a week, as it is."""
    today = way.now.date()
    return _get(way, access, _query(Window(today - WEEK, today + DAY, is_last=True)))


def _query(window: Window) -> dict[str, str]:
    """Ask from the first day on, which is included, to the end, which is not."""
    return {"start-date": _instant(window.first), "end-date": _instant(window.end), "pending": "1"}


def _instant(day: date) -> str:
    return str(int(datetime.combine(day, time(), UTC).timestamp()))


def _get(way: Way, access: str, query: dict[str, str]) -> bytes:
    parts = urlsplit(access)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    secret = b64encode(f"{parts.username}:{parts.password}".encode()).decode()
    status, data = way.gate.call(
        "GET",
        f"https://{host}{port}{parts.path}/accounts?{urlencode(query)}",
        {host},
        headers={"Authorization": f"Basic {secret}"},
        most_bytes=MOST_BYTES,
        seconds=PATIENCE_SECONDS,
    )
    if status == http.client.FORBIDDEN:
        raise ConsentNeededError(
            "SimpleFIN does not let this connection in any more. Paste a new setup token."
        )
    _refuse(host, status)
    return data


def _refuse(host: str, status: int) -> None:
    if status == http.client.PAYMENT_REQUIRED:
        raise ProviderRefusedError(f"{host} wants to be paid before it answers. Look at your account there.")
    if status == http.client.TOO_MANY_REQUESTS:
        raise OutboundFailedError(f"{host} was asked too often. It is asked again later.")
    if status != http.client.OK:
        raise OutboundFailedError(f"{host} answers {status}.")


def _read(data: bytes, window: Window | None) -> ProviderAnswer:
    payload = providers.parsed(data)
    account_set = PayloadObject(payload, "The answer")
    if "accounts" not in account_set.values:
        raise PayloadRefusedError("This is not an account set of SimpleFIN: it has no accounts.")
    found = [each for each in records(account_set.values["accounts"], "accounts") if each.id("id")]
    accounts = [_shown(each) for each in found]
    said, told = _messages(account_set.values, found)
    payloads = {
        # What is not about another account may be about this one, so that nothing of it counts as withdrawn.
        name: {"accounts": [each.values], "errors": [*filter(None, [said.get(name)]), *told]}
        for each in found
        if (name := each.id("id"))
    }
    return ProviderAnswer(window, accounts, payloads, said, told)


def _shown(account: PayloadObject) -> ShownAccount:
    name = account.text("name") or account.id("id") or ""
    bank = account.inner("org").text("name", "domain")
    mask = _MASK.search(name)
    try:
        at = account.instant("balance-date")
    except PayloadRefusedError:
        at = None
    return ShownAccount(
        account.id("id") or "",
        f"{bank}: {name}" if bank else name,
        account.text("currency") or "",
        mask=mask and mask[1],
        balance_at=at,
    )


def _messages(values: Any, accounts: Sequence[PayloadObject]) -> tuple[dict[str, str], list[str]]:
    """Part what the bridge says by account: it names one by its id, or its bank by name, or none."""
    said: dict[str, list[str]] = {}
    told = []
    for each in [*_listed(values.get("errlist")), *_listed(values.get("errors"))]:
        facts = each if isinstance(each, dict) else {"msg": each}
        text, of = cut(str(facts.get("msg") or facts.get("code") or "")), facts.get("account_id")
        about = [one for one in accounts if (one.id("id") == of if of else _names(text, one))]
        named = [name for one in about if (name := one.id("id"))]
        for name in named:
            said.setdefault(name, []).append(text)
        if text and not named:
            told.append(text)
    return {name: " ".join(texts) for name, texts in said.items()}, told


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _names(text: str, account: PayloadObject) -> bool:
    bank = account.inner("org").text("name")
    return bool(bank) and str(bank) in text
