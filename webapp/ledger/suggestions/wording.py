"""The sentence and the rule name of a habit."""

from collections.abc import Sequence
from typing import Final

from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.fields import Field

LONGEST_NAME: Final = 255


def sentence(count: int, total: int, conditions: Sequence[Condition], account_name: str) -> str:
    """Say how many of the matching lines went to an account.

    >>> party = Condition(Field.COUNTERPARTY, value="REWE")
    >>> sentence(7, 8, [party], "Groceries")
    '7 of 8 lines of REWE went to Groceries.'
    >>> sentence(3, 3, [party, Condition(Field.DIRECTION, value="OUT")], "Groceries")
    '3 of 3 payments to REWE went to Groceries.'
    >>> sentence(4, 4, [Condition(Field.DESCRIPTION, value="Parcel stamps")], "Postage")
    '4 of 4 lines with “Parcel stamps” went to Postage.'
    """
    return f"{count} of {total} {_lines(conditions)} went to {account_name}."


def name(conditions: Sequence[Condition]) -> str:
    """Name a rule after the texts of its conditions.

    >>> name([Condition(Field.COUNTERPARTY, value="PayPal"), Condition(Field.DESCRIPTION, value="Spotify")])
    'PayPal: Spotify'
    """
    texts = [each.value for each in conditions if each.field is not Field.DIRECTION]
    return ": ".join(texts)[:LONGEST_NAME]


def _lines(conditions: Sequence[Condition]) -> str:
    values = {each.field: each.value for each in conditions}
    direction = values.get(Field.DIRECTION)
    whose = values.get(Field.COUNTERPARTY) or values.get(Field.IBAN)
    text = f" with “{values[Field.DESCRIPTION]}”" if Field.DESCRIPTION in values else ""
    if whose is None:
        return {"OUT": "payments", "IN": "incoming payments"}.get(direction or "", "lines") + text
    return {"OUT": "payments to", "IN": "payments from"}.get(direction or "", "lines of") + f" {whose}{text}"
