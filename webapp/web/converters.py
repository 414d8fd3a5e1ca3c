"""URL converters of ids: whole numbers, ids of action requests, and ids of organizations."""

from werkzeug.routing import BaseConverter

from webapp.schemas.fields import LARGEST_ID


def up_to(largest: int) -> str:
    """A regular expression for the whole numbers from 1 to a largest one of at least two digits.

    >>> up_to(427)
    '(?:[1-9][0-9]{0,1}|[1-3][0-9]{2}|4[0-1][0-9]{1}|42[0-6][0-9]{0}|427)'
    """
    digits = str(largest)
    shorter = f"[1-9][0-9]{{0,{len(digits) - 2}}}"
    below = [
        f"{digits[:place]}[{int(place == 0)}-{int(digit) - 1}][0-9]{{{len(digits) - place - 1}}}"
        for place, digit in enumerate(digits)
        if int(digit) > int(place == 0)
    ]
    return f"(?:{'|'.join([shorter, *below, digits])})"


class IdConverter(BaseConverter):
    """An id: ASCII digits without a leading zero, at most 2**63 - 1; anything else is 404.

    The pattern itself has the limit: for a path that a converter refuses later, Werkzeug answers 405.
    """

    regex = up_to(LARGEST_ID)
    part_isolating = True

    def to_python(self, value: str) -> int:
        """Read the digits."""
        return int(value)

    def to_url(self, value: int) -> str:
        """Write the digits."""
        return str(value)


class ActIdConverter(BaseConverter):
    """The id of an action request: `ar_` and 26 digits and letters; anything else is 404."""

    regex = "ar_[0-9A-Z]{26}"
    part_isolating = True


class BooksConverter(BaseConverter):
    """The id of the organization whose books a page shows; anything else is 404."""

    regex = "[A-Za-z0-9_-]{1,40}"
    part_isolating = True
