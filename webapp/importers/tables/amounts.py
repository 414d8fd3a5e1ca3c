"""Amounts in CSV in the formats of many countries, read exactly with known decimal and thousands marks."""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables.typed_cells import DayCell, ErrorCell, NumberCell, untyped_cells
from webapp.importers.texts import DIRECTION_MARKS, quoted
from webapp.importers.values import MAX_DIGITS
from webapp.ledger.currencies import DIGITS, canonical

_MAX_LENGTH: Final = 60
_SPACES: Final = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-", "\u2013": "-"}
    | dict.fromkeys(DIRECTION_MARKS, "")
)
DASHES: Final = str.maketrans({"\u2212": "-", "\u2013": "-"})
# The Arabic signs of currencies, as letters with a point between them; most banks write one behind the last too.
_ARABIC: Final = {
    "\u062f.\u0627": "JOD",
    "\u062f.\u0623": "JOD",
    "\u062f.\u0625": "AED",
    "\u062f.\u0628": "BHD",
    "\u062f.\u062a": "TND",
    "\u062f.\u062c": "DZD",
    "\u062f.\u0639": "IQD",
    "\u062f.\u0643": "KWD",
    "\u062f.\u0644": "LYD",
    "\u062f.\u0645": "MAD",
    "\u062c.\u0633": "SDG",
    "\u062c.\u0645": "EGP",
    "\u0631.\u0633": "SAR",
    "\u0631.\u0639": "OMR",
    "\u0631.\u0642": "QAR",
    "\u0631.\u064a": "YER",
    "\u0644.\u0633": "SYP",
    "\u0644.\u0644": "LBP",
}
# The currency of a symbol; None for the dollar, the yen, the rupee and the krone, which several countries have.
_SYMBOLS: Final = {
    "€": "EUR",
    "£": "GBP",
    "₽": "RUB",
    "₹": "INR",
    "$": None,
    "¥": None,
    "￥": None,
    "R$": "BRL",
    "US$": "USD",
    "A$": "AUD",
    "CA$": "CAD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "zł": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "kr": None,
    "kr.": None,
    "Rs": None,
    "Rs.": None,
    "Fr.": "CHF",
    "₺": "TRY",
    "₴": "UAH",
    "₪": "ILS",
    "₩": "KRW",
    "₫": "VND",
    "฿": "THB",
    "元": "CNY",
    "円": "JPY",
    "\u0440\u0443\u0431.": "RUB",
    **_ARABIC,
    **{f"{sign}.": currency for sign, currency in _ARABIC.items()},
}
_NAMES: Final = {"人民币": "CNY", "rmb": "CNY", "€": "EUR", "£": "GBP"}
_LONGEST_FIRST: Final = "|".join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))
_CURRENCIES: Final = re.compile(rf"(?<![A-Za-z])(?:[A-Z]{{3}}(?![A-Za-z])|{_LONGEST_FIRST})")
_MARKED: Final = re.compile(
    r"(?P<number>.*?)\s*(?:(?P<mark>CR|DR|Cr|Dr|cr|dr)\.?|(?P<letter>(?<=[\d\s])[CDHS]))"
)
_OUT_MARKS: Final = frozenset({"DR", "D", "S"})
_CORE: Final = re.compile(r"\d[\d.,' ]*", re.ASCII)
_IN_CENTS: Final = re.compile(r"[-+]?[0-9]+([.,])[0-9]{2}")
_ALIKE: Final = 3
# The digits of currencies by which a mark before three digits is certain.
_CERTAIN: Final = (0, 3)


def exact(text: str, decimal: str, thousands: str) -> Decimal | None:
    """Read an amount exactly with these marks ("" for no thousands mark), or None where it is not an amount.

    >>> [str(exact(text, ".", ",")) for text in ("-1,000.00", "(12.00)", "12-", "- $5", "5.00 DR", "1,00", "1e5")]
    ['-1000.00', '-12.00', '-12', '-5', '-5.00', 'None', 'None']
    >>> str(exact("1\u202f234,50", ",", " ")), exact("1.234", ",", ""), exact("-5 DR", ".", ""), exact("½", ".", "")
    ('1234.50', None, None, None)
    >>> str(exact("\u062f.\u0627.\u200f4.750", ".", "")), str(exact("\u200f-1.5 \u0631.\u0633", ".", ""))
    ('4.750', '-1.5')
    """
    if isinstance(text, (NumberCell, DayCell, ErrorCell)):
        return exact(str(text), ".", "") if isinstance(text, NumberCell) else None
    # The fast path for nearly all amounts; a file may have hundreds of thousands.
    if _simple(decimal, thousands).fullmatch(text):
        value = Decimal((text.replace(thousands, "") if thousands else text).replace(",", "."))
        return value or abs(value)
    plain = text.translate(_SPACES).strip()
    if len(plain) > _MAX_LENGTH:
        return None
    number_text = _without_currency(plain)
    core, signs = _without_signs(number_text or "")
    if core is None or len(signs) > 1:
        return None
    number = _digits(core, decimal, thousands)
    if number is None or len(number.replace(".", "").lstrip("0")) > MAX_DIGITS:
        return None
    value = Decimal(number)
    return value.copy_negate() if signs == ["-"] and value else value


@lru_cache(32)
def _simple(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of amounts with a minus or no sign, and with nothing else than these marks."""
    grouped = rf"|[0-9]{{1,3}}(?:{re.escape(thousands)}[0-9]{{3}}){{1,5}}" if thousands else ""
    return re.compile(rf"-?(?:[0-9]{{1,18}}{grouped})(?:{re.escape(decimal)}[0-9]{{1,8}})?")


def has_own_sign(text: str) -> bool:
    """Return whether an amount says itself that it is money in or out: by CR or DR, or by a plus.

    >>> [has_own_sign(text) for text in ("12.00 CR", "+ £150.00", "5.00 DR", "12.00", "-12.00", "(5)")]
    [True, True, True, False, False, False]
    """
    if isinstance(text, (NumberCell, DayCell, ErrorCell)):
        return False
    if text.isascii() and text[-1:].isdigit():
        return "+" in text
    return "+" in text or bool(_MARKED.fullmatch(text.translate(_SPACES).strip()))


def currency_in(text: str) -> str | None:
    """Return the currency that an amount's own code or symbol names unambiguously.

    >>> currency_in("EUR 12.00"), currency_in("12,00 €"), currency_in("$12"), currency_in("12")
    ('EUR', 'EUR', None, None)
    """
    found = (
        None
        if text.isascii() and text[-1:].isdigit() and text[:2].strip("-+0123456789.,") == ""
        else _CURRENCIES.search(text)
    )
    if not found:
        return None
    return _SYMBOLS.get(found[0], found[0] if found[0] in DIGITS else None)


def currency_code(text: str) -> str:
    """Return the currency of a cell of currencies, by its code or a common name; raises UnknownCurrencyError.

    >>> currency_code("chf"), currency_code("RMB")
    ('CHF', 'CNY')
    """
    return canonical(_NAMES.get(text.casefold(), text))


def marks(texts: Iterable[str], digits: int | None = None) -> tuple[str, str]:
    """Find the decimal mark and the thousands mark from all amounts of a file.

    `digits` are those of the file's currency: without cents a mark is one of thousands, with three it is before them.

    >>> marks(["1.234,56"]), marks(["12.5", "1,000"]), marks(["1 234,5"]), marks(["12"])
    ((',', '.'), ('.', ','), (',', ' '), ('.', ''))
    >>> marks(["1,234"], 0), marks(["1,234"], 3)
    (('.', ','), (',', ''))

    Raises MappingNeededError where all amounts are ambiguous: 1,234 may be a thousand or a little more than one.
    """
    votes: set[str] = set()
    found_marks: set[str] = set()
    unclear = unclear_mark = ""
    cells = dict.fromkeys(texts)
    for text in dict.fromkeys(untyped_cells(cells)):
        if plain := _IN_CENTS.fullmatch(text):
            votes.add(plain[1])
            found_marks.add(plain[1])
            continue
        found = _CORE.search(text[:_MAX_LENGTH].translate(_SPACES))
        core = found[0].strip() if found else ""
        found_marks.update(set(core) & {".", ",", " ", "'"})
        mark = _decimal(core)
        if mark:
            votes.add(mark)
        elif mark is None:
            unclear = unclear or text.strip()
            unclear_mark = "," if "," in core else "."
    if unclear and not votes and digits in _CERTAIN and len(found_marks) == 1:
        votes.add(unclear_mark if digits else "," if unclear_mark == "." else ".")
    # A spreadsheet that opens another country's CSV reads 1.234 as a number and 1.234,56 as a text.
    is_mixed = "," in votes and any(isinstance(cell, NumberCell) for cell in cells)
    if len(votes) > 1 or (unclear and not votes) or is_mixed:
        example = f" such as {quoted(unclear)}" if unclear else ""
        raise MappingNeededError(
            f"Amounts{example} can be read in two ways; name the mark before the cents in the mapping, as decimal,"
            " and the one between thousands, as thousands.",
            "decimal",
            example=unclear.strip(),
        )
    decimal = votes.pop() if votes else "."
    groups = sorted(found_marks - {decimal}, reverse=True)
    return decimal, groups[0] if len(groups) == 1 else ""


def grouping(texts: Iterable[str], decimal: str) -> str:
    """Find the thousands mark for a known decimal mark; "" for none or several.

    >>> grouping(["1.234,56", "7"], ","), grouping(["1 234,56"], ","), grouping(["1.5", "7"], "."), grouping([], ".")
    ('.', ' ', '', '')
    """
    found_marks: set[str] = set()
    for text in dict.fromkeys(texts):
        found = _CORE.search(text[:_MAX_LENGTH].translate(_SPACES))
        found_marks.update(set(found[0].strip() if found else "") & {".", ",", " ", "'"})
    groups = sorted(found_marks - {decimal})
    return groups[0] if len(groups) == 1 else ""


def _decimal(core: str) -> str | None:
    """Return the decimal mark of a number: "" without any mark, None if it is ambiguous."""
    last = max(core.rfind("."), core.rfind(","))
    if last < 0:
        return ""
    mark, behind = core[last], len(core) - last - 1
    other = "," if mark == "." else "."
    if core.count(mark) > 1:
        return other
    if other in core or behind != _ALIKE or last > _ALIKE or core.startswith("0") or " " in core:
        return mark
    return None


def _without_currency(plain: str) -> str | None:
    """Remove one currency code or symbol from the number; None if there is another word."""
    found = _CURRENCIES.findall(plain)
    if not found:
        return plain
    if len(found) > 1 or (found[0] not in _SYMBOLS and found[0] not in DIGITS):
        return None
    before, _, behind = plain.partition(found[0])
    if any(map(str.isdigit, before)) and any(map(str.isdigit, behind)):
        return None
    return before.rstrip() + behind.lstrip()


def _without_signs(plain: str) -> tuple[str | None, list[str]]:
    """Remove and list the signs: before, behind, parentheses, CR and DR, C and D, and German H and S."""
    signs = []
    if marked := _MARKED.fullmatch(plain):
        signs.append("-" if (marked["mark"] or marked["letter"]).upper() in _OUT_MARKS else "+")
        plain = marked["number"]
    if plain.startswith("(") and plain.endswith(")"):
        signs.append("-")
        plain = plain[1:-1].strip()
    if plain[:1] in {"-", "+"}:
        signs.append(plain[0])
        plain = plain[1:].lstrip()
    if plain[-1:] in {"-", "+"}:
        signs.append(plain[-1])
        plain = plain[:-1].rstrip()
    return plain or None, signs


def _digits(plain: str, decimal: str, thousands: str) -> str | None:
    """Return the number as Python writes it; None if its groups of thousands are incomplete."""
    integer, mark, fraction = plain.partition(decimal)
    if mark and not re.fullmatch(r"[0-9]+", fraction):
        return None
    if thousands and thousands in integer:
        if not re.fullmatch(_groups(thousands), integer):
            return None
        integer = integer.replace(thousands, "")
    if not re.fullmatch(r"[0-9]+", integer) and not (mark and not integer):
        return None
    return f"{integer or 0}.{fraction}" if mark else integer


def _groups(mark: str) -> str:
    """Groups of three, or India's of two before the last."""
    three = rf"[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{3}})+"
    return rf"{three}|[0-9]{{1,2}}(?:,[0-9]{{2}})+,[0-9]{{3}}" if mark == "," else three
