"""What a bank's own figures say about a file: where they do not add up, a line is missing or was read wrongly."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import StatedBalance, Statement

_MAX_SENTENCES: Final = 20


def contradictions(statements: Iterable[Statement]) -> list[str]:
    """Say, in sentences, where opening + booked is not closing, and where a statement does not go on from the last.

    Statements of one account are taken in the order of the file; what a file does not state is not checked.
    """
    said: list[str] = []
    closings: dict[tuple[str | None, str | None], StatedBalance] = {}
    for statement in statements:
        key = statement.external_id, statement.currency
        said += _of(statement, closings.get(key))
        if statement.closing:
            closings[key] = statement.closing
    if len(said) > _MAX_SENTENCES:
        return [*said[:_MAX_SENTENCES], f"{len(said) - _MAX_SENTENCES:,} more balances do not agree."]
    return said


def _of(statement: Statement, before: StatedBalance | None) -> Iterator[str]:
    whose = f"Account {statement.external_id}" if statement.external_id else "An account without a number"
    opening, closing = statement.opening, statement.closing
    if opening and before and opening.amount != before.amount:
        yield (
            f"{whose}: a statement opens with {opening.amount:f}, but the one before it closed with"
            f" {before.amount:f}; a statement between them may be missing."
        )
    booked = sum((line.amount for line in statement.lines if not line.pending), Decimal(0))
    if opening and closing and opening.amount + booked != closing.amount:
        yield (
            f"{whose}: the opening balance {opening.amount:f} and the lines {booked:f} make"
            f" {opening.amount + booked:f}, but the closing balance is {closing.amount:f}; lines may be missing."
        )
