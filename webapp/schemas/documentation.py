"""The schema of the documentation's search."""

from webapp.schemas import fields
from webapp.schemas.base import Schema


class SearchSchema(Schema):
    """The words to search for."""

    q = fields.Text(most=255, load_default=None)
