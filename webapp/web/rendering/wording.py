"""Template filters and functions for names, counts and sentences, all pure."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from webapp.ledger.titles import counted, joined
from webapp.web.rendering.figures import MINUS, figure, size


class BreachText(Protocol):
    """The change that broke a proof: a field and its values as text."""

    field: str
    before: str | None
    after: str | None
    journal_entry_id: int | None


NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905


def spelled(count: int) -> str:
    """A small count as a word, a large one in digits.

    >>> spelled(0), spelled(2), spelled(12), spelled(1300)
    ('no', 'two', 'twelve', '1,300')
    """
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else f"{count:,}"


def initials(name: str) -> str:
    """The initials of a name for its icon: the capitals of the first two words, or a short name as it is.

    >>> initials("Ben Keller"), initials("N26 Bank"), initials("Wise"), initials("ING"), initials("")
    ('BK', 'N26', 'W', 'ING', '?')
    """
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        return "?"
    short = words[0]
    if len(short) <= 3 and short.upper() == short and len(short) > 1:  # noqa: PLR2004
        return short
    return "".join(word[0].upper() for word in words[:2]) if len(words) > 1 else short[0].upper()


def summary_sentence(broken: int, needs: int, never: int) -> str:
    """One sentence on the accounts that are not reconciled, the most urgent first.

    >>> summary_sentence(1, 1, 1)
    'One proof is broken, one account needs reconciling, one was never reconciled.'
    >>> summary_sentence(0, 3, 0), summary_sentence(0, 0, 0)
    ('Three accounts need reconciling.', 'Every account agrees with its bank.')
    """
    parts = [
        (broken, "proof is broken", "proofs are broken"),
        (needs, "account needs reconciling", "accounts need reconciling"),
        (never, "was never reconciled", "were never reconciled"),
    ]
    text = ", ".join(f"{spelled(count)} {one if count == 1 else many}" for count, one, many in parts if count)
    return f"{text[0].upper()}{text[1:]}." if text else "Every account agrees with its bank."


def breach(culprit: BreachText) -> str:
    """A sentence on the change that broke a proof: the field, before and after.

    >>> from types import SimpleNamespace
    >>> breach(SimpleNamespace(field="entryStatus", before="POSTED", after="VOIDED"))
    'Its state went from Posted to Voided, so its bank leg no longer counts.'
    >>> breach(SimpleNamespace(field="amount", before="-49.00", after="-45.00"))
    'Its amount went from −49.00 to −45.00.'
    """
    if culprit.field == "arrival":
        return f"It is dated inside the statement and came after it was proved, with {figure(culprit.after)}."
    if culprit.field == "books":
        return f"The books of that day differ from the statement by {figure(culprit.after)}."
    if culprit.field == "entryStatus":
        before, after = ((status or "nothing").capitalize() for status in (culprit.before, culprit.after))
        return f"Its state went from {before} to {after}, so its bank leg no longer counts."
    if culprit.field == "lineStatus":
        return f"Its line went from {str(culprit.before).capitalize()} to {str(culprit.after).capitalize()}."
    if culprit.field == "amount":
        return f"Its amount went from {figure(culprit.before)} to {figure(culprit.after)}."
    return f"Its day went from {culprit.before} to {culprit.after}."


class Remedy(NamedTuple):
    """How the change that broke a proof is undone: the act, and its consequence."""

    act: str
    consequence: str


# By the field that changed, and whether an entry broke the proof.
LINE_REMOVED = ("The bank removed the line", "When it sends the line again, the proof holds")
REMEDIES = {
    ("entryStatus", True): (
        "Undo the voiding of entry {entry}",
        "Confirm its new draft again, and the proof holds",
    ),
    ("entryStatus", False): ("Restore the line", "Restore and confirm it, and the proof holds"),
    ("lineStatus", True): LINE_REMOVED,
    ("lineStatus", False): LINE_REMOVED,
    ("arrival", True): ("Undo entry {entry}", "Void it, or delete its unconfirmed line, and the proof holds"),
    ("arrival", False): (
        "Remove the line",
        "Delete the line or remove its import, and the proof holds",
    ),
    ("other", True): ("Look at entry {entry}", "Put it back as it was, and the proof holds"),
    ("other", False): ("Look at the line", "With the values that the bank first sent, the proof holds"),
}


def remedy(culprit: BreachText) -> Remedy:
    """How the change that broke a proof is undone.

    >>> from types import SimpleNamespace
    >>> remedy(SimpleNamespace(field="entryStatus", journal_entry_id=1187)).act
    'Undo the voiding of entry 1187'
    >>> remedy(SimpleNamespace(field="arrival", journal_entry_id=None)).consequence
    'Delete the line or remove its import, and the proof holds'
    """
    entry = culprit.journal_entry_id
    field = culprit.field if culprit.field in ("entryStatus", "lineStatus", "arrival") else "other"
    act, consequence = REMEDIES[field, entry is not None]
    return Remedy(act.format(entry=entry), consequence)


def owing(balance: object, currency: str) -> str:
    """The balance of a card or loan from the holder's view.

    >>> owing("-2356.38", "EUR"), owing("12.00", "EUR"), owing("0.00", "EUR")
    ('You owe 2,356.38 EUR', 'In credit 12.00 EUR', 'Nothing owed')
    """
    plain = size(balance)
    if not plain.strip("0.,"):
        return "Nothing owed"
    return f"{'You owe' if str(balance).startswith(('-', MINUS)) else 'In credit'} {plain} {currency}"


class SelectOption(NamedTuple):
    """One of the values that a select offers, and its words."""

    id: str
    name: str


def choices(values: Iterable[str | tuple[str, str]]) -> list[SelectOption]:
    """Make what a select offers of values, or of pairs of a value and its words.

    >>> choices([(",", "Comma"), (".", "Point")])[0].name, choices(["Sheet 1"])[0].id
    ('Comma', 'Sheet 1')
    """
    return [SelectOption(each, each) if isinstance(each, str) else SelectOption(*each) for each in values]


GLOBALS = {"summary_sentence": summary_sentence}
FILTERS = {
    each.__name__: each for each in (spelled, counted, initials, breach, remedy, owing, joined, choices)
}
