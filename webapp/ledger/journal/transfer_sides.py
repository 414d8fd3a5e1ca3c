"""Bank lines as sides of transfers between own accounts, and what in their texts names an account."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

MOST_DAYS: Final = 5
SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class TransferSide:
    """A bank line as one side of a transfer; `text` is all of the bank's text.

    `base_minor` is its amount at its day's rate, None where there is none.
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
    """The number and the names by which another bank's line may refer to an own account."""

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


def _number(fa_id: int, own: Mapping[int, OwnAccount]) -> str:
    return compact(own.get(fa_id, OwnAccount()).number or "")


def named_number(side: TransferSide, fa_id: int, own: Mapping[int, OwnAccount]) -> str | None:
    """Give the number of an account that a line names: as its IBAN, or as the end of one."""
    if not side.iban:
        return None
    number, iban = _number(fa_id, own), compact(side.iban)
    is_named = number and (iban == number or (len(number) > SHORTEST_NAME and iban.endswith(number)))
    return iban if is_named else None


def named_text(side: TransferSide, fa_id: int, own: Mapping[int, OwnAccount]) -> str | None:
    """Give the name of an account that stands in a line's text."""
    text = side.text.casefold()
    names = own.get(fa_id, OwnAccount()).names
    return next((name for name in names if len(name) >= SHORTEST_NAME and name.casefold() in text), None)


def named_accounts(
    sides: Iterable[TransferSide], own: Mapping[int, OwnAccount]
) -> Iterator[tuple[TransferSide, int]]:
    """Give each line with every other own account that it names, by number or in its text."""
    folded = {
        fa_id: [name.casefold() for name in account.names if len(name) >= SHORTEST_NAME]
        for fa_id, account in own.items()
    }
    for side in sides:
        text = side.text.casefold()
        for fa_id, names in folded.items():
            is_other = fa_id != side.fa_id
            if is_other and (any(name in text for name in names) or named_number(side, fa_id, own)):
                yield side, fa_id


def contradicted(out: TransferSide, into: TransferSide, own: Mapping[int, OwnAccount]) -> bool:
    """Return whether the IBAN in one line is not that of the other line's account."""
    return any(
        is_iban(iban) and is_iban(number) and iban != number
        for iban, number in (
            (compact(out.iban or ""), _number(into.fa_id, own)),
            (compact(into.iban or ""), _number(out.fa_id, own)),
        )
    )
