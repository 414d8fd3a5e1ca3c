"""Bank lines as sides of transfers between own accounts, and the accounts that their texts name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from webapp.ledger.journal.entries import Leg
from webapp.ledger.texts.finding import has_words

MOST_DAYS: Final = 5
SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class TransferSide:
    """A bank line as one side of a transfer; `text` is all of the bank's text.

    `base_minor` is its amount at its day's rate, or None.
    """

    id: int
    fa_id: int
    day: date
    amount_minor: int
    currency: str
    base_minor: int | None = None
    text: str = ""
    iban: str | None = None


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """The number and the names of an own account in another bank's lines."""

    number: str | None = None
    names: tuple[str, ...] = ()


def compact(number: str) -> str:
    """Write an account's number without spaces, in capitals.

    >>> compact("de89 3704 0044")
    'DE8937040044'
    """
    return "".join(number.split()).upper()


def is_iban(number: str) -> bool:
    """Return whether an account's number has the shape of an IBAN (ISO 13616): country, check digits, 15 to 34 long.

    >>> is_iban("DE89370400440532013000"), is_iban("0532013000")
    (True, False)
    """
    return 15 <= len(number) <= 34 and number[:2].isalpha() and number[2:4].isdigit() and number.isalnum()  # noqa: PLR2004


class NamedAccounts:
    """The own accounts that lines name, by number or in their texts; each number and text is read once."""

    def __init__(self, own: Mapping[int, OwnAccount]) -> None:
        numbers = {fa_id: compact(account.number or "") for fa_id, account in own.items()}
        self._numbers = {fa_id: number for fa_id, number in numbers.items() if number}
        self._ibans = {fa_id: number for fa_id, number in numbers.items() if is_iban(number)}
        self._names = {
            fa_id: [(name, name.casefold()) for name in account.names if len(name) >= SHORTEST_NAME]
            for fa_id, account in own.items()
        }
        self._compact: dict[str, str] = {}
        self._by_number: dict[str, dict[int, str]] = {}
        self._by_text: dict[str, dict[int, str]] = {}

    def by_number(self, side: TransferSide) -> Mapping[int, str]:
        """Return the account numbers that a line names: as its IBAN, or as the end of one."""
        if not side.iban:
            return {}
        found = self._by_number.get(side.iban)
        if found is None:
            iban = compact(side.iban)
            found = self._by_number[side.iban] = {
                fa_id: iban
                for fa_id, number in self._numbers.items()
                if iban == number or (len(number) > SHORTEST_NAME and iban.endswith(number))
            }
        return found

    def by_text(self, side: TransferSide) -> Mapping[int, str]:
        """Return the first name of each account in a line's text."""
        found = self._by_text.get(side.text)
        if found is None:
            found, text = {}, side.text.casefold()
            for fa_id, names in self._names.items():
                for name, folded in names:
                    if folded in text and has_words(text, folded):
                        found[fa_id] = name
                        break
            self._by_text[side.text] = found
        return found

    def others(self, side: TransferSide) -> list[int]:
        """List the other accounts that a line names, in any way."""
        by_number, by_text = self.by_number(side), self.by_text(side)
        if not by_number and not by_text:
            return []
        return [
            fa_id for fa_id in self._names if fa_id != side.fa_id and (fa_id in by_text or fa_id in by_number)
        ]

    def contradict(self, out: TransferSide, into: TransferSide) -> bool:
        """Return whether a line's IBAN differs from the other line's account."""
        return bool(
            (out.iban and self._is_foreign(out.iban, into.fa_id))
            or (into.iban and self._is_foreign(into.iban, out.fa_id))
        )

    def _is_foreign(self, number: str, fa_id: int) -> bool:
        own = self._ibans.get(fa_id)
        if own is None:
            return False
        iban = self._compact.get(number)
        if iban is None:
            iban = self._compact[number] = compact(number)
        return iban != own and is_iban(iban)


def part_of(counter: Sequence[Leg], amount_minor: int, transfers_id: int) -> int:
    """Return the transfer part of a line: of a split the part on the transfers account, else the whole.

    >>> split = [Leg(1, 9850, "EUR"), Leg(7, 150, "EUR")]
    >>> part_of(split, -10000, 1), part_of([Leg(7, 10000, "EUR")], -10000, 1)
    (-9850, -10000)
    """
    on_transfers = sum(leg.amount_minor for leg in counter if leg.account_id == transfers_id)
    return -on_transfers if len(counter) > 1 and on_transfers else amount_minor


def paired_legs(
    counter: Sequence[Leg], amount_minor: int, part_minor: int, transfers_id: int, rest: Leg | None = None
) -> list[Leg]:
    """Return the counter legs of a line with `part_minor` as a transfer; `rest` is the leg of a named difference.

    A split keeps its other legs; a single account is replaced.

    >>> whole = [Leg(9, 10000, "EUR")]
    >>> [(leg.account_id, leg.amount_minor) for leg in paired_legs(whole, -10000, -9850, 1, Leg(7, 150, "EUR"))]
    [(1, 9850), (7, 150)]
    """
    currency = rest.currency if rest is not None else counter[0].currency
    is_split = part_of(counter, amount_minor, transfers_id) != amount_minor
    first = next((leg for leg in counter if leg.account_id == transfers_id), Leg(transfers_id, 0, currency))
    moved = replace(
        first, amount_minor=-part_minor, currency=currency, amount_base_minor=None, transaction_id=None
    )
    others = [leg for leg in counter if leg.account_id != transfers_id] if is_split else []
    return [moved, *others, *([] if rest is None else [rest])]
