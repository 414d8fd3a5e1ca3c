"""What the pages of documentation are asked."""

from __future__ import annotations

from webapp.schemas import fields
from webapp.schemas.base import Schema


class SearchSchema(Schema):
    """The words to look for."""

    q = fields.Text(most=255, load_default=None)
