"""The fields of an MT940 file, and the line that :61: with its second line and the text of :86: make."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from webapp.importers.bank_files import FileLine, FileRefusedError
from webapp.importers.mt940.texts import Narrative, read_narrative, read_notes
from webapp.importers.mt940.values import entry
from webapp.importers.texts import MAX_TEXT, folded, iban, joined
from webapp.ledger.currencies import DIGITS
from webapp.ledger.matching.lines import is_placeholder

END: Final = "-"

# German, Polish and Hungarian banks add NS to the fields of SWIFT.
_FIELD: Final = re.compile(r"[ \t]*:(\d{2,3}[A-Z]?|NS):")
# A time that is split between two lines at its colon looks like a field: the end of the first and the start of the
# second line.
_HOURS: Final = re.compile(r"[ T:][0-2]?\d(?::\d\d)?")
_SECONDS: Final = re.compile(r":[0-5]\d:[0-5]\d(?!\d)|:[0-5]\d:(?=\D|$)")
_FULL_LINE: Final = 60
# Home-banking programs store downloaded statements with @@ as line ends.
_LINE_END: Final = re.compile(r"\r\n?|\n|@@(?=:|-)")
_ENDS: Final = frozenset({END, "-XXX"})
_BLOCK: Final = re.compile(r"\{[1-5S]:")
_TEXT_BLOCK: Final = "{4:"
_MAX_REFERENCE: Final = 1000
# SWIFT allows six lines of text; no bank writes a hundred.
_MAX_TEXTS: Final = 500
# These in place of a reference only name the part of :86: that has it.
_POINTER: Final = re.compile(r"(?:EREF|KREF|PREF|MREF|MARF|IREF|CREF)\+?")
# Dutch banks write the counterparty's account instead of a reference; it is the same on all lines of that payee.
_ACCOUNT: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z]{4}\d{7,22}")

# Codes of the second line of :61:, such as /OCMT/USD4000,/EXCH/0,92/.
_CODES: Final = re.compile(r"/(OCMT|CHGS|EXCH|RTRN)/([^/\s]{1,40})")
_CODED: Final = re.compile(r"([A-Z]{3})(\d{1,15}(?:[,.]\d{0,10})?)", re.ASCII)


class Mt940Field(NamedTuple):
    """A field with its tag and its lines as written; `line` is the line of the file on which it begins."""

    tag: str
    lines: list[str]
    line: int


def fields(text: str) -> Iterator[Mt940Field]:
    r"""Yield the fields of a text in order, and a field END at the end of a message.

    Text outside of messages is skipped: the blocks of an envelope, and names and numbers before the first field.

    >>> [field[:2] for field in fields("ABNANL2A\n940\n:20:X\n:86:GIRO\n 428428\n-\n")]
    [('20', ['X']), ('86', ['GIRO', ' 428428']), ('-', [])]
    >>> [field[:2] for field in fields("{1:F01X}{4:\r\n:20:X\r\n-}{5:{MAC:0}}")]
    [('20', ['X']), ('-', [])]
    """
    opened: Mt940Field | None = None
    for number, line in enumerate(_LINE_END.split(text), start=1):
        content = line
        found = _FIELD.match(line)
        if not found and (line.strip() in _ENDS or line.startswith("-}") or _BLOCK.match(line)):
            if opened:
                yield opened
                yield Mt940Field(END, [], number)
            opened = None
            if _TEXT_BLOCK not in line:
                continue
            content = line.rpartition(_TEXT_BLOCK)[2]
            found = _FIELD.match(content)
        if found and not (opened and _is_broken_time(opened.lines[-1], content)):
            if opened:
                yield opened
            opened = Mt940Field(found[1], [content[found.end() :]], number)
        elif opened:
            opened.lines.append(content)
    if opened:
        yield opened


def _is_broken_time(before: str, after: str) -> bool:
    """Return whether a full line ends within a time, so that the minutes on the next line look like a tag.

    >>> _is_broken_time("x" * 55 + " am 12-09-2014T16", ":26:37 Folgenr. 7"), _is_broken_time("T16", ":26:37")
    (True, False)
    """
    return len(before) >= _FULL_LINE and bool(_HOURS.search(before[-4:]) and _SECONDS.match(after))


def line(lines: Sequence[str], texts: Sequence[str], notes: Sequence[str], *, row: int) -> FileLine:
    """Read the lines of a :61:, of its :86: and its :NS: as a statement line; raises FileRefusedError."""
    fields = entry(lines[0])
    narrative = read_narrative([text[:MAX_TEXT] for text in texts[:_MAX_TEXTS]])
    structured = read_notes(notes[:_MAX_TEXTS]) if notes else Narrative("")
    details = folded(" ".join(lines[1:]))
    account = iban(details)
    is_account = bool(fields.remark) or bool(_ACCOUNT.fullmatch(fields.reference))
    identity = _identity("" if is_account else fields.reference, fields.bank_reference)
    reference = narrative.reference or (fields.reference if _is_reference(fields.reference) else None)
    # The second line is codes (/OCMT/EUR4,5/), the counterparty's account number, or free text.
    free_text = "" if details.startswith("/") or account else details
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
        iban=narrative.iban or account or iban(fields.reference),
        **_stated(details),
    )


def _stated(details: str) -> dict[str, Any]:
    """Read the codes behind a line: the original amount, charges, the rate and the reason of a return.

    >>> found = _stated("/OCMT/USD4000,/EXCH/0,92/CHGS/EUR19,5/RTRN/AM04/")
    >>> str(found["charges"]), found["original_currency"], found["return_reason"]
    ('19.5', 'USD', 'AM04')
    """
    codes = dict(_CODES.findall(details))
    if not codes:
        return {}
    original, charges = (_CODED.fullmatch(codes.get(name, "")) for name in ("OCMT", "CHGS"))
    if original and original[1] not in DIGITS:
        original = None
    rate = _CODED.fullmatch(f"XXX{codes['EXCH']}") if "EXCH" in codes else None
    return {
        "original_amount": original and _number(original[2]),
        "original_currency": original and original[1],
        "charges": charges and (_number(charges[2]) or None),
        "exchange_rate": rate and _number(rate[2]),
        "return_reason": codes.get("RTRN") or None,
    }


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", ".").rstrip("."))


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
