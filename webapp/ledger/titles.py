"""Titles of acts: in the past tense when done, in the imperative when proposed."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from webapp.ledger.money import Money
from webapp.ledger.texts import legible

# Banks write hundreds of letters of purpose; so many tell a line apart.
LONGEST: Final = 60
TO: Final = "\N{EN DASH}"
MOST_NAMED: Final = 3
MEGABYTE: Final = 1_000_000
# The kind of act that a plan is; its title is its own.
PLAN: Final = "plan"

IMPERATIVES: Final[Mapping[str, str]] = {
    "Accepted": "Accept",
    "Accrued": "Accrue",
    "Adjusted": "Adjust",
    "Abandoned": "Abandon",
    "Added": "Add",
    "Applied": "Apply",
    "Asked": "Ask",
    "Attached": "Attach",
    "Attested": "Attest",
    "Booked": "Book",
    "Cancelled": "Cancel",
    "Changed": "Change",
    "Closed": "Close",
    "Completed": "Complete",
    "Confirmed": "Confirm",
    "Connected": "Connect",
    "Corrected": "Correct",
    "Created": "Create",
    "Declined": "Decline",
    "Deleted": "Delete",
    "Detached": "Detach",
    "Discarded": "Discard",
    "Dismissed": "Dismiss",
    "Disposed": "Dispose",
    "Drafted": "Draft",
    "Ended": "End",
    "Explained": "Explain",
    "Filed": "File",
    "Forgot": "Forget",
    "Imported": "Import",
    "Installed": "Install",
    "Joined": "Join",
    "Let": "Let",
    "Locked": "Lock",
    "Made": "Make",
    "Merged": "Merge",
    "Moved": "Move",
    "Offered": "Offer",
    "Opened": "Open",
    "Paired": "Pair",
    "Posted": "Post",
    "Prepared": "Prepare",
    "Pushed": "Push",
    "Put": "Put",
    "Removed": "Remove",
    "Renamed": "Rename",
    "Reopened": "Reopen",
    "Revalued": "Revalue",
    "Revoked": "Revoke",
    "Restored": "Restore",
    "Resumed": "Resume",
    "Separated": "Separate",
    "Settled": "Settle",
    "Set": "Set",
    "Split": "Split",
    "Skipped": "Skip",
    "Started": "Start",
    "Stopped": "Stop",
    "Switched": "Switch",
    "Ticked": "Tick",
    "Took": "Take",
    "Undid": "Undo",
    "Unlocked": "Unlock",
    "Unticked": "Untick",
    "Voided": "Void",
    "Repaid": "Repay",
    "Claimed": "Claim",
    "Withdrew": "Withdraw",
    "Wrote": "Write",
    "Renewed": "Renew",
}


def of_line(text: str, amount: Money, day: date) -> str:
    """Name a bank line or an entry by its party or subject, its amount and its day.

    >>> of_line("REWE", Money(-4520, "EUR"), date(2026, 11, 3)), of_line("", Money(145200, "EUR"), date(2026, 11, 3))
    ('REWE −45.20 EUR of 3 Nov', 'a line of 1,452.00 EUR of 3 Nov')
    """
    text = quoted(text) or "a line of"
    return f"{text} {amount.formatted} of {day:%-d %b}"


def days(first: date, last: date) -> str:
    """Name the days from one to another.

    >>> days(date(2026, 5, 2), date(2026, 5, 9)).split(TO), days(date(2026, 4, 28), date(2026, 5, 2)).split(TO)
    (['2', '9 May'], ['28 Apr ', ' 2 May'])
    >>> days(date(2026, 5, 2), date(2026, 5, 2)), days(date(2025, 12, 30), date(2026, 1, 2)).split(TO)
    ('2 May', ['30 Dec 2025 ', ' 2 Jan 2026'])
    """
    if first == last:
        return f"{last:%-d %b}"
    if first.year != last.year:
        return f"{first:%-d %b %Y} {TO} {last:%-d %b %Y}"
    return (
        f"{first:%-d}{TO}{last:%-d %b}" if first.month == last.month else f"{first:%-d %b} {TO} {last:%-d %b}"
    )


def clipped(text: str) -> str:
    """Clip a text to one short line that is safe to show next to other words.

    >>> clipped("  Hetzner  Online "), len(clipped("word " * 50))
    ('Hetzner Online', 60)
    """
    plain = " ".join(text.split())
    return legible.isolated(plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rstrip() + "…")


def quoted(text: str) -> str:
    """Clip an untrusted text, in quotation marks if it has amounts that could be taken for ours.

    >>> quoted("REWE Nord"), quoted("Rent of 4 Nov, −2.90 EUR of 5 Nov")
    ('REWE Nord', '“Rent of 4 Nov, −2.90 EUR of 5 Nov”')
    """
    return legible.quoted(clipped(text))


def counted(count: int, one: str, many: str | None = None) -> str:
    """Count things, with the right form of their name.

    >>> counted(1, "line"), counted(1300, "line"), counted(2, "entry", "entries")
    ('1 line', '1,300 lines', '2 entries')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def file_size(count: int) -> str:
    """Write a number of bytes.

    >>> file_size(911), file_size(27_204), file_size(1_250_000)
    ('1 kB', '27 kB', '1.25 MB')
    """
    return f"{count / MEGABYTE:,.2f} MB" if count >= MEGABYTE else f"{max(round(count / 1000), 1)} kB"


def listed(names: Sequence[str]) -> str:
    """Name several things, or the first of many.

    >>> listed(["Rent"]), listed(["Rent", "Fees"]), listed(["A", "B", "C", "D", "E"])
    ('Rent', 'Rent and Fees', 'A, B, C and 2 more')
    """
    if len(names) > MOST_NAMED:
        names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return joined(names)


def joined(names: Sequence[str], last: str = "and") -> str:
    """Join names as a sentence does.

    >>> joined(["read", "draft", "confirm"]), joined(["read", "draft"], "or"), joined(["read"]), joined([])
    ('read, draft and confirm', 'read or draft', 'read', '')
    """
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def proposed(title: str) -> str:
    """Put the title of an act into the imperative for a proposal; a title with another verb stays as it is.

    >>> proposed("Confirmed REWE −45.20 EUR of 3 Nov"), proposed("A proposal")
    ('Confirm REWE −45.20 EUR of 3 Nov', 'A proposal')
    """
    verb, space, rest = title.partition(" ")
    return IMPERATIVES.get(verb, verb) + space + rest


def in_the_present(title: str) -> str:
    """Put the title of an act into a sentence about what does it.

    >>> [in_the_present(title) for title in ("Closed the books up to 28 Feb 2026", "Applied the rule Food", "Undid it")]
    ['closes the books up to 28 Feb 2026', 'applies the rule Food', 'undoes it']
    """
    verb, space, rest = proposed(title).partition(" ")
    verb = verb.lower()
    if verb.endswith(("ch", "sh", "ss", "x", "o")):
        return f"{verb}es{space}{rest}"
    return f"{verb[:-1]}ies{space}{rest}" if verb.endswith("ly") else f"{verb}s{space}{rest}"


def of_several(titles: Sequence[str]) -> str:
    """Make one imperative title of several acts.

    >>> of_several(["Confirmed REWE −45.20 EUR of 3 Nov as Food", "Confirmed BVG −2.90 EUR of 4 Nov as Travel"])
    'Confirm REWE −45.20 EUR of 3 Nov as Food, and 1 more'
    """
    more = len(titles) - 1
    return proposed(titles[0]) + (f", and {more:,} more" if more else "")
