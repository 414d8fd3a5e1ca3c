"""A bank's texts in all formats: quoting, joining, cutting, and recognising an IBAN."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.ledger.matching.lines import BankText
from webapp.ledger.texts.finding import has_words
from webapp.ledger.texts.legible import cited

# Longer than any field of any format; longer text is cut.
MAX_TEXT: Final = 4_000
# For formats that are read as one text: 400 bytes for each of a hundred thousand lines. A single character beyond the
# usual ones makes the text four times as large.
MOST_BYTES: Final = 40 * 1024 * 1024
# In formats with one line of text per field, a line of a statement has about ten of them.
MAX_TEXT_LINES: Final = 2_000_000

# Characters that only set the direction of writing; programs put them around Arabic and Hebrew amounts and days.
DIRECTION_MARKS: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# Banks cut names at 22 letters and more.
SHORTEST_CUT: Final = 20
# Norway's.
_SHORTEST_IBAN: Final = 15
_MAX_QUOTED: Final = 40
_IBAN: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)


def refuse_too_large(data: bytes) -> None:
    """Refuse a file that would take too much memory as one text, before it becomes one."""
    if len(data) > MOST_BYTES:
        raise FileRefusedError(
            f"The file is larger than {MOST_BYTES // 1024**2} MiB, the most for its format;"
            " export it in shorter periods."
        )


def refuse_too_many_lines(text: str) -> None:
    """Refuse a text with more lines than a hundred thousand statement lines need."""
    if text.count("\n") + text.count("\r") + text.count("@@") > MAX_TEXT_LINES:
        raise FileRefusedError(
            f"The file has more than {MAX_TEXT_LINES:,} lines of text; export it in shorter periods."
        )


def quoted(value: str) -> str:
    """Return a value in quotation marks for a message, cut if it is long."""
    return cited(f"{value[:_MAX_QUOTED]}…" if len(value) > _MAX_QUOTED else value)


def account_label(number: str | None) -> str:
    """Return an account of a file, as the beginning of a sentence."""
    if not number:
        return "An account without a number"
    return f"Account {number if number.isalnum() else cited(number)}"


def folded(text: str) -> str:
    """Return a text on one line, its white space folded, and cut at MAX_TEXT characters."""
    return " ".join(text.split())[:MAX_TEXT]


def joined(texts: Iterable[str | None]) -> str:
    """Join texts and leave out repetitions: a memo often begins with the name that precedes it.

    A text that is as long as a cut field may end within a word of the next one. The keys of lines come from the text
    in which parts of words were left out too.

    >>> joined(["DIVIDEND EARNED FOR", "DIVIDEND EARNED FOR MARCH"]), joined(["Rent", None, "May", "Rent"])
    ('DIVIDEND EARNED FOR MARCH', 'Rent May')
    >>> joined(["Parenthood Ltd", "Rent", "Parent"]), joined(["Parenthood Ltd", "Parent"]).keyed
    ('Parenthood Ltd Rent Parent', 'Parenthood Ltd')
    """
    parts = [part for part in texts if part]
    match parts:
        case []:
            return ""
        case [BankText() as only]:
            return only
        case [only]:
            return only[:MAX_TEXT].rstrip()
    keys = [getattr(part, "keyed", part) for part in parts]
    keyed = _joined(keys, str.__contains__, shortest=0)
    # Where no part is within another one, none is by whole words.
    if keys == parts and keyed == " ".join(keys):
        return keyed
    text = _joined(parts, has_words, shortest=SHORTEST_CUT)
    return keyed if text == keyed else BankText(text, keyed=keyed)


def _joined(texts: Iterable[str], has: Callable[[str, str], bool], *, shortest: int) -> str:
    text_so_far = ""
    for text in texts:
        old, new = text_so_far.casefold(), text.casefold()
        if not old or (new.startswith(old) and (len(old) >= shortest or has(new, old))):
            text_so_far = text
        elif not has(old, new):
            text_so_far = f"{text_so_far} {text}"
        if len(text_so_far) > MAX_TEXT:
            break
    return text_so_far[:MAX_TEXT].rstrip()


def iban(text: str) -> str | None:
    """Return the account number if it is an IBAN with valid check digits (ISO 7064, modulo 97), else None.

    >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88370400440532013000"), iban("12345678")
    ('DE89370400440532013000', None, None)
    """
    if len(text) < _SHORTEST_IBAN:
        return None
    plain = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(plain):
        return None
    number = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return plain if int(number) % 97 == 1 else None
