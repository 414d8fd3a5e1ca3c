"""The key of a bank line, which recognises a line when another file brings it again."""

import json
import unicodedata
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Final, NamedTuple, Protocol, Self
from zlib import crc32

from webapp.ledger.texts.finding import has_words

# What banks write where they have no reference; each of them stands on many lines.
_PLACEHOLDERS: Final = frozenset({"NONREF", "NOREF", "NOTPROVIDED", "NONE", "NULL", "NA"})
# What a signed column of 32 bits holds.
MOST_KEY: Final = 2**31 - 1


# What a bank may state of a line beside its amount and its text.
DETAILS: Final = (
    "charges",
    "original_amount",
    "original_currency",
    "exchange_rate",
    "return_reason",
    "return_text",
)


class LineFacts(Protocol):
    """The facts behind the key of a line."""

    @property
    def provider_transaction_id(self) -> str | None:
        """The bank's reference as sent."""

    @property
    def booked_on(self) -> date:
        """The day the bank wrote."""

    @property
    def amount(self) -> Decimal:
        """The exact amount from the account holder's view."""

    @property
    def pending(self) -> bool:
        """Whether the bank has yet to book it."""

    @property
    def description(self) -> str:
        """The bank's text."""

    @property
    def counterparty(self) -> str | None:
        """The party that the bank names."""


class BankLine(NamedTuple):
    """What a bank says of a line; a new one has its keys and its place among those that are staged with it.

    `line_key` and `occurrence` are its identity among lines of files, `number` its place in the order of ids, and
    `portion` the lines that are written together; `details` are charges and the like, which the bank states beside
    amount and text. Only one whose `state` is BOOKED has a draft. `choice` is the number of what rules chose for it
    (services/ingestion/staging.py).
    """

    booked_on: date
    amount_minor: int
    description: str
    counterparty: str | None = None
    iban: str | None = None
    reference: str | None = None
    value_on: date | None = None
    provider_transaction_id: str | None = None
    line_key: str | None = None
    occurrence: int = 1
    state: str = "BOOKED"
    number: int = 0
    portion: int = 0
    amount_base_minor: int | None = None
    text_key: int = 0
    details: Mapping[str, str] | None = None
    choice: int | None = None


def details_of(line: object) -> dict[str, str] | None:
    """Return what the bank states of a line beside amount and text, as it is stored; None for nothing."""
    found = {name: str(value) for name in DETAILS if (value := getattr(line, name)) is not None}
    return found or None


def state_of_new(*, is_pending: bool, is_joined: bool) -> str:
    """Return the state of a new line; one that is only another report of an existing line is stored as REMOVED."""
    if is_joined:
        return "REMOVED"
    return "PENDING" if is_pending else "BOOKED"


class BankText(str):
    """A bank's text, and in `keyed` the text of earlier versions, from which the key of its line goes on to be made."""

    __slots__ = ("keyed",)
    keyed: str

    def __new__(cls, text: str, *, keyed: str) -> Self:
        """Make the text."""
        self = super().__new__(cls, text)
        self.keyed = keyed
        return self


class LineKey(NamedTuple):
    """A line's identity on its feed account: a digest of its facts (`short`) and its number among equal lines."""

    digest: str
    occurrence: int


def line_keys(lines: Iterable[LineFacts]) -> list[LineKey]:
    """Return the keys of a file's lines of one account, in the order of the lines.

    The key is the bank's reference, the day and the amount, so a reference never swallows a line of
    another day or amount; without a reference the normalised text is added. Equal lines are counted from 1.

    >>> from types import SimpleNamespace as Line
    >>> coffee = dict(provider_transaction_id="NONREF", booked_on=date(2026, 3, 1), amount=Decimal("-2.50"),
    ...               pending=False, description="Coffee  Bar", counterparty=None)
    >>> keys = line_keys([Line(**coffee), Line(**coffee), Line(**coffee | {"description": "Bakery"})])
    >>> [key.occurrence for key in keys], keys[0].digest == keys[1].digest != keys[2].digest
    ([1, 2, 1], True)
    >>> again = line_keys([Line(**coffee | {"description": "COFFEE BAR", "amount": Decimal("-2.5")})])
    >>> again == keys[:1]
    True
    """
    counted: Counter[str] = Counter()
    keys = []
    for line in lines:
        digest = short(sha256(facts_of(line)).digest())
        counted[digest] += 1
        keys.append(LineKey(digest, counted[digest]))
    return keys


def part_keys(whole: LineKey, parts: Iterable[LineFacts]) -> list[LineKey]:
    """Return the keys of a batch's payments, in order: the batch's digest (`digest_of_parts`) and a place.

    Places follow the order of the payments' facts, so a bank may send them in another order. No other line's
    number depends on whether batches are split.

    >>> from types import SimpleNamespace as Line
    >>> paper = dict(provider_transaction_id="R1", booked_on=date(2026, 3, 1), amount=Decimal("-2.50"),
    ...              pending=False, description="", counterparty=None)
    >>> parts = [Line(**paper), Line(**paper | {"amount": Decimal("-1.50")})]
    >>> batch = LineKey("NykNdKxNGG46jleF0lnS7A", 1)
    >>> [key.occurrence for key in part_keys(batch, parts)], [key.occurrence for key in part_keys(batch, parts[::-1])]
    ([2, 1], [1, 2])
    >>> {key.digest for key in part_keys(batch, parts)} == {digest_of_parts(batch)}
    True
    """
    facts = [facts_of(part) for part in parts]
    places = sorted(range(len(facts)), key=facts.__getitem__)
    digest = digest_of_parts(whole)
    keys = {index: LineKey(digest, place) for place, index in enumerate(places, 1)}
    return [keys[index] for index in range(len(facts))]


def digest_of_parts(whole: LineKey) -> str:
    """Return the common digest of a batch's payments, even if this file does not list them."""
    return short(sha256(json.dumps(["part", *whole]).encode()).digest())


def is_placeholder(reference: str | None) -> bool:
    """Return whether a reference is only a placeholder.

    >>> [is_placeholder(text) for text in (None, "", "NONREF", "Not provided", "0000-00", "0001", "F12")]
    [True, True, True, True, True, False, False]
    """
    text = reference or ""
    letters = (text if text.isalnum() else "".join(filter(str.isalnum, text))).upper()
    return not letters.strip("0") or letters in _PLACEHOLDERS


def normalised(text: str) -> str:
    r"""Fold the case, composition and white space of a text, which a re-encoded file may change.

    >>> normalised("Cafe\u0301  \uff21BC\n ß")
    'café abc ss'
    """
    if text.isascii():
        # Most texts are; there is nothing to compose in them.
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def compared_text(
    description: str, counterparty: str | None, has: Callable[[str, str], bool] = has_words
) -> str:
    """Return the text for comparing two reports of a line, without a part that the other part has in it.

    >>> compared_text("REWE says thanks", "Rewe"), compared_text("Thanks", "Rewe"), compared_text("Rent", "Parents")
    ('rewe says thanks', 'thanks rewe', 'rent parents')
    """
    described, named = normalised(description), normalised(counterparty or "")
    if has(described, named):
        return described
    return named if has(named, described) else f"{described} {named}"


def text_key(description: str, counterparty: str | None) -> int:
    """Return a number of 31 bits for an index, the same for texts that compare as equal.

    Stored lines have it, so it goes on to leave out parts of words too.

    >>> text_key("REWE  says thanks", None) == text_key("Rewe says THANKS", "rewe")
    True
    """
    text = compared_text(description, counterparty, str.__contains__)
    return crc32(text.encode("utf-8", "surrogatepass")) & MOST_KEY


def short(digest: bytes) -> str:
    """Write the first 128 bits of a SHA-256 in 22 characters, because every bank line stores it twice.

    >>> short(sha256(b"coffee").digest())
    'NykNdKxNGG46jleF0lnS7A'
    """
    return urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def facts_of(line: LineFacts) -> bytes:
    """Write a line's identifying facts as JSON."""
    reference = line.provider_transaction_id
    named = [
        normalised(getattr(line.description, "keyed", line.description)),
        normalised(line.counterparty or ""),
    ]
    # Pending lines are replaced as a whole by each file; counted with the booked ones, a pending line
    # that vanishes would shift the numbers of its equals and bring them in a second time.
    facts = [
        "pending" if line.pending else "booked",
        line.booked_on.isoformat(),
        _plain(line.amount),
        named if is_placeholder(reference) else reference,
    ]
    return json.dumps(facts).encode()


def _plain(amount: Decimal) -> str:
    """Return the amount without trailing zeros, in digits.

    >>> _plain(Decimal("8.850")), _plain(Decimal("-0.00")), _plain(Decimal("1E+2"))
    ('8.85', '0', '100')
    """
    whole, _, part = format(amount, "f").partition(".")
    part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole.replace("-0", "0") if amount == 0 else whole
