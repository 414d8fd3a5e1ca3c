"""One line of an MT940 statement: field :61: with its second line, and the text of :86:."""

import re
from collections.abc import Sequence
from typing import Final

from webapp.importers.bank_files import FileLine, FileRefusedError
from webapp.importers.mt940.texts import read_narrative, read_notes
from webapp.importers.mt940.values import entry
from webapp.importers.texts import MAX_TEXT, folded, iban, joined
from webapp.ledger.matching.lines import is_placeholder

_MAX_REFERENCE: Final = 1000
# SWIFT allows six lines of text; no bank writes a hundred.
_MAX_TEXTS: Final = 500
# These in place of a reference only name the part of :86: that has it.
_POINTER: Final = re.compile(r"(?:EREF|KREF|PREF|MREF|MARF|IREF|CREF)\+?")
# Dutch banks write the counterparty's account instead of a reference; it is the same on all lines of that payee.
_ACCOUNT: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z]{4}\d{7,22}")


def line(lines: Sequence[str], texts: Sequence[str], notes: Sequence[str], *, row: int) -> FileLine:
    """Read the lines of a :61:, of its :86: and its :NS: as a statement line; raises FileRefusedError."""
    fields = entry(lines[0])
    narrative, structured = (
        read_narrative([text[:MAX_TEXT] for text in texts[:_MAX_TEXTS]]),
        read_notes(notes[:_MAX_TEXTS]),
    )
    details = folded(" ".join(lines[1:]))
    is_account = bool(fields.remark) or bool(_ACCOUNT.fullmatch(fields.reference))
    identity = _identity("" if is_account else fields.reference, fields.bank_reference)
    reference = narrative.reference or (fields.reference if _is_reference(fields.reference) else None)
    # The second line is codes (/OCMT/EUR4,5/), the counterparty's account number, or free text.
    free_text = "" if details.startswith("/") or iban(details) else details
    return FileLine(
        row=row,
        booked_on=fields.booked_on,
        value_on=fields.value_on,
        has_moved_value_day=fields.has_moved_value_day,
        amount=fields.amount,
        pending=fields.pending,
        provider_transaction_id=identity,
        description=joined([fields.remark, narrative.text, structured.text, free_text]) or reference or "",
        counterparty=narrative.counterparty or structured.counterparty or folded(fields.remark) or None,
        reference=reference if reference != identity else None,
        iban=narrative.iban or iban(details) or iban(fields.reference),
    )


def _identity(reference: str, bank_reference: str) -> str | None:
    """Return the bank's own reference as sent, else the one for the account holder.

    >>> _identity("NONREF", "B4E07XM00J000023"), _identity("KREF+", ""), _identity("NONREF", "")
    ('B4E07XM00J000023', None, 'NONREF')
    """
    if len(reference) + len(bank_reference) > _MAX_REFERENCE:
        raise FileRefusedError(f"its reference is longer than {_MAX_REFERENCE:,} characters.")
    # A single letter also means that there is none.
    candidates = [
        text for text in (bank_reference, reference) if len(text) > 1 and not _POINTER.fullmatch(text)
    ]
    return next(
        (text for text in candidates if not is_placeholder(text)), candidates[0] if candidates else None
    )


def _is_reference(reference: str) -> bool:
    return not (is_placeholder(reference) or _POINTER.fullmatch(reference))
