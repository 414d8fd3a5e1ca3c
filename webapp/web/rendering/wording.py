"""Template filters and functions for names, counts and sentences."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from webapp.ledger.notation.amounts import MINUS
from webapp.ledger.notation.locales import DEFAULT, Notation
from webapp.ledger.scopes import RIGHTS
from webapp.ledger.titles import counted, file_size, joined
from webapp.web.rendering.figures import day, figure, size, typed_day
from webapp.web.rendering.languages import ENGLISH, gettext, language, marked, translated

if TYPE_CHECKING:
    from webapp.models import TaxCode

# The first that is found: most browsers also name the ones that they descend from.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


class BreachText(Protocol):
    """The change that broke a proof: a field and its values as text."""

    field: str
    before: str | None
    after: str | None
    journal_entry_id: int | None


# The categories of VAT of EN 16931 (UNCL 5305), but the standard one, whose rate says it.
VAT_CATEGORIES = {
    "Z": "zero rated",
    "E": marked("exempt"),
    "AE": "reverse charge",
    "K": "intra-community supply",
    "G": marked("export"),
    "O": "outside VAT",
    "L": "IGIC",
    "M": "IPSI",
    "B": "split payment",
}


VAT_NATURES = {
    "N1": marked("excluded"),
    "N2": "outside VAT",
    "N3": "not taxable",
    "N4": marked("exempt"),
    "N5": "margin scheme",
    "N6": "reverse charge",
    "N7": "VAT of another state",
}


def vat_category(code: str | None, rate: str | None) -> str:
    """The rate of VAT as it is written, and what its category is called.

    >>> vat_category("S", "19.00"), vat_category("AE", "0"), vat_category("O", None), vat_category(None, "7")
    ('19.00 %', '0 % reverse charge', 'outside VAT', '7 %')
    >>> vat_category("N2.2", "0.00")
    '0.00 % outside VAT (N2.2)'
    """
    name = translated(VAT_CATEGORIES.get(code or "", "" if rate else code or ""))
    # The reasons for no tax of FatturaPA, whose digit behind the point names the law.
    name = f"{translated(VAT_NATURES[code[:2]])} ({code})" if code and code[:2] in VAT_NATURES else name
    return " ".join(part for part in (f"{rate} %" if rate else "", name) if part)


def leading(text: str, name: str | None) -> str:
    """The beginning of a bank's text that only repeats the counterparty's name; empty where nothing would be left.

    >>> leading("Hansa Kontor Bank  Account fee", "HANSA Kontor Bank")
    'Hansa Kontor Bank  '
    >>> leading("Hansa Kontor Bank", "Hansa Kontor Bank"), leading("Account fee", None), leading("Annabel", "Anna")
    ('', '', '')
    """
    size = len(name or "")
    if not size or text[:size].casefold() != (name or "").casefold():
        return ""
    rest = text[size:].lstrip(" ,;:·-")
    is_word = text[size : size + 1].isalnum()
    return "" if is_word or not rest else text[: len(text) - len(rest)]


def initials(name: str) -> str:
    """The initials of a name for its icon: the capitals of the first two words, or a short name as it is.

    >>> initials("Ben Keller"), initials("N26 Bank"), initials("Wise"), initials("ING"), initials("")
    ('BK', 'N26', 'W', 'ING', '?')
    """
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        return "?"
    short = words[0]
    if len(short) <= 3 and short.upper() == short and len(short) > 1:  # noqa: PLR2004
        return short
    return "".join(word[0].upper() for word in words[:2]) if len(words) > 1 else short[0].upper()


DEEDS = {
    "lineStatus": marked("removed"),
    "arrival": marked("added"),
    "amount": "changed the amount of",
    "bookedOn": "changed the day of",
}


def deed(cause: BreachText) -> str:
    """What somebody did to the entry or line that broke a proof.

    >>> from types import SimpleNamespace
    >>> deed(SimpleNamespace(field="entryStatus", journal_entry_id=1187))
    'voided'
    >>> deed(SimpleNamespace(field="entryStatus", journal_entry_id=None))
    'deleted'
    """
    if cause.field == "entryStatus":
        return marked("voided") if cause.journal_entry_id else marked("deleted")
    return DEEDS.get(cause.field, marked("changed"))


def breach(cause: BreachText, amount: object = None) -> str:
    """A sentence on the change that broke a proof: the field, before and after; `amount` is the line's.

    >>> from types import SimpleNamespace
    >>> breach(SimpleNamespace(field="entryStatus", before="POSTED", after="VOIDED"), "-49.00")
    'It no longer counts −49.00 in the bank account.'
    >>> breach(SimpleNamespace(field="amount", before="-49.00", after="-45.00"))
    'Amount went from −49.00 to −45.00.'
    >>> breach(SimpleNamespace(field="bookedOn", before="2026-10-31", after="2026-11-02"))
    'Day went from 31 Oct 2026 to 2 Nov 2026.'
    """
    if cause.field == "arrival":
        return f"It is dated inside the statement and came after it was proved, with {figure(cause.after)}."
    if cause.field == "books":
        return f"The books of that day differ from the statement by {figure(cause.after)}."
    if cause.field == "entryStatus":
        counted_before = "" if amount is None else f" {figure(amount)}"
        return f"It no longer counts{counted_before} in the bank account."
    if cause.field == "lineStatus":
        return f"Its line went from {str(cause.before).capitalize()} to {str(cause.after).capitalize()}."
    if cause.field == "amount":
        return f"Amount went from {figure(cause.before)} to {figure(cause.after)}."
    earlier, later = (typed_day(value) or "none" for value in (cause.before, cause.after))
    return f"Day went from {earlier} to {later}."


def owing(balance: object, currency: str) -> str:
    """The balance of a card or loan from the holder's view.

    >>> owing("-2356.38", "EUR"), owing("12.00", "EUR"), owing("0.00", "EUR")
    ('You owe 2,356.38 EUR', 'In credit 12.00 EUR', 'Nothing owed')
    """
    plain = size(balance)
    if not plain.strip("0.,"):
        return "Nothing owed"
    return f"{'You owe' if str(balance).startswith(('-', MINUS)) else 'In credit'} {plain} {currency}"


def ago(value: datetime, now: datetime, notation: Notation = DEFAULT) -> str:
    """Print how long ago an instant was, and after a day its date.

    >>> now = datetime(2026, 11, 3, 12, 0)
    >>> ago(datetime(2026, 11, 3, 11, 48), now), ago(datetime(2026, 11, 3, 10, 0), now)
    ('12 minutes ago', '2 hours ago')
    >>> ago(datetime(2026, 11, 3, 11, 59, 40), now), ago(datetime(2026, 10, 2, 9, 0), now)
    ('just now', '2 Oct 2026')
    """
    minutes = int((now - value).total_seconds() // 60)
    if minutes < 1:
        return gettext("just now")
    if minutes < 60:  # noqa: PLR2004
        return gettext("%(time)s ago") % {"time": translated(counted(minutes, "minute"))}
    if minutes < 24 * 60:
        return gettext("%(time)s ago") % {"time": translated(counted(minutes // 60, "hour"))}
    return day(value, notation)


class NamedCode(Protocol):
    """A tax code as it is called; one of a `pack` has its name from there."""

    name: str | None
    pack: str | None


class SelectOption(NamedTuple):
    """One of the values that a select offers, and its words."""

    id: str
    name: str


def choices(values: Iterable[str | tuple[str, str]]) -> list[SelectOption]:
    """Make what a select offers of values, or of pairs of a value and its words.

    >>> choices([(",", "Comma"), (".", "Point")])[0].name, choices(["Sheet 1"])[0].id
    ('Comma', 'Sheet 1')
    """
    return [
        SelectOption(each, each) if isinstance(each, str) else SelectOption(each[0], translated(each[1]))
        for each in values
    ]


def code_name(code: "TaxCode | NamedCode") -> str:
    """Name a tax code: one of a pack in the language of the page, one of the books' own as they do."""
    return translated(code.name or "") if code.pack else code.name or ""


def code_choices(codes: Iterable["TaxCode"]) -> list[SelectOption]:
    """Make what a select offers of tax codes."""
    return [SelectOption(str(each.id), f"{each.code} · {code_name(each)}") for each in codes]


def right(scope: str) -> str:
    """Name what the API calls a scope."""
    return translated(RIGHTS[scope])


def capital(text: str) -> str:
    """Begin a label with a capital; its other letters stay, as those of German nouns.

    >>> capital("name der Bank"), capital("")
    ('Name der Bank', '')
    """
    return text[:1].upper() + text[1:]


def lowered(label: str) -> str:
    """Write a label within a sentence: English has no capitals there, German nouns keep theirs."""
    return label.lower() if language() == ENGLISH else label


# Filters whose sentences hold figures, which are written in the notation of the page, and the others.
SENTENCES = (counted, file_size, breach, owing, deed)
PLAIN = (vat_category, initials, leading, joined, choices, code_name, right, capital, lowered)


def device_of(user_agent: str) -> str:
    """Name a browser and its system.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox on Linux'
    >>> device_of("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130 Safari/537.36")
    'Chrome on Windows'
    >>> device_of("curl/8.5.0"), device_of("")
    ('Unknown browser', 'Unknown browser')
    """
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if browser and system:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or gettext("Unknown browser")
