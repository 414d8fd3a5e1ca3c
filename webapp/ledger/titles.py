"""Titles of acts: what was done, and the same as what somebody proposes to do."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from webapp.ledger.money import Money

IMPERATIVES: Final[Mapping[str, str]] = {
    "Accepted": "Accept",
    "Abandoned": "Abandon",
    "Added": "Add",
    "Applied": "Apply",
    "Booked": "Book",
    "Brought": "Bring",
    "Changed": "Change",
    "Cleared": "Clear",
    "Closed": "Close",
    "Completed": "Complete",
    "Confirmed": "Confirm",
    "Corrected": "Correct",
    "Deleted": "Delete",
    "Discarded": "Discard",
    "Edited": "Edit",
    "Forgot": "Forget",
    "Imported": "Import",
    "Joined": "Join",
    "Locked": "Lock",
    "Made": "Make",
    "Moved": "Move",
    "Named": "Name",
    "Opened": "Open",
    "Paired": "Pair",
    "Parted": "Part",
    "Posted": "Post",
    "Pushed": "Push",
    "Removed": "Remove",
    "Renamed": "Rename",
    "Reopened": "Reopen",
    "Revalued": "Revalue",
    "Revoked": "Revoke",
    "Restored": "Restore",
    "Resumed": "Resume",
    "Told": "Tell",
    "Took": "Take",
    "Uncleared": "Unclear",
    "Undid": "Undo",
    "Unlocked": "Unlock",
    "Voided": "Void",
    "Wrote": "Write",
}


def of_line(description: str, amount: Money, day: date) -> str:
    """Name a bank line: by what the bank says, its amount and its day.

    >>> of_line("REWE", Money(-4520, "EUR"), date(2026, 11, 3)), of_line("", Money(145200, "EUR"), date(2026, 11, 3))
    ('REWE −45.20 of 3 Nov', 'a line of 1,452.00 of 3 Nov')
    """
    whole, point, fraction = str(amount).removeprefix("-").partition(".")
    sign = "\u2212" if amount.minor < 0 else ""
    return f"{description or 'a line of'} {sign}{int(whole):,}{point}{fraction} of {day:%-d %b}"


def proposed(title: str) -> str:
    """Say what an act did as what it would do; a title that begins with no known verb stays as it is.

    >>> proposed("Confirmed REWE −45.20 of 3 Nov"), proposed("Statement of Main account to 31 Oct 2026")
    ('Confirm REWE −45.20 of 3 Nov', 'Statement of Main account to 31 Oct 2026')
    """
    verb, space, rest = title.partition(" ")
    return IMPERATIVES.get(verb, verb) + space + rest


def of_several(titles: Sequence[str]) -> str:
    """Say in one title what several acts would do.

    >>> of_several(["Confirmed REWE −45.20 of 3 Nov", "Confirmed BVG −2.90 of 4 Nov", "Confirmed Aldi −9.99 of 5 Nov"])
    'Confirm REWE −45.20 of 3 Nov and 2 more'
    """
    first = proposed(titles[0])
    return first if len(titles) == 1 else f"{first} and {len(titles) - 1:,} more"
