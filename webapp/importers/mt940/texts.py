"""The dialects of field :86:, the narrative with counterparty, purpose and references of a line.

German, Austrian and Polish banks number its parts (?20 … ?32), with a question mark or another one, and put SEPA
tags (EREF+, SVWZ+) into them; Dutch banks write codes between slashes (/NAME/…/REMI/…); others write free text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from webapp.importers.texts import folded, iban, joined
from webapp.ledger.matching.lines import is_placeholder

# Field :86: has 65 characters per line; some systems wrap one earlier.
_WRAPPED_AT: Final = 64
_FULL_PART: Final = 27

# Usually behind a code of three digits; some banks leave it out and begin with the first part.
_NUMBERED: Final = re.compile(
    r"\s*(?:\d{3}([^\w\s,./:+-])(?=\d\d)|([^\w\s,./:+-])(?=[02]0\D[^\r\n]*\2[2-6]\d))"
)
_PURPOSE: Final = [str(number) for number in range(20, 30)]
_MORE: Final = [str(number) for number in range(60, 64)]
_SEPA: Final = re.compile(r"(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|COAM|OAMT|RREF|PURP|MTLG)\+")

_CODES: Final = (
    "ADDR|BENM|BIC|BUSP|CNTP|CREF|CSID|EREF|IBAN|ID|IREF|ISDT|KREF|MARF|NAME|NRTX|ORDP|PREF|PURP|REMI|RTRN"
    "|SVCL|TRCD|TRTP|UCRD|UDTR|ULTB|ULTC|ULTD"
)
_CODED: Final = re.compile(rf"/({_CODES})/")
_IBAN_AND_NAME: Final = re.compile(r"\s*([A-Z]{2}\d{2}[A-Z0-9]{11,30})\b\s*(.*)")
_ACCOUNT_AND_NAME: Final = re.compile(r"\bREK: ?(?P<iban>\w+)/NAAM: ?(?P<name>[^/]+)")


class Narrative(NamedTuple):
    """The details of a line in its narrative."""

    text: str
    counterparty: str | None = None
    iban: str | None = None
    reference: str | None = None


def read_narrative(lines: Sequence[str]) -> Narrative:
    """Read the lines of :86: in the dialect they are in, else as free text."""
    unbroken = "".join(lines)
    if found := _NUMBERED.match(unbroken):
        mark = found[1] or found[2]
        return _numbered(unbroken[found.end() - len(mark) :], mark)
    text = _unwrapped(lines)
    if _CODED.match(text.lstrip()):
        return _coded(text)
    return _free(lines, text)


def read_notes(lines: Iterable[str]) -> Narrative:
    """Read the numbered lines of :NS:, which German and Hungarian banks add to :86: or use instead of it.

    >>> read_notes(["01Rechnung 7", "02Mai", "15Erika", "16Muster", "17Gutschrift", "191000"])
    Narrative(text='Erika Muster Rechnung 7 Mai Gutschrift', counterparty='Erika Muster', iban=None, reference=None)
    """
    parts = [(line[:2], folded(line[2:])) for line in lines if line[:2].isdecimal()]
    name = " ".join(text for number, text in parts if number in {"15", "16"} and text) or None
    purposes = [text for number, text in parts if "01" <= number <= "14"]
    kinds = [text for number, text in parts if number == "17"]
    return Narrative(joined([name, " ".join(filter(None, purposes)), *kinds]), name)


def _unwrapped(lines: Iterable[str]) -> str:
    """Join the lines; a full line continues in the next without a space."""
    text = ""
    is_full = True
    for line in lines:
        text += line if is_full else f" {line}"
        is_full = len(line) >= _WRAPPED_AT
    return text


def _numbered(text: str, mark: str) -> Narrative:
    """Read numbered parts of at most 27 characters; a full part continues in the next.

    >>> narrative = _numbered("?00SEPA?20EREF+F 7?21SVWZ+Strom fuer den Monat Ma?22erz?32Stadt?33werke", "?")
    >>> narrative.text, narrative.reference
    ('Stadtwerke Strom fuer den Monat Maerz SEPA', 'F 7')
    """
    parts: dict[str, str] = {}
    number = ""
    for piece in text.split(mark)[1:]:
        # A mark without a number behind it is one of the text.
        is_part = len(piece) > 1 and piece[:2].isdecimal()
        number, more = (piece[:2], piece[2:]) if is_part else (number, mark + piece)
        parts[number] = parts.get(number, "") + more
    lead, *tagged = _SEPA.split(_joined_parts(parts, _PURPOSE))
    tags = dict(zip(tagged[::2], map(folded, tagged[1::2]), strict=True))
    purposes = [folded(lead), *(tags.get(tag) for tag in ("SVWZ", "ABWA", "MTLG"))]
    name = folded(parts.get("32", "") + parts.get("33", "")) or None
    return Narrative(
        text=joined([name, *purposes, folded(_joined_parts(parts, _MORE)), folded(parts.get("00", ""))]),
        counterparty=name,
        iban=iban(parts.get("31", "")) or iban(parts.get("38", "")),
        reference=_reference(tags.get("EREF"), tags.get("KREF")),
    )


def _joined_parts(parts: Mapping[str, str], numbers: Iterable[str]) -> str:
    """Join the parts of these numbers; a full part continues in the next without a space."""
    present = [parts[number] for number in numbers if number in parts]
    return "".join([part if len(part) >= _FULL_PART else f"{part} " for part in present])


def _coded(text: str) -> Narrative:
    """Read values behind codes between slashes.

    >>> _coded("/EREF/EV123//CNTP/NL91ABNA0417164300/ABNANL2A/TEA SHOP///REMI/USTD//Green tea/")
    Narrative(text='TEA SHOP Green tea', counterparty='TEA SHOP', iban='NL91ABNA0417164300', reference='EV123')
    """
    _, *pieces = _CODED.split(text)
    values: dict[str, str] = {}
    for code, piece in zip(pieces[::2], pieces[1::2], strict=True):
        values.setdefault(code, piece)
    party = [*values.get("CNTP", "").split("/"), "", "", ""]
    purpose = values.get("REMI", "").strip("/ ")
    structured = purpose.removeprefix("STRD/").split("/") if purpose.startswith("STRD/") else []
    name = folded(values.get("NAME", "").strip("/ ")) or folded(party[2]) or None
    return Narrative(
        text=joined(
            [
                name,
                folded(purpose.removeprefix("USTD").lstrip("/ ")),
                folded(values.get("TRTP", "").strip("/ ")),
            ]
        ),
        counterparty=name,
        iban=iban(values.get("IBAN", "").strip("/ ")) or iban(party[0]),
        reference=_reference(*structured[-1:], values.get("EREF", "").strip("/ ")),
    )


def _free(lines: Sequence[str], text: str) -> Narrative:
    """Read free text, with the counterparty's account and name where a bank writes them first or last."""
    first = _IBAN_AND_NAME.match(lines[0]) if lines else None
    if first and (account := iban(first[1])):
        name = folded(first[2]) or None
        return Narrative(joined([name, folded(_unwrapped(lines[1:]))]), name, account)
    if found := _ACCOUNT_AND_NAME.search(text):
        return Narrative(folded(text), folded(found["name"]) or None, iban(found["iban"]))
    return Narrative(joined([folded(text)]))


def _reference(*references: str | None) -> str | None:
    return next((folded(text) for text in references if text and not is_placeholder(text)), None)
