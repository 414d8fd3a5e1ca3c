"""hledger: all entries, and a balance assertion per standing proof at the end of its day.

Syntax: https://hledger.org/1.25/hledger.html#journal-format
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from webapp.exporters.books import BookAssertion, BookEntry, BookLeg, ExportedBook
from webapp.exporters.names import BESIDE, account_names
from webapp.ledger.currencies import digits
from webapp.ledger.money import Money
from webapp.ledger.texts.controls import without_controls

_TYPES: Final = {"ASSET": "A", "LIABILITY": "L", "EQUITY": "E", "INCOME": "R", "EXPENSE": "X"}
# What would end a description, begin a comment or part the payee from the note.
_NO_DESCRIPTION: Final = re.compile(r"[\t\r\n\u2028\u2029;|]+")


def write(book: ExportedBook) -> Iterator[str]:
    """Yield the book in pieces; a comment has each text whole, as JSON, next to its one-line form."""
    names = account_names(book.accounts)
    yield f"; {_text(book.name)}\ndecimal-mark .\n"
    for currency in book.currencies:
        yield f"commodity {_zero(currency)}\n"
    for account in book.accounts:
        yield f"account {names[account.id]}  ; type: {_TYPES[account.type]}\n"
        yield f"  ; name: {_text(account.name)}\n"
        yield f"account {names[account.id]}:{BESIDE}\n"
    for piece in _merged(book.entries, book.assertions):
        if isinstance(piece, BookEntry):
            yield from _entry(piece, names)
        else:
            yield _assertion(piece, names)


def _zero(currency: str) -> str:
    """Return a sample amount with the currency's digits; without any it still needs its decimal mark."""
    return f"1000.{'0' * digits(currency)} {currency}"


def _merged(
    entries: Iterable[BookEntry], assertions: Iterable[BookAssertion]
) -> Iterator[BookEntry | BookAssertion]:
    """Put each assertion after the last entry of its day: hledger checks in that order."""
    upcoming = sorted(assertions, key=lambda assertion: assertion.day, reverse=True)
    for entry in entries:
        while upcoming and upcoming[-1].day < entry.day:
            yield upcoming.pop()
        yield entry
    yield from reversed(upcoming)


def _entry(entry: BookEntry, names: dict[int, str]) -> Iterator[str]:
    description = " ".join(_NO_DESCRIPTION.sub(" ", without_controls(entry.description)).split())
    yield f"\n{entry.day} * ({entry.id}) {description}".rstrip() + "\n"
    yield f"    ; description: {_text(entry.description)}\n"
    yield f"    ; number: {entry.number}\n"
    yield f"    ; source: {entry.source}{', voided:' if entry.status == 'VOIDED' else ''}\n"
    for key, other in entry.links.items():
        yield f"    ; {key}: {other}\n"
    for each in entry.settlement_ids:
        yield f"    ; settlement: {each}\n"
    for leg in entry.legs:
        yield from _leg(leg, names[leg.account_id])


def _leg(leg: BookLeg, name: str) -> Iterator[str]:
    yield f"    {name}  {leg.priced}\n"
    for key, text in leg.labels.items():
        yield f"    ; {key}: {_text(text)}\n"
    _, beside = leg.at_total
    if beside:
        yield f"    {name}:{BESIDE}  {beside} {beside.currency}\n"


def _text(text: str) -> str:
    return json.dumps(without_controls(text), ensure_ascii=False)


def _assertion(assertion: BookAssertion, names: dict[int, str]) -> str:
    nothing = Money.zero(assertion.balance.currency)
    return (
        f"\n{assertion.day} * Proof {assertion.proof_id}\n    ; digest: {assertion.digest}\n"
        f"    {names[assertion.account_id]}  {nothing} {nothing.currency}"
        f" = {assertion.balance} {assertion.balance.currency}\n"
    )
