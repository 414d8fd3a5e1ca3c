"""The stated balances of a file checked against its lines: where they disagree, a line may be missing or misread."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import StatedBalance, Statement
from webapp.importers.texts import account_label

_MAX_SENTENCES: Final = 20


def contradictions(statements: Iterable[Statement]) -> list[str]:
    """Warn where opening + booked lines is not closing, and where a statement does not continue the one before it.

    Statements of one account are compared in the order of the file; balances that the file does not state are not
    checked.
    """
    warnings: list[str] = []
    closings: dict[tuple[str | None, str | None], StatedBalance] = {}
    for statement in statements:
        key = statement.external_id, statement.currency
        warnings += _warnings_of(statement, closings.get(key))
        if statement.closing:
            closings[key] = statement.closing
    if len(warnings) > _MAX_SENTENCES:
        return [*warnings[:_MAX_SENTENCES], f"{len(warnings) - _MAX_SENTENCES:,} more balances do not agree."]
    return warnings


def _warnings_of(statement: Statement, before: StatedBalance | None) -> Iterator[str]:
    account = account_label(statement.external_id)
    opening, closing = statement.opening, statement.closing
    if opening and before and opening.amount != before.amount:
        yield (
            f"{account}: a statement opens with {opening.amount:f}, but the one before it closed with"
            f" {before.amount:f}; a statement between them may be missing."
        )
    booked = sum((line.amount for line in statement.lines if not line.pending), Decimal(0))
    if opening and closing and opening.amount + booked != closing.amount:
        yield (
            f"{account}: the opening balance {opening.amount:f} and the lines {booked:f} make"
            f" {opening.amount + booked:f}, but the closing balance is {closing.amount:f}; lines may be missing."
        )
