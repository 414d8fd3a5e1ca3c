"""The verdict on each line of a file: new, already there, possibly there, or pending."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.importers.bank_files import FileLine, FileRefusedError, Statement
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import is_placeholder, line_keys
from webapp.ledger.money import Money
from webapp.models import FeedAccount
from webapp.queries.matching import existing_lines
from webapp.services.imports.planning import feed_duplicates, possible_duplicates
from webapp.services.imports.planning.records import PlannedLine

MOST_WARNINGS = 20


def measured(statements: Iterable[Statement], currency: str) -> list[PlannedLine]:
    """Give the lines of an account in minor units of its currency, with their keys; without the books.

    Raises FileRefusedError for an amount that the currency cannot hold.
    """
    lines = [line for statement in statements for line in statement.lines]
    return [
        PlannedLine(line, _minor(line, currency), key)
        for line, key in zip(lines, line_keys(lines), strict=True)
    ]


def _minor(line: FileLine, currency: str) -> int:
    try:
        return Money.of(line.amount, currency).minor
    except UnprocessableError as error:
        raise FileRefusedError(f"Line {line.row} of {line.booked_on:%-d %b %Y}: {error}") from None


def set_verdicts(
    planned: Sequence[PlannedLine], feed_account: FeedAccount | None, bank_format: str
) -> list[str]:
    """Set the verdict on each line by the books; answers warnings."""
    for each in planned:
        each.verdict, each.existing_id, each.reason = "PENDING" if each.line.pending else "NEW", None, ""
        each.number = None
        each.duplicate = None
    if feed_account is None or not planned:
        return []
    days = [each.line.booked_on for each in planned]
    existing = existing_lines.between(feed_account, min(days), max(days))
    existing_lines.add_moved(existing, feed_account, {each.key.digest for each in planned})
    by_key = {(line.line_key, line.occurrence): line for line in existing if line.line_key is not None}
    for each in planned:
        found = by_key.get((each.key.digest, each.key.occurrence))
        if found is not None:
            _recognise(each, found)
    feed_duplicates.set_verdicts(planned, feed_account, bank_format)
    possible_duplicates.set_verdicts(planned, existing, feed_account, bank_format)
    return _reused_references(planned, feed_account)


def _recognise(planned: PlannedLine, existing: sa.Row[Any]) -> None:
    if planned.line.pending:
        planned.existing_id = existing.id
        return
    planned.existing_id = existing.line_id
    planned.verdict = "ALREADY_THERE"
    if existing.line_status == "DELETED":
        planned.reason = "Somebody deleted this line; it stays deleted."
    elif existing.line_status == "REMOVED":
        planned.reason = "The bank removed this line by its feed; it stays out."


def _reused_references(planned: Sequence[PlannedLine], feed_account: FeedAccount) -> list[str]:
    """Warn of new lines with the reference of an earlier line of another amount."""
    new = [
        each for each in planned if each.is_added and not is_placeholder(each.line.provider_transaction_id)
    ]
    amounts = existing_lines.amounts_of_references(
        feed_account, {each.line.provider_transaction_id or "" for each in new}
    )
    reused = []
    for each in new:
        earlier = amounts.get(each.line.provider_transaction_id or "")
        if earlier and each.amount_minor not in earlier:
            each.reason = "An earlier line of another amount has the same reference."
            reused.append(each)
    currency = feed_account.currency
    sentences = [_reused(each, amounts[each.line.provider_transaction_id or ""], currency) for each in reused]
    if len(sentences) > MOST_WARNINGS:
        return [
            *sentences[:MOST_WARNINGS],
            f"reference_reused: {len(sentences) - MOST_WARNINGS:,} more lines like these.",
        ]
    return sentences


def _reused(planned: PlannedLine, earlier: set[int], currency: str) -> str:
    line = planned.line
    was = ", ".join(f"{Money(minor, currency)}" for minor in sorted(earlier)[:3])
    return (
        f"reference_reused: line {line.row} of {line.booked_on:%-d %b %Y} has the reference"
        f" {(line.provider_transaction_id or '')[:40]} of an earlier line, and another amount"
        f" ({Money(planned.amount_minor, currency)}, not {was} {currency}); it is a new line."
    )
