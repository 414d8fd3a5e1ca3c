"""One line of an MT940 statement: :61: with its second line, and the text of :86:."""

import re
from collections.abc import Sequence
from typing import Final

from webapp.importers.bank_files import FileRefusedError, Line
from webapp.importers.mt940.texts import noted, told
from webapp.importers.mt940.values import entry
from webapp.importers.texts import MAX_TEXT, folded, iban, joined
from webapp.ledger.matching.lines import is_placeholder

_MAX_REFERENCE: Final = 1000
# SWIFT allows six lines of text, and no bank writes a hundred.
_MAX_TEXTS: Final = 500
# Where these stand for a reference, they say only in which part of :86: it is.
_POINTER: Final = re.compile(r"(?:EREF|KREF|PREF|MREF|MARF|IREF|CREF)\+?")
# Dutch banks put the other side's account where a reference belongs; it stands on every line of that payee.
_ACCOUNT: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z]{4}\d{7,22}")


def line(lines: Sequence[str], texts: Sequence[str], notes: Sequence[str], *, row: int) -> Line:
    """Read the lines of a :61:, of its :86: and its :NS: as a line of a statement; raises FileRefusedError."""
    read = entry(lines[0])
    said, beside = told([text[:MAX_TEXT] for text in texts[:_MAX_TEXTS]]), noted(notes[:_MAX_TEXTS])
    details = folded(" ".join(lines[1:]))
    is_account = bool(read.remark) or bool(_ACCOUNT.fullmatch(read.reference))
    identity = _identity("" if is_account else read.reference, read.bank_reference)
    reference = said.reference or (read.reference if _says_something(read.reference) else None)
    # The second line is codes (/OCMT/EUR4,5/), the other account's number, or words.
    words = "" if details.startswith("/") or iban(details) else details
    return Line(
        row=row,
        booked_on=read.booked_on,
        value_on=read.value_on,
        amount=read.amount,
        pending=read.pending,
        provider_transaction_id=identity,
        description=joined([read.remark, said.text, beside.text, words]) or reference or "",
        counterparty=said.counterparty or beside.counterparty or folded(read.remark) or None,
        reference=reference if reference != identity else None,
        iban=said.iban or iban(details) or iban(read.reference),
    )


def _identity(reference: str, bank_reference: str) -> str | None:
    """The bank's own reference as it was sent, else the one that it keeps for the account holder.

    >>> _identity("NONREF", "B4E07XM00J000023"), _identity("KREF+", ""), _identity("NONREF", "")
    ('B4E07XM00J000023', None, 'NONREF')
    """
    if len(reference) + len(bank_reference) > _MAX_REFERENCE:
        raise FileRefusedError(f"its reference is longer than {_MAX_REFERENCE:,} characters.")
    # A lone letter, too, says only that there is none.
    both = [text for text in (bank_reference, reference) if len(text) > 1 and not _POINTER.fullmatch(text)]
    return next((text for text in both if not is_placeholder(text)), both[0] if both else None)


def _says_something(reference: str) -> bool:
    return not (is_placeholder(reference) or _POINTER.fullmatch(reference))
