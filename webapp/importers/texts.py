"""What all formats do alike with a bank's texts: quote one in a message, join several, know an IBAN."""

import re
from collections.abc import Iterable
from typing import Final

from webapp.importers.bank_files import FileRefusedError

# Longer than any field of any format; what lies beyond is cut.
MAX_TEXT: Final = 4_000
# A line of a statement has about ten lines of text in the formats that have one for each field.
MAX_TEXT_LINES: Final = 4_000_000

_MAX_QUOTED: Final = 40
_MAX_IBAN: Final = 34


def refuse_endless(text: str) -> None:
    """Refuse a text of more lines than a hundred thousand lines of a statement can fill."""
    if text.count("\n") + text.count("\r") + text.count("@@") > MAX_TEXT_LINES:
        raise FileRefusedError(
            f"The file has more than {MAX_TEXT_LINES:,} lines of text; export it in shorter periods."
        )


def quoted(value: str) -> str:
    """A value as a message repeats it: marked, and cut where it is long."""
    return f"“{value[:_MAX_QUOTED]}…”" if len(value) > _MAX_QUOTED else f"“{value}”"


def folded(text: str) -> str:
    """A text on one line, its white space folded, and cut where it is longer than any bank's."""
    return " ".join(text.split())[:MAX_TEXT]


def joined(texts: Iterable[str | None]) -> str:
    """All of the bank's text once: many a memo repeats the name it goes on from.

    >>> joined(["DIVIDEND EARNED FOR", "DIVIDEND EARNED FOR MARCH"]), joined(["Rent", None, "May", "Rent"])
    ('DIVIDEND EARNED FOR MARCH', 'Rent May')
    """
    whole = ""
    for text in filter(None, texts):
        if text.casefold().startswith(whole.casefold()):
            whole = text
        elif text.casefold() not in whole.casefold():
            whole = f"{whole} {text}"
        if len(whole) > MAX_TEXT:
            break
    return whole[:MAX_TEXT].rstrip()


def iban(text: str) -> str | None:
    """The account number where it is an IBAN by its check digits (ISO 7064, modulo 97).

    >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88370400440532013000"), iban("12345678")
    ('DE89370400440532013000', None, None)
    """
    plain = text.replace(" ", "").upper()
    if len(plain) > _MAX_IBAN or not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain, re.ASCII):
        return None
    number = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return plain if int(number) % 97 == 1 else None
