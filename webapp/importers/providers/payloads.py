"""The JSON of a provider: figures and days read strictly, one account chosen, and an id for each line."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, NoReturn

from webapp.importers.decoding import decode
from webapp.importers.providers.pushes import AccountSelector, PayloadRefusedError
from webapp.importers.texts import folded, iban, quoted
from webapp.importers.value_days import ValueDay, moved_warning, stated_value_day
from webapp.importers.values import utc_time
from webapp.ledger.currencies import DIGITS, canonical
from webapp.ledger.errors import LedgerError
from webapp.ledger.matching.lines import is_placeholder, line_keys
from webapp.ledger.matching.pushed_lines import PushedLine
from webapp.ledger.money import Money

LONGEST_ID: Final = 255
LONGEST_TEXT: Final = 2000
LONGEST_AMOUNT: Final = 80

_AMOUNT: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_SECONDS: Final = re.compile(r"\d{1,12}", re.ASCII)
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")


def parsed(data: bytes) -> Any:
    """Read JSON with exact numbers; raises PayloadRefusedError, also for an object with a key twice.

    >>> parsed(b'{"amount": 0.10}')
    {'amount': Decimal('0.10')}
    """
    try:
        return json.loads(
            decode(data), parse_float=Decimal, parse_constant=_refuse_number, object_pairs_hook=_once
        )
    except (ValueError, ArithmeticError, RecursionError):
        raise PayloadRefusedError(
            "This is not valid JSON, or it is cut off; fetch it from the provider again."
        ) from None


def _refuse_number(name: str) -> NoReturn:
    raise PayloadRefusedError(f"{name} is not a JSON number.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise PayloadRefusedError("An object of this JSON has one key twice, so its value is ambiguous.")
    return found


def fingerprint(payload: object, *of: str | None) -> str:
    """Return a digest of a payload's content, so that the same payload is the same push however often it is sent."""
    text = json.dumps([payload, *of], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:40]


def records(value: object, where: str) -> list[PayloadObject]:
    """Read a list of objects, a missing one as empty; raises PayloadRefusedError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise PayloadRefusedError(f"“{where}” must be a list.")
    return [PayloadObject(each, f"{where}[{index}]") for index, each in enumerate(value)]


class PayloadObject:
    """A JSON object of a payload with its path for messages (`where`)."""

    def __init__(self, value: object, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            self.refuse("must be an object")
        self.values: Mapping[str, Any] = value

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the payload because of this object."""
        raise PayloadRefusedError(f"{self.where} {reason}.")

    def inner(self, key: str) -> PayloadObject:
        """Return the object under a key, or an empty one."""
        return PayloadObject(self.values.get(key) or {}, f"{self.where}.{key}")

    def text(self, *keys: str) -> str | None:
        """Return the first text under these keys that is not blank, on one line; other values are ignored."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str) and (found := cut(value)):
                return found
        return None

    def texts(self, key: str) -> list[str]:
        """Return the texts in a list, or the one text, under a key."""
        value = self.values.get(key)
        listed: Sequence[object] = value if isinstance(value, list) else [value]
        return [found for each in listed if isinstance(each, str) and (found := cut(each))]

    def id(self, *keys: str) -> str | None:
        """Return the first id under these keys, exactly as sent, a number as text; None where there is none."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                value = str(value)
            if isinstance(value, str) and value.strip():
                return short(value)
        return None

    def iban(self, key: str) -> str | None:
        """Return the IBAN under a key, or None if it is invalid."""
        return iban(self.text(key) or "")

    def flag(self, key: str) -> bool:
        """Return the flag under a key; a missing flag is false."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            self.refuse(f"has a “{key}” that is neither true nor false")
        return bool(value)

    def currency(self, *keys: str) -> str:
        """Return the currency under the first filled key; raises PayloadRefusedError for an unknown code."""
        code = self.text(*keys)
        if code is None:
            self.refuse(f"has no currency ({keys[0]})")
        try:
            return canonical(code)
        except LedgerError:
            self.refuse(f"has a currency that is not in ISO 4217: {quoted(code)}")

    def unknown_currency(self, *keys: str) -> str | None:
        """Return the currency under the first filled key if it is none of ISO 4217, such as BTC."""
        code = self.text(*keys)
        try:
            return None if code is None or canonical(code) else code
        except LedgerError:
            return code

    def amount(self, key: str, currency: str) -> Decimal:
        """Return the amount under a key, as a number or as text, within its currency's digits."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            self.refuse(f"has no amount ({key})")
        text = str(value).strip()
        if len(text) > LONGEST_AMOUNT or (isinstance(value, str) and not _AMOUNT.fullmatch(text)):
            self.refuse(f"has an amount that is not a number: {quoted(text)}")
        try:
            return Money.of(Decimal(text), currency).decimal
        except LedgerError as error:
            raise PayloadRefusedError(f"{self.where}: {error}") from None

    def exchange(self, key: str, *, amount: str, rate: str, own: str) -> dict[str, Any]:
        """Return the original amount and its rate under a key, where they are in another currency and can be read."""
        value = self.values.get(key)
        found = value[0] if isinstance(value, list) and value else value
        if not isinstance(found, dict):
            return {}
        exchange = PayloadObject(found, f"{self.where}.{key}")
        instructed = found.get(amount)
        original = PayloadObject(
            instructed if isinstance(instructed, dict) else {}, f"{exchange.where}.{amount}"
        )
        code, size = original.text("currency"), original._size("amount")
        if code is None or code == own or code not in DIGITS or size is None:
            return {}
        return {"original_amount": size, "original_currency": code, "exchange_rate": exchange._size(rate)}

    def _size(self, key: str) -> Decimal | None:
        """Return the number under a key without its sign, None where it is none."""
        text = str(self.values.get(key) or "").strip()
        is_number = len(text) <= LONGEST_AMOUNT and _AMOUNT.fullmatch(text)
        return abs(Decimal(text)) or None if is_number else None

    def day(self, *keys: str) -> date | None:
        """Return the first date under these keys, as written; a time and a zone behind it never shift it."""
        for key in keys:
            if found := self._value_day(key):
                if found.is_moved:
                    self._refuse_day(key)
                return found.day
        return None

    def value_day(self, *keys: str) -> ValueDay | None:
        """Return the first value date under these keys; a 30th of February is the last of the month."""
        return next(filter(None, map(self._value_day, keys)), None)

    def _value_day(self, key: str) -> ValueDay | None:
        value = self.values.get(key)
        if value is None or value == "":
            return None
        found = _DAY.match(value) if isinstance(value, str) else None
        is_whole = found and value[found.end() :][:1] in {"", "T", " "}
        stated = stated_value_day(found[0]) if found and is_whole else None
        if stated is None:
            self._refuse_day(key)
        return stated

    def _refuse_day(self, key: str) -> NoReturn:
        self.refuse(f"has a date ({key}) that is not valid: {quoted(str(self.values.get(key)))}")

    def instant(self, *keys: str) -> datetime | None:
        """Return the first time under these keys, in seconds since 1970; 0 counts as missing."""
        for key in keys:
            value = self.values.get(key)
            if value is None or value == "":
                continue
            text = str(int(value)) if isinstance(value, Decimal) and value == int(value) else str(value)
            if isinstance(value, bool) or not _SECONDS.fullmatch(text):
                self.refuse(f"has a time ({key}) that is not valid: {quoted(str(value))}")
            if not int(text):
                continue
            try:
                return datetime.fromtimestamp(int(text), UTC)
            except (ValueError, OverflowError):
                self.refuse(f"has a time ({key}) that is not valid: {quoted(text)}")
        return None

    def moment(self, key: str) -> datetime | None:
        """Return the time in UTC of a text with date, time and zone; None where it is not one."""
        return utc_time(self.text(key) or "")


def cut(text: str) -> str:
    r"""Return a text on one line, cut at LONGEST_TEXT, without characters that databases refuse.

    >>> cut(" Caf\u00e9\n\t12 \0")
    'Café 12 \ufffd'
    """
    return folded(_NO_TEXT.sub("\ufffd", text))[:LONGEST_TEXT].rstrip()


def short(name: str) -> str:
    """Return an id, or its digest if it is longer than LONGEST_ID.

    >>> short("tx_1"), len(short("x" * 300))
    ('tx_1', 71)
    """
    if len(name) <= LONGEST_ID and not _NO_TEXT.search(name):
        return name
    return f"sha256:{sha256(name.encode(errors='surrogatepass')).hexdigest()}"


def listed(names: Iterable[str | None]) -> str:
    """Return several ids, quoted, for a sentence."""
    return ", ".join(quoted(name) for name in names if name is not None)


def select_account(selector: AccountSelector, accounts: Sequence[str]) -> str | None:
    """Choose one of the accounts in a payload; raises PayloadRefusedError if several are possible.

    >>> select_account(AccountSelector(recorded="chk"), ["chk", "cc"])
    'chk'
    >>> select_account(AccountSelector(recorded="DE89 …"), ["chk"])
    'chk'
    """
    if selector.requested is not None:
        if accounts and selector.requested not in accounts:
            raise PayloadRefusedError(
                f"This payload has no account {listed([selector.requested])}; it has {listed(accounts)}."
            )
        return selector.requested
    if selector.recorded in accounts:
        return selector.recorded
    if len(accounts) > 1:
        raise PayloadRefusedError(f"This payload has several accounts; name one of {listed(accounts)}.")
    return accounts[0] if accounts else None


def of_currency(
    selector: AccountSelector, lines: Sequence[PushedLine]
) -> tuple[tuple[PushedLine, ...], list[str]]:
    """Select the lines in the account's currency, with a warning about others.

    Some providers have several currencies in one account; in the books each is a feed account of its own.
    """
    if selector.currency is None or not lines:
        return tuple(lines), []
    selected = tuple(line for line in lines if line.currency == selector.currency)
    others = sorted({line.currency or "" for line in lines} - {selector.currency})
    if not selected:
        raise PayloadRefusedError(
            f"This payload is in {', '.join(others)}, and the account is in {selector.currency}."
        )
    left = len(lines) - len(selected)
    if not left:
        return selected, []
    count = "1 line is" if left == 1 else f"{left:,} lines are"
    return selected, [f"{count} in {', '.join(others)} and not imported into this account."]


def split_by_currency(
    items: Sequence[PayloadObject], unknown: Callable[[PayloadObject], str | None], name: str
) -> tuple[list[PayloadObject], list[str]]:
    """Return the lines in currencies of ISO 4217, and a warning that names each other one.

    One such line must not stop a feed for ever, because its provider sends it again with every answer.
    """
    known, warnings = [], []
    for item in items:
        if (code := unknown(item)) is None:
            known.append(item)
        else:
            warnings.append(
                f"{item.where} ({item.id(name) or 'without an id'}) is in {quoted(code)}, which is not an ISO 4217"
                " currency; it is set aside."
            )
    return known, warnings


def identified(lines: Sequence[PushedLine]) -> tuple[tuple[PushedLine, ...], list[str]]:
    """Return the lines with unique ids, and warnings about lines without one.

    A line without an id, or with a placeholder, gets the key that it would have in a file: date, amount, text and
    an occurrence number for equal lines. An id of several different lines identifies none of them, and each would
    be taken for a modification of the previous one: they get keys, too. A pending line with the id of a booked one
    is the earlier state of it, and is left out.
    """
    ambiguous = _ambiguous(lines)
    booked = {line.provider_transaction_id for line in lines if not line.pending} - ambiguous
    current = [line for line in lines if not (line.pending and _own_id(line) in booked)]
    keyed = [index for index, line in enumerate(current) if _own_id(line) in {None, *ambiguous}]
    keys = line_keys(current[index] for index in keyed)
    superseded = len(lines) - len(current)
    for index, key in zip(keyed, keys, strict=True):
        current[index] = current[index]._replace(
            provider_transaction_id=f"{key.digest}-{key.occurrence}", shared_id=_own_id(current[index])
        )
    return tuple(current), [*_missing_id_warnings(len(keyed), ambiguous), *_superseded_warnings(superseded)]


def last_day(lines: Iterable[PushedLine], as_of: date | None = None) -> date:
    """Return the day up to which an answer speaks: that of its balance, or of its newest line; without both, any."""
    day = as_of.date() if isinstance(as_of, datetime) else as_of
    days = [line.booked_on for line in lines] + ([day] if day else [])
    return max(days, default=date.max)


def moved_value_days(lines: Sequence[PushedLine]) -> Iterator[str]:
    """Warn of value dates that were moved to the last day of the month."""
    moved = [line for line in lines if line.has_moved_value_day]
    if moved:
        yield moved_warning(len(moved), f"the line of {moved[0].booked_on}")


def _own_id(line: PushedLine) -> str | None:
    name = line.provider_transaction_id
    return None if is_placeholder(name) else name


def _ambiguous(lines: Sequence[PushedLine]) -> set[str]:
    """Find the ids shared by two different lines, both booked or both pending."""
    facts: dict[tuple[str, bool], set[PushedLine]] = defaultdict(set)
    for line in lines:
        if (name := _own_id(line)) is not None:
            facts[name, line.pending].add(line)
    return {name for (name, _), found in facts.items() if len(found) > 1}


def _missing_id_warnings(keyed: int, ambiguous: set[str]) -> list[str]:
    if not keyed:
        return []
    count = "1 line has" if keyed == 1 else f"{keyed:,} lines have"
    reused = " The provider uses one id for several lines." if ambiguous else ""
    return [f"{count} no id of their own; date, amount and text identify them.{reused}"]


def _superseded_warnings(count: int) -> list[str]:
    if not count:
        return []
    lines = "1 pending line is" if count == 1 else f"{count:,} pending lines are"
    return [f"{lines} booked under the same id."]
