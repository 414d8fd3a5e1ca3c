"""Beancount: opened accounts, all entries, and a balance directive per standing proof.

Syntax: https://beancount.github.io/docs/beancount_language_syntax.html
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from webapp.exporters.books import BookAssertion, BookEntry, BookLeg, ExportedBook
from webapp.exporters.names import BESIDE, account_names
from webapp.ledger.texts.controls import without_controls

# Beancount makes a price of 28 digits of a total, and allows nothing for that in an entry without a leg in the base
# currency. This is less than half of the smallest minor unit of any currency.
TOLERANCE: Final = "0.00001"
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def write(book: ExportedBook) -> Iterator[str]:
    """Yield the book in pieces, with our exact balance of every account in every currency."""
    names = account_names(book.accounts)
    yield f'option "title" {quoted(book.name)}\n'
    yield f'option "operating_currency" "{book.base_currency}"\n'
    yield f'option "inferred_tolerance_default" "{book.base_currency}:{TOLERANCE}"\n\n'
    for account in book.accounts:
        yield f"{book.first_day} open {names[account.id]}\n  name: {quoted(account.name)}\n"
        yield f"{book.first_day} open {names[account.id]}:{BESIDE} {book.base_currency}\n"
    for entry in book.entries:
        yield from _entry(entry, names)
    for assertion in book.assertions:
        yield _assertion(assertion, names)


def _entry(entry: BookEntry, names: dict[int, str]) -> Iterator[str]:
    links = "".join(f" ^settlement-{each}" for each in entry.settlement_ids)
    yield f"\n{entry.day} * {quoted(entry.description)}{links}\n  entry: {entry.id}\n  number: {entry.number}\n"
    yield f'  source: "{entry.source}"\n'
    if entry.status == "VOIDED":
        yield "  voided: TRUE\n"
    for key, other in entry.links.items():
        yield f"  {key}: {other}\n"
    for leg in entry.legs:
        yield from _leg(leg, names[leg.account_id])


def _leg(leg: BookLeg, name: str) -> Iterator[str]:
    yield f"  {name}  {leg.priced}\n"
    for key, text in leg.labels.items():
        yield f"    {key}: {quoted(text)}\n"
    _, beside = leg.at_total
    if beside:
        yield f"  {name}:{BESIDE}  {beside} {beside.currency}\n"


def _assertion(assertion: BookAssertion, names: dict[int, str]) -> str:
    """Write a balance directive: Beancount means the beginning of the day, our proofs the close."""
    day = assertion.day + timedelta(days=1)
    balance = f"{assertion.balance} ~ 0 {assertion.balance.currency}"
    return (
        f"\n{day} balance {names[assertion.account_id]}  {balance}\n"
        f'  proof: {assertion.proof_id}\n  digest: "{assertion.digest}"\n'
    )


def quoted(text: str) -> str:
    r"""Write a text between quotes; line ends are written as letters, other controls as their code points.

    >>> print(quoted('He said "no"\nand left \\o/'))
    "He said \"no\"\nand left \\o/"
    >>> print(quoted("\x1b[2J"))
    "⟨001B⟩[2J"
    """
    return f'"{without_controls(text).translate(_ESCAPES)}"'
