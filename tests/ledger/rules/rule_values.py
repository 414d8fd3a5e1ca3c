"""Values of items that conditions are asked of, from raw values by field."""

from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import ItemValues, readers

_GIVEN = readers(lambda field: None if field is Field.ANY_TEXT else lambda raw: raw.get(field))


def item_values(**raw):
    """Give what each field compares as, of raw values by the names of fields in small letters."""
    return ItemValues({Field(name.upper()): value for name, value in raw.items()}, _GIVEN)
