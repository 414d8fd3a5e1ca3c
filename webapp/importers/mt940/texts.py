"""The dialects of field :86:, in which banks write who paid, what for and under which reference.

German, Austrian and Polish banks number parts (?20 … ?32), also with another mark than the question mark, and
put the tags of SEPA (EREF+, SVWZ+) into them; Dutch ones write codes between slashes (/NAME/…/REMI/…);
others write what a person reads.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.importers.texts import folded, iban, joined
from webapp.ledger.matching.lines import is_placeholder

# Field :86: has 65 characters a line; some systems break a little before.
_WRAPPED_AT: Final = 64
_FULL_PART: Final = 27

# Mostly behind a code of three digits; some banks leave it out and begin with their first part.
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


@dataclass(frozen=True, slots=True)
class Told:
    """What the text of a line tells."""

    text: str
    counterparty: str | None = None
    iban: str | None = None
    reference: str | None = None


def told(lines: Sequence[str]) -> Told:
    """Read the lines of :86: in whichever dialect they are; in none of them they are text as they stand."""
    straight = "".join(lines)
    if found := _NUMBERED.match(straight):
        mark = found[1] or found[2]
        return _numbered(straight[found.end() - len(mark) :], mark)
    whole = _unwrapped(lines)
    if _CODED.match(whole.lstrip()):
        return _coded(whole)
    return _free(lines, whole)


def noted(lines: Iterable[str]) -> Told:
    """Read the lines of :NS:, each under a number, which German and Hungarian banks have beside :86: or for it.

    >>> noted(["01Rechnung 7", "02Mai", "15Erika", "16Muster", "17Gutschrift", "191000"])
    Told(text='Erika Muster Rechnung 7 Mai Gutschrift', counterparty='Erika Muster', iban=None, reference=None)
    """
    parts = [(line[:2], folded(line[2:])) for line in lines if line[:2].isdecimal()]
    name = " ".join(text for number, text in parts if number in {"15", "16"} and text) or None
    purposes = [text for number, text in parts if "01" <= number <= "14"]
    kinds = [text for number, text in parts if number == "17"]
    return Told(joined([name, " ".join(filter(None, purposes)), *kinds]), name)


def _unwrapped(lines: Iterable[str]) -> str:
    """The lines as one; where one is full, the next goes on in the middle of a word."""
    whole = ""
    is_full = True
    for line in lines:
        whole += line if is_full else f" {line}"
        is_full = len(line) >= _WRAPPED_AT
    return whole


def _numbered(text: str, mark: str) -> Told:
    """Read parts of at most 27 characters under numbers; a full one goes on in the next.

    >>> said = _numbered("?00SEPA?20EREF+F 7?21SVWZ+Strom fuer den Monat Ma?22erz?32Stadt?33werke", "?")
    >>> said.text, said.reference
    ('Stadtwerke Strom fuer den Monat Maerz SEPA', 'F 7')
    """
    _, *pieces = re.split(rf"{re.escape(mark)}(\d\d)", text)
    parts: dict[str, str] = {}
    for number, piece in zip(pieces[::2], pieces[1::2], strict=True):
        parts[number] = parts.get(number, "") + piece
    lead, *tagged = _SEPA.split(_going_on(parts, _PURPOSE))
    said = dict(zip(tagged[::2], map(folded, tagged[1::2]), strict=True))
    purposes = [folded(lead), *(said.get(tag) for tag in ("SVWZ", "ABWA", "MTLG"))]
    name = folded(parts.get("32", "") + parts.get("33", "")) or None
    return Told(
        text=joined([name, *purposes, folded(_going_on(parts, _MORE)), folded(parts.get("00", ""))]),
        counterparty=name,
        iban=iban(parts.get("31", "")) or iban(parts.get("38", "")),
        reference=_reference(said.get("EREF"), said.get("KREF")),
    )


def _going_on(parts: Mapping[str, str], numbers: Iterable[str]) -> str:
    """The parts of these numbers as one text: a full one goes on in the next in the middle of a word."""
    present = (parts[number] for number in numbers if number in parts)
    return "".join(part if len(part) >= _FULL_PART else f"{part} " for part in present)


def _coded(text: str) -> Told:
    """Read what stands under codes between slashes.

    >>> _coded("/EREF/EV123//CNTP/NL91ABNA0417164300/ABNANL2A/TEA SHOP///REMI/USTD//Green tea/")
    Told(text='TEA SHOP Green tea', counterparty='TEA SHOP', iban='NL91ABNA0417164300', reference='EV123')
    """
    _, *pieces = _CODED.split(text)
    said: dict[str, str] = {}
    for code, piece in zip(pieces[::2], pieces[1::2], strict=True):
        said.setdefault(code, piece)
    party = [*said.get("CNTP", "").split("/"), "", "", ""]
    purpose = said.get("REMI", "").strip("/ ")
    structured = purpose.removeprefix("STRD/").split("/") if purpose.startswith("STRD/") else []
    name = folded(said.get("NAME", "").strip("/ ")) or folded(party[2]) or None
    return Told(
        text=joined(
            [
                name,
                folded(purpose.removeprefix("USTD").lstrip("/ ")),
                folded(said.get("TRTP", "").strip("/ ")),
            ]
        ),
        counterparty=name,
        iban=iban(said.get("IBAN", "").strip("/ ")) or iban(party[0]),
        reference=_reference(*structured[-1:], said.get("EREF", "").strip("/ ")),
    )


def _free(lines: Sequence[str], whole: str) -> Told:
    """Read a text for people, with the account and the name of the other side where a bank puts them first or last."""
    first = _IBAN_AND_NAME.match(lines[0]) if lines else None
    if first and (account := iban(first[1])):
        name = folded(first[2]) or None
        return Told(joined([name, folded(_unwrapped(lines[1:]))]), name, account)
    if found := _ACCOUNT_AND_NAME.search(whole):
        return Told(folded(whole), folded(found["name"]) or None, iban(found["iban"]))
    return Told(joined([folded(whole)]))


def _reference(*references: str | None) -> str | None:
    return next((folded(text) for text in references if text and not is_placeholder(text)), None)
