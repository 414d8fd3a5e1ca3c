"""The marks by which a party is known on invoices: VAT ids and the numbers of accounts."""

import re
from typing import Any

import marshmallow as ma

from webapp.ledger.journal.transfer_sides import compact
from webapp.schemas import fields

MOST_IDS = 50


class JoinedMarks(fields.Text):
    """VAT ids or numbers of accounts from a form, with commas between them; each as it is compared."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(most=2000, **kwargs)

    def deserialize(self, value: Any, attr: Any = None, data: Any = None, **kwargs: Any) -> Any:
        """Read an empty field as none of them."""
        return super().deserialize("" if value is None else value, attr, data, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        typed = super()._deserialize(value, attr, data, **kwargs)
        return Marks().deserialize([each for each in re.split(r"[,;\n]", typed) if each.strip()])


class Marks(ma.fields.List[Any]):
    """VAT ids or numbers of accounts: each once, without spaces and in capitals, as they are compared."""

    def __init__(self, **kwargs: Any) -> None:
        of_one = fields.Text(least=2, most=64)
        super().__init__(of_one, validate=ma.validate.Length(max=MOST_IDS), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        sent = super()._deserialize(value, attr, data, **kwargs)
        return list(dict.fromkeys(each for mark in sent if (each := compact(str(mark)))))
