"""The shortfall of a payment, and its kind: left open, a discount, a write-off or the bank's fee."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

# Minor units of the base currency that one payment may write off: 100.00 EUR, or 10,000 JPY.
MOST_WRITTEN_OFF: Final = 10000


class ShortAs(StrEnum):
    """The kind of a shortfall; an open rest is no part of the settlement."""

    LEAVE_OPEN = "LEAVE_OPEN"
    DISCOUNT = "DISCOUNT"
    WRITE_OFF = "WRITE_OFF"
    FEE = "FEE"


NAMES: Final[Mapping[str, str]] = {
    ShortAs.DISCOUNT: "Discount",
    ShortAs.WRITE_OFF: "Write-off",
    ShortAs.FEE: "Bank's fee",
}
