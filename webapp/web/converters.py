"""Ids in paths, of things and of acts."""

from __future__ import annotations

from werkzeug.routing import BaseConverter, ValidationError

from webapp.schemas.fields import LARGEST_ID


class IdConverter(BaseConverter):
    """An id: ASCII digits without a leading zero, at most 2**63 - 1; anything else is no address."""

    regex = "[1-9][0-9]{0,18}"
    part_isolating = True

    def to_python(self, value: str) -> int:
        """Read the digits."""
        number = int(value)
        if number > LARGEST_ID:
            raise ValidationError
        return number

    def to_url(self, value: int) -> str:
        """Write the digits."""
        return str(value)


class ActIdConverter(BaseConverter):
    """The id of an act: `ar_` and 26 digits and letters; anything else is no address."""

    regex = "ar_[0-9A-Z]{26}"
    part_isolating = True
