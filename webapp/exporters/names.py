"""The names of accounts in plain-text books: paths of words."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from webapp.exporters.books import BookAccount

ROOTS: Final = {
    "ASSET": "Assets",
    "LIABILITY": "Liabilities",
    "EQUITY": "Equity",
    "INCOME": "Income",
    "EXPENSE": "Expenses",
}
# Mirrors in the base currency that no price can say stand under the account itself.
BESIDE: Final = "Base-differences"
_LONGEST: Final = 60


def account_names(accounts: Iterable[BookAccount]) -> dict[int, str]:
    """Name each account uniquely: its type, then its code and the letters and digits of its name.

    >>> bank = BookAccount(7, "1000", "Main account (€)", "ASSET", "EUR")
    >>> account_names([bank, BookAccount(9, None, "Cafés · 咖啡", "EXPENSE", None)])
    {7: 'Assets:1000-Main-account', 9: 'Expenses:0-Cafés-咖啡'}
    """
    names: dict[int, str] = {}
    taken: set[str] = set()
    for account in accounts:
        slug = "-".join(filter(None, (_code(account.code), _slug(account.name))))
        name = f"{ROOTS[account.type]}:{slug}"
        if name in taken:
            name = f"{name}-{account.id}"
        taken.add(name)
        names[account.id] = name
    return names


def _code(code: str | None) -> str:
    slug = _slug(code or "")
    return slug if slug[:1].isdecimal() and slug[:1].isascii() else f"0-{slug}" if slug else "0"


def _slug(text: str) -> str:
    """Keep letters and decimal digits, with hyphens for everything between."""
    kept = "".join(letter if _is_kept(letter) else " " for letter in unicodedata.normalize("NFC", text))
    return "-".join(kept.split())[:_LONGEST].strip("-")


def _is_kept(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category.startswith("L") or category == "Nd"
