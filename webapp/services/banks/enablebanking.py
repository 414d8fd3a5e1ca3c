"""Enable Banking: banks of Europe, by a consent that a person gives at the bank: https://enablebanking.com/docs/api/reference/."""

import http.client
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from webapp.importers import providers
from webapp.importers.providers import PayloadRefusedError
from webapp.importers.providers.payloads import PayloadObject, cut, records
from webapp.ledger.errors import LedgerError, UnprocessableError
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
from webapp.services.operating.outbound import OutboundFailedError

NAME: Final = "Enable Banking"
ADDRESS: Final = "https://api.enablebanking.com"
# Of each account on a day while nobody is there, by the law on payment services. One call has all days.
MOST_CALLS: Final = 4
CALLS_TO_SHOW: Final = 0
WINDOW_DAYS: Final = 3650
TOKEN_SECONDS: Final = 3600
LONGEST_CONSENT: Final = timedelta(days=180)
MOST_PAGES: Final = 1000
# What banks give without a new consent, where one refuses more and does not say what it gives.
SHORTER: Final = (timedelta(days=89), timedelta(days=30))
EXPIRED: Final = "EXPIRED_SESSION"
_PERIOD: Final = frozenset({"WRONG_TRANSACTIONS_PERIOD", "PERIOD_INVALID"})
_FUTURE: Final = "DATE_FROM_IN_FUTURE"


class NotSetUpError(UnprocessableError):
    """This server has no application of Enable Banking; its operator sets ENABLEBANKING_APPLICATION with its key."""

    code = "provider_not_set_up"


class Bank(NamedTuple):
    """A bank of a country: for which people it gives consents, and how long one lasts at most."""

    name: str
    psu_types: tuple[str, ...]
    longest: timedelta


class AnswerError(OutboundFailedError):
    """Enable Banking refuses this; try again later."""

    # The status that it answers, the code of its error, and what it says besides.
    answers = 0
    error = ""
    detail: Any = None


def banks(way: Way, country: str) -> list[Bank]:
    """List the banks of a country, which is two letters."""
    found = _asked(way, "GET", "/aspsps", query={"country": country, "service": "AIS"})
    return [
        Bank(
            each.text("name") or "",
            tuple(each.texts("psu_types")),
            timedelta(seconds=int(each.values.get("maximum_consent_validity") or 0)) or LONGEST_CONSENT,
        )
        for each in records(found.values.get("aspsps"), "aspsps")
    ]


def consent_address(way: Way, facts: Mapping[str, str], back: str, state: str) -> str:
    """Begin a consent, and give the address at which the person gives it.

    The bank sends the person to `back` with the state and a code. Where that is none, the first address that the
    application has registered takes its place, from which the person copies where the browser was sent.
    """
    name, country, psu_type = facts["bank"], facts["country"], facts["psuType"]
    bank = next((each for each in banks(way, country) if each.name == name), None)
    if bank is None or psu_type not in bank.psu_types:
        fault = f"Enable Banking has no bank {name} in {country} for this kind of account."
        raise UnprocessableError(fault, fields={"bank": [fault]})
    until = way.now + min(bank.longest, LONGEST_CONSENT) - timedelta(minutes=1)
    asked = {
        "access": {"valid_until": until.isoformat()},
        "aspsp": {"name": name, "country": country},
        "psu_type": psu_type,
        "redirect_url": back or _registered(way),
        "state": state,
    }
    address = _asked(way, "POST", "/auth", asked).text("url") or ""
    if urlsplit(address).scheme != "https":
        raise ProviderRefusedError("Enable Banking gave no address of the bank.")
    return address


def claim(way: Way, code: str) -> Claimed:
    """Change the code that a person brought back, which works once, for a session; give it with its accounts."""
    try:
        found = _asked(way, "POST", "/sessions", {"code": code})
    except AnswerError as error:
        if error.answers < http.client.INTERNAL_SERVER_ERROR:
            raise ConsentNeededError(
                f"The consent was not given, or took too long. {error} Renew it."
            ) from None
        raise
    bank = found.inner("aspsp").text("name")
    accounts = [_kept(each, bank) for each in records(found.values.get("accounts"), "accounts")]
    kept = {"session": found.id("session_id"), "accounts": accounts}
    return Claimed(json.dumps(kept), found.inner("access").moment("valid_until"))


def answers(
    way: Way, access: str, windows: Sequence[Window], wanted: Callable[[ShownAccount], bool]
) -> Iterator[ProviderAnswer]:
    """Ask for each account that is wanted by itself: what one refuses is said of it, and stops no other.

    Raises ConsentNeededError, or the first refusal where all are refused.
    """
    kept = json.loads(access)["accounts"]
    shown = [
        ShownAccount(**{name: each[name] for name in ("external_id", "name", "currency", "iban", "mask")})
        for each in kept
    ]
    if not windows:
        yield ProviderAnswer(None, shown)
    for window in windows:
        payloads: dict[str, Any] = {}
        said: dict[str, str] = {}
        refusals: list[LedgerError] = []
        for place, account in enumerate(shown):
            if not wanted(account):
                continue
            try:
                payload, note = _payload(way, kept[place]["uid"], window.first)
            except (OutboundFailedError, PayloadRefusedError, ProviderRefusedError) as error:
                refusals.append(error)
                said[account.external_id] = str(error)
            else:
                payloads[account.external_id] = payload
                shown[place] = account._replace(balance_at=_balance_at(payload, way.now))
                if note:
                    said[account.external_id] = note
        if refusals and not payloads:
            raise refusals[0]
        yield ProviderAnswer(window, shown, payloads, said)


def recorded(way: Way, access: str) -> bytes:
    """Give what Enable Banking answers for a week of each account."""
    kept = json.loads(access)["accounts"]
    return json.dumps(
        [_payload(way, each["uid"], way.now.date() - WEEK)[0] for each in kept], default=str
    ).encode()


def _kept(account: PayloadObject, bank: str | None) -> dict[str, str | None]:
    """Keep of an account what its session tells only once; its `uid` is of this session, its hash of all."""
    numbers, currency = account.inner("account_id"), account.text("currency") or ""
    number = numbers.iban("iban") or numbers.inner("other").text("identification") or ""
    name = account.text("details", "product", "name") or number
    return {
        "external_id": f"{account.id('identification_hash')}-{currency}"[:255],
        "uid": account.id("uid"),
        "name": f"{bank}: {name}" if bank else name,
        "currency": currency,
        "iban": numbers.iban("iban"),
        "mask": number[-4:] or None,
    }


def _payload(way: Way, uid: str | None, first: date) -> tuple[dict[str, Any], str]:
    """Ask for the lines of an account to the last page and for its balances, for their reader; say what is missing."""
    if uid is None:
        raise ProviderRefusedError("The bank gives no lines of this account.")
    lines, note = _lines(way, uid, first)
    try:
        balances = _asked(way, "GET", _of_account(uid, "balances")).values.get("balances")
    except (OutboundFailedError, PayloadRefusedError) as error:
        balances, note = [], f"The bank does not say its balance. {error}"
    asked_on = way.now.date().isoformat()
    return {"transactions": lines, "balances": balances, "asked_on": asked_on}, note


def _lines(way: Way, uid: str, first: date) -> tuple[list[Any], str]:
    """Ask for the lines from a day on, or from the first one that the bank gives, which is then said."""
    tried = first
    shorter = [way.now.date() - each for each in SHORTER]
    while True:
        try:
            lines = _pages(way, uid, tried)
        except AnswerError as error:
            later = _corrected(error, tried, shorter, way.now.date())
            if later is None:
                raise
            tried = later
        else:
            return lines, f"The bank gives no lines before {tried:%-d %b %Y}." if tried > first else ""


def _corrected(error: AnswerError, tried: date, shorter: list[date], today: date) -> date | None:
    """Find the day to ask from in the place of one that a bank refuses; None where there is none."""
    if error.error == _FUTURE:
        # It is tomorrow here already, and the bank is in yesterday.
        return tried - DAY if tried > today else None
    if error.error not in _PERIOD:
        return None
    detail = error.detail if isinstance(error.detail, dict) else {}
    try:
        stated = date.fromisoformat(str(detail.get("date_from"))[:10])
    except ValueError:
        stated = date.min
    return next((day for day in (stated, *shorter) if day > tried), None)


def _pages(way: Way, uid: str, first: date) -> list[Any]:
    """Read all pages: a key for more counts only with the same first day."""
    query, lines, keys = {"date_from": first.isoformat()}, [], set()
    for _ in range(MOST_PAGES):
        page = _asked(way, "GET", _of_account(uid, "transactions"), query=query)
        found = page.values.get("transactions")
        if not isinstance(found, list):
            page.refuse("has no list “transactions”")
        lines += found
        key = page.id("continuation_key")
        if key is None:
            return lines
        if key in keys:
            break
        keys.add(key)
        query["continuation_key"] = str(page.values["continuation_key"])
    raise PayloadRefusedError("Enable Banking gives pages without end.")


def _balance_at(payload: Mapping[str, Any], now: datetime) -> datetime:
    """Give the time of which the bank speaks: its newest day, or now where it names none."""
    days = [
        str(each.get("reference_date") or "") for each in payload["balances"] or [] if isinstance(each, dict)
    ]
    newest = max(days, default="")
    try:
        return min(datetime.fromisoformat(newest).replace(tzinfo=UTC), now)
    except ValueError:
        return now


def _of_account(uid: str, what: str) -> str:
    return "/".join(("/accounts", quote(uid, safe=""), what))


def _registered(way: Way) -> str:
    found = _asked(way, "GET", "/application").texts("redirect_urls")
    if not found:
        raise ProviderRefusedError("The application of Enable Banking has no address to return to.")
    return found[0]


def _asked(
    way: Way,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    query: Mapping[str, str] | None = None,
) -> PayloadObject:
    """Call Enable Banking; a session that is said to have expired is asked again once, for some say so too early."""
    if not way.application.id:
        raise NotSetUpError
    path += "?" + urlencode(query) if query else ""
    try:
        return _answer(way, method, path, body)
    except AnswerError as error:
        if error.error != EXPIRED:
            raise
    try:
        return _answer(way, method, path, body)
    except AnswerError as error:
        if error.error != EXPIRED:
            raise
        raise ConsentNeededError("The consent has ended. Renew it at your bank.") from None


def _answer(way: Way, method: str, path: str, body: Mapping[str, Any] | None) -> PayloadObject:
    host = urlsplit(ADDRESS).hostname or ""
    status, data = way.gate.call(
        method,
        ADDRESS + path,
        {host},
        headers={"Authorization": "Bearer " + _token(way), "Content-Type": "application/json"},
        body=None if body is None else json.dumps(body).encode(),
        most_bytes=MOST_BYTES,
        seconds=PATIENCE_SECONDS,
    )
    if status == http.client.OK:
        return PayloadObject(providers.parsed(data), "The answer")
    found = PayloadObject({}, "The answer")
    with suppress(PayloadRefusedError):
        found = PayloadObject(providers.parsed(data), "The answer")
    message = cut(found.text("message", "title") or "")
    if status == http.client.TOO_MANY_REQUESTS:
        raise OutboundFailedError(f"{host} was asked too often. It is asked again later.")
    error = AnswerError(f"{host} answers {status}. {message}".rstrip())
    error.answers = status
    # Some banks' own errors come through: their code is a word, and ours a number.
    error.error, error.detail = found.text("error", "code") or "", found.values.get("detail")
    if status == http.client.UNAUTHORIZED and error.error != EXPIRED:
        raise ConsentNeededError(f"Enable Banking does not let this connection in. {message}") from None
    raise error


def _token(way: Way) -> str:
    """Sign who asks, as https://enablebanking.com/docs/api/reference/#jwt-format-and-signature says."""
    from joserfc import jwt  # noqa: PLC0415  (few processes meet Enable Banking)
    from joserfc.errors import JoseError  # noqa: PLC0415

    now = int(way.now.timestamp())
    header = {"typ": "JWT", "alg": "RS256", "kid": way.application.id}
    claims = {
        "iss": "enablebanking.com",
        "aud": "api.enablebanking.com",
        "iat": now,
        "exp": now + TOKEN_SECONDS,
    }
    try:
        return jwt.encode(header, claims, _key(way.application.key))
    except (JoseError, ValueError, TypeError) as error:
        raise NotSetUpError("ENABLEBANKING_KEY is no private RSA key in PEM.") from error


@lru_cache(maxsize=1)
def _key(text: str) -> Any:
    """Read the private key of the application once: to check its primes takes longer than to ask the bank."""
    from joserfc.jwk import RSAKey  # noqa: PLC0415  (as above)

    return RSAKey.import_key(text)
