"""The notations of regions: the marks of their figures and the order of their days; a page adds its language."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

Order = Literal["DMY", "MDY", "YMD"]

NARROW_SPACE: Final = "\N{NARROW NO-BREAK SPACE}"
APOSTROPHE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"


@dataclass(frozen=True, slots=True)
class Notation:
    """How a region writes figures and days.

    `decimal` is before the cents, `group` between groups of three digits (in India of two, before the last three).
    `order` is the order of a day in numbers; with `is_month_first` a day in words is Oct 31, 2026. The months are those
    of the `language`.
    """

    locale: str
    region: str
    decimal: str = "."
    group: str = ","
    order: Order = "DMY"
    is_month_first: bool = False
    is_indian: bool = False
    language: str = "en"


DEFAULT_LOCALE: Final = "en-GB"
# The languages that pages are complete in, each by its own name.
LANGUAGES: Final[dict[str, str]] = {"en": "English", "de": "Deutsch"}

# What the Unicode CLDR has for the English of a region, or for its own language where there is no such English
# (read with Babel 2.18). Marks are one each: CLDR's two widths of a space that does not break are one here.
_POINT_COMMA: Final = "AE AU BH CA CN CY EG GB HK IE IL IN JP KE KR MT MX MY NG NZ PE PH SA SG TH TW US"
_COMMA_POINT: Final = "AR AT BA BE BR CL CO DE DK ES GR HR ID IS IT LU MA MK NL RO RS SI TR VN"
_COMMA_SPACE: Final = "AL BG CZ EE FI FR HU KZ LT LV NO PL PT SE SK UA ZA"
_POINT_APOSTROPHE: Final = "CH LI"
_MARKS: Final[dict[str, tuple[str, str]]] = {
    _POINT_COMMA: (".", ","),
    _COMMA_POINT: (",", "."),
    _COMMA_SPACE: (",", NARROW_SPACE),
    _POINT_APOSTROPHE: (".", APOSTROPHE),
}
_ORDERS: Final[dict[str, Order]] = {
    **dict.fromkeys(("PH", "US"), "MDY"),
    **dict.fromkeys(("CA", "CN", "HU", "JP", "KR", "LT", "SE", "TW", "ZA"), "YMD"),
}
_MONTH_FIRST: Final = frozenset({"CA", "PH", "US"})

REGIONS: Final[dict[str, str]] = {
    "AE": "United Arab Emirates", "AL": "Albania", "AR": "Argentina", "AT": "Austria", "AU": "Australia",
    "BA": "Bosnia and Herzegovina", "BE": "Belgium", "BG": "Bulgaria", "BH": "Bahrain", "BR": "Brazil",
    "CA": "Canada", "CH": "Switzerland", "CL": "Chile", "CN": "China", "CO": "Colombia", "CY": "Cyprus",
    "CZ": "Czechia", "DE": "Germany", "DK": "Denmark", "EE": "Estonia", "EG": "Egypt", "ES": "Spain",
    "FI": "Finland", "FR": "France", "GB": "United Kingdom", "GR": "Greece", "HK": "Hong Kong", "HR": "Croatia",
    "HU": "Hungary", "ID": "Indonesia", "IE": "Ireland", "IL": "Israel", "IN": "India", "IS": "Iceland",
    "IT": "Italy", "JP": "Japan", "KE": "Kenya", "KR": "South Korea", "KZ": "Kazakhstan", "LI": "Liechtenstein",
    "LT": "Lithuania", "LU": "Luxembourg", "LV": "Latvia", "MA": "Morocco", "MK": "North Macedonia",
    "MT": "Malta", "MX": "Mexico", "MY": "Malaysia", "NG": "Nigeria", "NL": "Netherlands", "NO": "Norway",
    "NZ": "New Zealand", "PE": "Peru", "PH": "Philippines", "PL": "Poland", "PT": "Portugal", "RO": "Romania",
    "RS": "Serbia", "SA": "Saudi Arabia", "SE": "Sweden", "SG": "Singapore", "SI": "Slovenia", "SK": "Slovakia",
    "TH": "Thailand", "TR": "Türkiye", "TW": "Taiwan", "UA": "Ukraine", "US": "United States", "VN": "Vietnam",
    "ZA": "South Africa",
}  # fmt: skip


def _notation(code: str, decimal: str, group: str) -> Notation:
    return Notation(
        f"en-{code}",
        REGIONS[code],
        decimal,
        group,
        _ORDERS.get(code, "DMY"),
        code in _MONTH_FIRST,
        code == "IN",
    )


NOTATIONS: Final[dict[str, Notation]] = {
    f"en-{code}": _notation(code, *marks) for codes, marks in _MARKS.items() for code in codes.split()
}
DEFAULT: Final = NOTATIONS[DEFAULT_LOCALE]


# Of each language but English: the regions in which people write so, the first where none of them is chosen.
_SPOKEN: Final[dict[str, tuple[str, ...]]] = {
    "de": ("en-DE", "en-AT", "en-CH", "en-LI", "en-LU", "en-BE", "en-IT")
}


@cache
def notation_in(language: str, own_locale: str | None, locale: str) -> Notation:
    """Return the notation of pages in a language: that of a person, else of the organization if people there speak it.

    >>> [notation_in("de", *each).locale for each in ((None, "en-GB"), (None, "en-CH"), ("en-US", "en-CH"))]
    ['en-DE', 'en-CH', 'en-US']
    """
    spoken = _SPOKEN.get(language)
    if spoken is None:
        return notation_of(locale)
    chosen = own_locale or (locale if locale in spoken else spoken[0])
    return replace(notation_of(chosen), language=language, is_month_first=False)


def notation_of(locale: str | None) -> Notation:
    """Return the notation of a locale, or the default.

    >>> notation_of("en-DE").decimal, notation_of(None).region
    (',', 'United Kingdom')
    """
    return NOTATIONS.get(locale or "", DEFAULT)
