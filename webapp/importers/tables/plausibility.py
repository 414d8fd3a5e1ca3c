"""Checks of a detected layout: other amount columns, and debits and credits."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables import vocabulary
from webapp.importers.tables.layouts import Layout, roles
from webapp.importers.tables.rows import TableRow

_AMOUNT: Final = re.compile(
    r"amount|amt\b|betrag|umsatz|bedrag|\bbel(?:opp|øb|oep)|importe?\b|importo|montant|kwota|castka|сумма|金额|金額"
    r"|\b(?:net|gross|brutto|netto)\b"
)
# Amounts that are not the booked one: in another currency, a part of it, blocked, a balance.
_OTHERS: Final = re.compile(
    r"auslagen|balance|block|blokad|cashback|charge|currency|discount|exchang|fee\b|fees\b|foreign|fremd|gebuhr|gross"
    r"|instructed|lastschrift|limit|local|na uctu|operac|oper|orig|oorspr|puvodni|rate\b|saldo|skonto|source|tax\b"
    r"|tip\b|ursprung|valuta|vat\b|валюте операции|кэшбэк|detail"
)


def refuse_other_amounts(rows: Sequence[TableRow], layout: Layout) -> None:
    """Refuse a table with a second amount column of different values, unless its name explains it."""
    if "amount" not in layout.columns:
        return
    amount_column = layout.columns["amount"]
    if vocabulary.plain(layout.names[amount_column]) in vocabulary.OF_THE_ACCOUNT or vocabulary.plain(
        layout.names[amount_column]
    ).startswith("net"):
        return
    used = set(layout.columns.values())
    for column, name in enumerate(layout.names):
        plain = vocabulary.plain(name)
        if column in used or plain in vocabulary.DEBIT + vocabulary.CREDIT:
            continue
        if not _AMOUNT.search(plain) or _OTHERS.search(plain):
            continue
        if any(layout.number(row, column) for row in rows) and any(
            _differ(row, amount_column, column, layout) for row in rows
        ):
            both = f"{layout.named(amount_column)} and {layout.named(column)}"
            raise MappingNeededError(
                f"Both {both} may be the amount; name one in a mapping, as amount.", "amount"
            )


def is_confirmed_by_debit_and_credit(rows: Sequence[TableRow], layout: Layout) -> bool:
    """Return whether columns of debits and credits confirm the sign of the amount."""
    found = roles(layout.names, {"debit": vocabulary.DEBIT, "credit": vocabulary.CREDIT})
    if not rows or len(found["debit"]) != 1 or len(found["credit"]) != 1 or "amount" not in layout.columns:
        return False
    for row in rows:
        debit = layout.number(row, found["debit"][0]) or Decimal(0)
        credit = layout.number(row, found["credit"][0]) or Decimal(0)
        amount = layout.number(row, layout.columns["amount"])
        if amount is None or (debit and credit) or amount != credit - abs(debit):
            return False
    return True


def _differ(row: TableRow, amount_column: int, column: int, layout: Layout) -> bool:
    one, other = layout.number(row, amount_column), layout.number(row, column)
    return one is not None and other is not None and abs(one) != abs(other)
