"""The ids of acts, which sort by time."""

from datetime import datetime
from typing import Final

RANDOM_BITS: Final = 80
# So many characters of an id tell its millisecond.
TIMED: Final = len("ar_") + 10
_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def act_id(at: datetime, random: int = 0) -> str:
    """Write the id of an act: `ar_`, ten characters of its millisecond, sixteen of chance; without chance the first.

    >>> from datetime import UTC
    >>> act_id(datetime(2026, 11, 21, tzinfo=UTC))
    'ar_01M7XPE6000000000000000000'
    """
    number = (int(at.timestamp() * 1000) << RANDOM_BITS) | random
    return "ar_" + "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))
