"""The states of a bank line, and the refusal of an act that its state does not allow."""

from collections.abc import Mapping
from typing import ClassVar

from webapp.ledger.errors import LedgerError
from webapp.models import Transaction

_SENTENCES = {
    "PENDING": "The bank may still change this line. Confirm it when it is booked.",
    "SET_ASIDE": "This line is from before the books of its account begin. Reopen that proof to use it.",
    "REMOVED": "The bank removed this line. Restore it first if the bank has it after all.",
    "DELETED": "Somebody deleted this line. Restore it first.",
    "BOOKED": "This line is in the books.",
}


class LineStateError(LedgerError):
    """The line is in a state that does not allow this."""

    codes: ClassVar[Mapping[str, str]] = {state.lower(): sentence for state, sentence in _SENTENCES.items()}

    def __init__(self, status: str, sentence: str | None = None) -> None:
        super().__init__(sentence or _SENTENCES[status], code=status.lower())


def require(transaction: Transaction, *states: str) -> None:
    """Refuse a line in another state, which is also the error's code."""
    if transaction.status not in states:
        raise LineStateError(transaction.status)
