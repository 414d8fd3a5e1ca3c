"""The schema of how long files stay."""

from __future__ import annotations

from webapp.schemas import fields
from webapp.schemas.base import Schema


class RetentionFormSchema(Schema):
    """The years that files stay after the financial year in which they came, or none for ever."""

    retention_years = fields.Digits(least=1, most=100, allow_none=True, required=True)
