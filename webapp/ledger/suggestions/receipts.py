"""Total and day in the text of a receipt, by the words next to them: offered to a person, never taken.

The words are those of European and American receipts and invoices; a figure counts as an amount if it has
two decimals, so numbers, rates and quantities do not count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.ledger.currencies import ACTIVE
from webapp.ledger.notation.days import LATEST, read_day

LONGEST_QUOTE: Final = 80
# A label may stand some lines above its figure.
NEAR_LINES: Final = 3
LAST_MONTH: Final = 12
END: Final = 10_000
SIGNS: Final = {"€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "zł": "PLN"}

# Codes of currencies that are words of receipts too.
_WORDS: Final = frozenset({"ALL", "TOP", "TRY", "SOS", "MOP", "CUP", "PEN", "GEL", "BAM"})

_AMOUNT: Final = re.compile(
    r"(?<![\w.,])(?P<sign>[-\N{MINUS SIGN}] ?)?"
    r"(?P<whole>\d{1,3}(?:[.,'\N{RIGHT SINGLE QUOTATION MARK}\s]\d{3}){1,5}|\d+)"
    r"[.,](?P<cents>\d\d)(?![.,]?\d)(?!\s*%)"
)
# The gross total first, then any total, then what is left to pay.
_TOTALS: Final = (
    re.compile(
        r"grand total|total (?:ttc|due|amount|incl|inc\b|payable)|invoice total|gesamt(?:betrag|summe|preis)|"
        r"rechnungs(?:betrag|summe|gesamtbetrag)|brutto(?:betrag|summe)?\b|endbetrag|endsumme|montant (?:total|ttc)|"
        r"importe total|total factura|totale (?:fattura|documento)|totaalbedrag|totaal incl"
    ),
    re.compile(r"\btotal[ei]?\b|\btotaal\b|\bsumme\b|\bgesamt\b|\brazem\b|\bcelkem\b"),
    re.compile(
        r"(?:amount|balance) due|due payable|zu zahlen|zahlbetrag|zahlbarer betrag|à payer|a pagar|da pagare|te betalen"
    ),
)
_GROSS: Final = re.compile(
    r"net à payer|\binc(?:l|luding)?\b|\binkl|\bttc\b|\bbrutto|\bgross\b|\bivato\b|iva incl"
)
_OTHER_TOTALS: Final = re.compile(
    r"sub-?\s?tot|zwischensumme|sous-total|\bnett?o?\b|\bht\b|hors tax|\bexcl|\bex\.? |\bohne\b|zuschl|abschl|charges|"
    r"\btax(?:es)?\b|\bvat\b|\btva\b|\biva\b|\bbtw\b|mwst|\bust\b|steuer|rabatt|discount|remise|savings|artikel|items"
)
_ISSUED: Final = (
    re.compile(
        r"(?:invoice|issue|bill|billing|receipt) date|date (?:of issue|issued|paid|de (?:la )?facture|"
        r"de facturation|d'émission)|(?:rechnungs|beleg|ausstellungs|kauf)datum|fecha de (?:emisión|(?:la )?factura)|"
        r"data (?:fattura|documento|emissione|wystawienia)|factuurdatum|fakturadatum"
    ),
    re.compile(r"\bdat(?:e|um|a)\b|\bfecha\b"),
    re.compile(r"\b\w*rechnung\b|\binvoice\b|\bfacture\b|\breceipt\b|\bquittung\b"),
)
_OTHER_DAYS: Final = re.compile(
    r"\bdue\b|fällig|zahlbar|échéance|vencimiento|scadenza|verval|liefer|leistung|livraison|deliver|ship|"
    r"order|bestell|commande|birth|geburt|valid|gültig|until|\bbis\b|period|zeitraum"
)
_DAY: Final = re.compile(
    r"(?<![\w.,/-])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|"
    r"\d{1,2}(?:st|nd|rd|th)?\.? (?P<first>[^\W\d_]{3,10})\.?,? \d{4}|"
    r"(?P<last>[^\W\d_]{3,10})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?![\w/-])"
)
# Beginnings of months in German, French, Spanish, Italian and Dutch that English does not share.
_MONTHS: Final = {
    "jan": ("jän", "ene", "gen"),
    "feb": ("fév",),
    "mar": ("mär", "mrz", "mrt", "maa"),
    "apr": ("avr", "abr"),
    "may": ("mai", "mei", "mag"),
    "jun": ("giu", "juin"),
    "jul": ("juil", "lug"),
    "aug": ("aoû", "ago"),
    "sep": ("set",),
    "oct": ("okt", "ott", "out"),
    "dec": ("dez", "déc", "dic"),
}


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """An amount with two decimals, its ISO currency if the text names exactly one, and the words around it."""

    amount: Decimal
    currency: str | None
    words: str


@dataclass(frozen=True, slots=True)
class StatedDay:
    """A day and the words around it."""

    day: date
    words: str


def total_of(text: str) -> StatedTotal | None:
    r"""Find the total that a text names; None for none or several different ones.

    >>> found = total_of("Coffee 3,20\nZwischensumme 30,00 EUR\nGesamtbetrag\n35,70 €")
    >>> str(found.amount), found.currency, found.words
    ('35.70', 'EUR', 'Gesamtbetrag 35,70 €')
    >>> total_of("Total 12.00\nTotal 14.00"), total_of("Tel. 12.00")
    (None, None)
    """
    text = _ends(text)
    lines = _lines(text)
    for label in _TOTALS:
        found = {abs(amount): (amount, words) for amount, words in _labelled(lines, label)}
        if len(found) == 1:
            amount, words = found.popitem()[1]
            return StatedTotal(amount, _currency(words) or _currency(text), words)
        if found:
            return None
    return None


def day_of(text: str) -> StatedDay | None:
    r"""Find the day of issue that a text names, or its only day; None for none or several.

    A day with two possible orders, like 03/04/2026, does not count.

    >>> found = day_of("Due date: 14.04.2026\nInvoice date: 31. März 2026")
    >>> str(found.day), found.words
    ('2026-03-31', 'Invoice date: 31. März 2026')
    >>> day_of("From 1.3.2026 to 31.3.2026")
    """
    text = _ends(text)
    lines = _lines(text)
    for label in _ISSUED:
        found = dict(_days_beside(lines, label))
        if len(found) == 1:
            return StatedDay(*found.popitem())
        if found:
            return None
    anywhere = {day: _quote(line) for line in lines for day in _days(line)}
    is_one = len(anywhere) == 1 and not any(_is_ambiguous(each[0]) for each in _DAY.finditer(text))
    return StatedDay(*anywhere.popitem()) if is_one else None


def _ends(text: str) -> str:
    """Return the beginning and the end of a long text, where receipts state the day and the total."""
    return text if len(text) <= 2 * END else f"{text[:END]}\n{text[-END:]}"


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _labelled(lines: Sequence[str], label: re.Pattern[str]) -> Iterator[tuple[Decimal, str]]:
    """Find the amounts after a label, in its line or below it; in a row, the largest."""
    for number, line in enumerate(lines):
        lower = line.lower()
        place = label.search(lower)
        if place is None or (_OTHER_TOTALS.search(lower) and not _GROSS.search(lower)):
            continue
        for words in _near(lines, number, place.start()):
            amounts = [_amount(each) for each in _AMOUNT.finditer(words)]
            if amounts:
                yield max(amounts, key=abs), _quote(words)
                break


def _near(lines: Sequence[str], number: int, start: int) -> Iterator[str]:
    """Yield a line from its label on, then with the next lines while they have only signs and figures."""
    words = lines[number][start:]
    yield words
    for line in lines[number + 1 : number + 1 + NEAR_LINES]:
        if re.search(r"[^\W\d_]{4,}", line):
            return
        words = f"{words} {line}"
        yield words


def _days_beside(lines: Sequence[str], label: re.Pattern[str]) -> Iterator[tuple[date, str]]:
    """Find the days after a label, in its line or the next."""
    for number, line in enumerate(lines):
        place = label.search(line.lower())
        if place is None or _OTHER_DAYS.search(line.lower()[: place.end()]):
            continue
        behind = line[place.start() :]
        later = _OTHER_DAYS.search(behind.lower())
        here = behind[: later.start()] if later else behind
        found = list(_days(here))
        if not found and number + 1 < len(lines):
            here = f"{here} {lines[number + 1]}"
            is_figure = re.match(r"[:\s]*[\d]|[^\W\d_]{3,10}\.? \d", lines[number + 1])
            found = list(_days(lines[number + 1])) if is_figure else []
        if found:
            yield found[0], _quote(here)


def _days(line: str) -> Iterator[date]:
    for each in _DAY.finditer(line):
        words, name = each[0], (each["first"] or each["last"] or "").lower()
        month = next((month for month, begins in _MONTHS.items() if name.startswith(begins)), None)
        if month:
            words = words.lower().replace(name, month)
        # Each has its year, so that today does not matter.
        day = None if _is_ambiguous(words) else read_day(words, LATEST)
        if day is not None:
            yield day


def _is_ambiguous(words: str) -> bool:
    """Return whether two numbers could be day and month in either order; with dots the day is always first."""
    first, slash, rest = words.partition("/")
    second = rest.partition("/")[0]
    return bool(slash) and max(int(first), int(second)) <= LAST_MONTH and first != second


def _amount(found: re.Match[str]) -> Decimal:
    whole = re.sub(r"\D", "", found["whole"])
    return Decimal(f"{'-' if found['sign'] else ''}{whole}.{found['cents']}")


def _currency(words: str) -> str | None:
    """Return the only currency that words name by sign or code; a dollar sign names none."""
    named = {SIGNS[sign] for sign in SIGNS if sign in words}
    named |= {code for code in re.findall(r"\b[A-Z]{3}\b", words) if code in ACTIVE and code not in _WORDS}
    return named.pop() if len(named) == 1 else None


def _quote(words: str) -> str:
    return words if len(words) <= LONGEST_QUOTE else f"{words[: LONGEST_QUOTE - 1].rstrip()}…"
