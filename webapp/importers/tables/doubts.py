"""What speaks against a guess at a table, or for it: amounts beside the amount, and rows that state a balance."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import AskedError, FileRefusedError
from webapp.importers.tables import words
from webapp.importers.tables.amounts import exact
from webapp.importers.tables.layouts import Layout, roles
from webapp.importers.tables.rows import Row
from webapp.importers.texts import quoted

_ASK: Final = "say it in a mapping"
_AMOUNT: Final = re.compile(
    r"amount|amt\b|betrag|umsatz|bedrag|\bbel(?:opp|øb|oep)|importe?\b|importo|montant|kwota|částka|сумма|金额|金額"
    r"|\b(?:net|gross|brutto|netto)\b"
)
# Amounts that are of something else than the account: another currency, a part, a promise, a balance.
_OTHERS: Final = re.compile(
    r"auslagen|balance|block|blokad|cashback|charge|currency|discount|exchang|fee\b|fees\b|foreign|fremd|gebühr|gross"
    r"|instructed|lastschrift|limit|local|na účtu|operac|oper|orig|oorspr|původní|rate\b|saldo|skonto|source|tax\b"
    r"|tip\b|ursprung|valuta|vat\b|валюте операции|кэшбэк|detail"
)


def refuse_other_amounts(rows: Sequence[Row], layout: Layout) -> None:
    """Refuse where a column that was not chosen has amounts of its own, and nothing says what they are of."""
    if "amount" not in layout.columns:
        return
    chosen = layout.columns["amount"]
    if words.plain(layout.names[chosen]) in words.OF_THE_ACCOUNT or words.plain(
        layout.names[chosen]
    ).startswith("net"):
        return
    used = set(layout.columns.values())
    for column, name in enumerate(layout.names):
        plain = words.plain(name)
        if column in used or plain in words.DEBIT + words.CREDIT:
            continue
        if not _AMOUNT.search(plain) or _OTHERS.search(plain):
            continue
        if any(_differ(row, chosen, column, layout) for row in rows):
            both = f"{layout.named(chosen)} and {layout.named(column)}"
            raise AskedError(f"Both {both} may be meant; {_ASK} which one, as amount.", "amount")


def refuse_stated_balances(rows: Sequence[Row], layout: Layout) -> None:
    """Refuse where a row has a day and an amount, and says that the amount is a balance."""
    texts = [layout.columns[role] for role in ("description", "counterparty") if role in layout.columns]
    for column in texts:
        said = {row.cell(column): row.number for row in reversed(rows)}
        if stated := next(filter(words.states_a_balance, said), ""):
            raise FileRefusedError(
                f"Row {said[stated]:,} says {quoted(stated)}, and so may be no payment; take it out of the file, or"
                f" {_ASK} where the columns are, to have it as one."
            )


def is_split_beside(rows: Sequence[Row], layout: Layout) -> bool:
    """Tell whether columns of debits and of credits beside the amount prove which way it runs."""
    found = roles(layout.names, {"debit": words.DEBIT, "credit": words.CREDIT})
    if not rows or len(found["debit"]) != 1 or len(found["credit"]) != 1 or "amount" not in layout.columns:
        return False
    for row in rows:
        debit = _number(row, found["debit"][0], layout) or Decimal(0)
        credit = _number(row, found["credit"][0], layout) or Decimal(0)
        amount = _number(row, layout.columns["amount"], layout)
        if amount is None or (debit and credit) or amount != credit - abs(debit):
            return False
    return True


def _differ(row: Row, chosen: int, column: int, layout: Layout) -> bool:
    one, other = _number(row, chosen, layout), _number(row, column, layout)
    return one is not None and other is not None and abs(one) != abs(other)


def _number(row: Row, column: int, layout: Layout) -> Decimal | None:
    return exact(row.cell(column), layout.decimal, layout.thousands)
