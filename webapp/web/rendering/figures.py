"""Template filters that format figures and days, all pure.

A figure is anything whose str is a plain decimal, such as Money ("-1234.50").
"""

from datetime import date, datetime, timedelta
from decimal import Decimal

from webapp.ledger.money import Money
from webapp.ledger.notation.amounts import MINUS, written
from webapp.ledger.notation.days import written_day, written_month, written_short_day, written_short_month
from webapp.ledger.notation.locales import DEFAULT, Notation
from webapp.ledger.periods import month_end
from webapp.ledger.texts.words import Words
from webapp.schemas.fields import DECIMAL

# Stands before a text that could be more than one amount, of which one is how the API writes it.
UNCLEAR = "\N{QUESTIONED EQUAL TO}"


def figure(amount: object, notation: Notation = DEFAULT) -> str:
    """Print an amount with its own digits, thousands separators and a real minus sign.

    >>> figure("-1234567.50"), figure("1482600"), figure("0.00"), figure("-0.005")
    ('−1,234,567.50', '1,482,600', '0.00', '−0.005')
    """
    return written(amount, notation)


def round_figure(amount: Money, notation: Notation = DEFAULT) -> str:
    """Print an amount of an axis, without the digits of a whole one.

    >>> round_figure(Money(-500000, "EUR")), round_figure(Money(1250, "BHD")), round_figure(Money(20, "JPY"))
    ('−5,000', '1.250', '20')
    """
    whole = amount.decimal.to_integral_value()
    return written(whole if whole == amount.decimal else amount, notation)


def rate(units: Decimal, notation: Notation = DEFAULT) -> str:
    """Print a rate without groups, as it is typed.

    >>> rate(Decimal("17084.5000"))
    '17084.5000'
    """
    return written(f"{units:f}", notation, is_grouped=False)


def number(count: int, notation: Notation = DEFAULT) -> str:
    """Print a count.

    >>> number(5073)
    '5,073'
    """
    return written(count, notation)


def typed_amount(text: object, notation: Notation = DEFAULT) -> str:
    """Print an amount into its field: a plain decimal in the notation, anything else as it was typed.

    >>> typed_amount("-1234.50"), typed_amount("12.50 EUR?"), typed_amount(None)
    ('−1,234.50', '12.50 EUR?', '')
    """
    plain = "" if text is None else str(text)
    return written(plain, notation) if DECIMAL.fullmatch(plain) else plain.removeprefix(UNCLEAR)


def typed_rate(text: str, notation: Notation = DEFAULT) -> str:
    """Print a rate into its field, without groups: a plain decimal in the notation, anything else as it was typed.

    >>> typed_rate("17084.5"), typed_rate("soon")
    ('17084.5', 'soon')
    """
    is_plain = DECIMAL.fullmatch(text)
    return written(text, notation, is_grouped=False) if is_plain else text.removeprefix(UNCLEAR)


def nil(amount: Money, notation: Notation = DEFAULT) -> str:
    """Print zero in the currency of an amount, for what a difference comes to.

    >>> nil(Money(-1250, "EUR")), nil(Money(-1250, "JPY"))
    ('0.00', '0')
    """
    return written(Money.zero(amount.currency), notation)


def change(amount: object, notation: Notation = DEFAULT) -> str:
    """Print an amount as a change, with a plus for money in.

    >>> change("35.10"), change("-35.10"), change("0.00")
    ('+35.10', '−35.10', '0.00')
    """
    printed = figure(amount, notation)
    return f"+{printed}" if money_in(amount) else printed


def size(amount: object, notation: Notation = DEFAULT) -> str:
    """Print an amount without its sign, for a page that shows the sign in words or by a column.

    >>> size("-2356.38"), size("12.00")
    ('2,356.38', '12.00')
    """
    return figure(amount, notation).removeprefix(MINUS)


def spoken(amount: object, notation: Notation = DEFAULT) -> str:
    """Print an amount with its sign as a word, for a sentence that is only heard.

    >>> spoken("-2356.38"), spoken("12.00")
    ('minus 2,356.38', '12.00')
    """
    return figure(amount, notation).replace(MINUS, "minus ")


def money_in(amount: object) -> bool:
    """Whether an amount is money in, which pages print bolder.

    >>> money_in("0.01"), money_in("0.00"), money_in("-7")
    (True, False, False)
    """
    plain = str(amount)
    return not plain.startswith("-") and bool(plain.strip("0."))


def share(part: int, total: int) -> str:
    """Print a part of a total as a percentage, for the width of a bar.

    >>> share(39, 43), share(0, 0), share(7, 7)
    ('90.70', '0.00', '100.00')
    """
    return f"{100 * part / total if total else 0:.2f}"


def day(value: date | datetime, notation: Notation = DEFAULT) -> str:
    """Print a day in full.

    >>> day(date(2026, 10, 31)), day(date(2026, 11, 2))
    ('31 Oct 2026', '2 Nov 2026')
    """
    return written_day(value, notation)


def short_day(value: date | datetime, notation: Notation = DEFAULT) -> str:
    """Print a day without its year, where the context has it.

    >>> short_day(date(2026, 10, 31))
    '31 Oct'
    """
    return written_short_day(value, notation)


def near_day(value: date | datetime, today: date, notation: Notation = DEFAULT) -> str:
    """Print a day in a list of several years: with its year unless it is this year.

    >>> near_day(date(2026, 10, 31), date(2026, 11, 21)), near_day(date(2025, 10, 31), date(2026, 11, 21))
    ('31 Oct', '31 Oct 2025')
    """
    return short_day(value, notation) if value.year == today.year else day(value, notation)


def month(value: date | datetime, notation: Notation = DEFAULT) -> str:
    """Print a month in full.

    >>> month(date(2026, 10, 31))
    'October 2026'
    """
    return written_month(value, notation)


def short_month(value: date | datetime, notation: Notation = DEFAULT) -> str:
    """Print a month without its year, where the context has it.

    >>> short_month(date(2026, 10, 31))
    'Oct'
    """
    return written_short_month(value, notation)


def typed_day(value: date | str | None, notation: Notation = DEFAULT) -> str:
    """Print a day into its field; what is no day stays as it was typed.

    >>> typed_day("2026-10-31"), typed_day("soon"), typed_day(None), typed_day(date(2026, 1, 9))
    ('31 Oct 2026', 'soon', '', '9 Jan 2026')
    """
    if not isinstance(value, str):
        return "" if value is None else day(value, notation)
    try:
        return day(date.fromisoformat(value), notation)
    except ValueError:
        return value


def iso_text(value: date | str | None) -> str:
    """Print what is in a day's field for the browser's calendar; nothing where it is no day.

    >>> iso_text(date(2026, 1, 9)), iso_text("2026-01-09"), iso_text("soon"), iso_text(None)
    ('2026-01-09', '2026-01-09', '', '')
    """
    if not isinstance(value, str):
        return value.isoformat() if value else ""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return ""


def iso_day(value: date | datetime) -> str:
    """Print a day for a date field or a URL.

    >>> iso_day(date(2026, 1, 9))
    '2026-01-09'
    """
    return f"{value:%Y-%m-%d}"


def moment(value: datetime, notation: Notation = DEFAULT) -> str:
    """Print an instant with its zone, for comparison with other documents.

    >>> from zoneinfo import ZoneInfo
    >>> [moment(datetime(2026, 11, 3, 9, 6, tzinfo=ZoneInfo(zone))) for zone in ("Europe/Berlin", "Asia/Dubai")]
    ['3 Nov 2026, 09:06 CET', '3 Nov 2026, 09:06 UTC+04']
    """
    return f"{day(value, notation)}, {value:%H:%M} {f'{value:%Z}'.replace('+', 'UTC+').replace('-', 'UTC-')}"


def instant(value: datetime) -> str:
    """Print an instant for a hidden field, as the API writes it.

    >>> from datetime import UTC
    >>> instant(datetime(2026, 11, 3, 9, 6, tzinfo=UTC))
    '2026-11-03T09:06:00.000Z'
    """
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def short_moment(value: datetime, today: date, notation: Notation = DEFAULT) -> str:
    """Print an instant of a history, with its year unless it is this year.

    >>> short_moment(datetime(2026, 10, 31, 9, 14), date(2026, 11, 21))
    '31 Oct 09:14'
    """
    return f"{near_day(value, today, notation)} {value:%H:%M}"


def shifted(value: date, days: int) -> date:
    """The day a number of days later, or earlier where it is negative.

    >>> shifted(date(2026, 10, 31), 1)
    datetime.date(2026, 11, 1)
    """
    return value + timedelta(days=days)


# Filters by what the page gives them beside their value: its notation, the present day, both or nothing.
NOTED = (
    figure,
    round_figure,
    nil,
    change,
    size,
    spoken,
    rate,
    number,
    typed_amount,
    typed_rate,
    typed_day,
    day,
    short_day,
    month,
    short_month,
    moment,
)
NEAR = (near_day, short_moment)
PLAIN = (share, month_end, iso_text, iso_day, instant, shifted)
TESTS = {"money_in": money_in, "ours": lambda value: isinstance(value, Words)}
