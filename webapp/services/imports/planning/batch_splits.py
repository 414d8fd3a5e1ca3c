"""Batches: payments that a bank booked in one sum stay one line, or are split, as each account is set."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import LineKey, digest_of_parts, part_keys
from webapp.ledger.money import Money
from webapp.models import FeedAccount
from webapp.queries.matching import existing_lines
from webapp.services.imports.planning import verdicts
from webapp.services.imports.planning.records import PlannedLine

WITH_BATCHES = frozenset({"camt"})
MOST_WARNINGS = 5
AS_PAYMENTS = "It is in the books as its payments, one line each."


class _SplitLines(NamedTuple):
    """The lines of an account: `as_payments` exist as payments already, `whole` are batches that stay whole."""

    lines: list[PlannedLine]
    as_payments: list[PlannedLine]
    whole: list[PlannedLine]


def set_verdicts(
    lines: list[PlannedLine], feed_account: FeedAccount | None, bank_format: str
) -> tuple[list[PlannedLine], list[str]]:
    """Set the verdicts on the lines of an account, whose batches may be split; answers the lines, and warnings.

    A batch that is in the books stays as it is there, whole or split, whatever the account's setting is by now: so
    that nothing is imported twice after the setting was changed.
    """
    warnings = verdicts.set_verdicts(lines, feed_account, bank_format)
    if feed_account is None or bank_format not in WITH_BATCHES:
        return lines, warnings
    split = _split_batches(lines, feed_account)
    if split.as_payments or len(split.lines) > len(lines):
        warnings = verdicts.set_verdicts(split.lines, feed_account, bank_format)
    for line in split.as_payments:
        line.reason = line.reason or AS_PAYMENTS
    return split.lines, [*warnings, *_sentences(split.whole)]


def _split_batches(lines: Sequence[PlannedLine], feed_account: FeedAccount) -> _SplitLines:
    """Split the batches that are stored split, and new ones where the account is set so.

    One that is stored split, and has other payments in this file, takes the key of its first payment.
    """
    digests = {id(line): digest_of_parts(line.key) for line in lines if line.existing_id is None}
    stored = existing_lines.counts_of_keys(feed_account, set(digests.values()))
    split = _SplitLines([], [], [])
    for line in lines:
        digest = digests.get(id(line), "")
        count = stored.get(digest, 0)
        is_wanted = digest != "" and feed_account.splits_batches and line.line.payments > 1
        parts = (
            _parts(line, feed_account.currency)
            if count or (is_wanted and line.verdict != "POSSIBLY_THERE")
            else []
        )
        if parts and (count in {0, len(parts)} or line.line.pending):
            split.lines.extend(parts)
            continue
        if count and not line.line.pending:
            planned = replace(line, key=LineKey(digest, 1))
            split.as_payments.append(planned)
        else:
            planned = line
            split.whole.extend([line] if is_wanted else [])
        split.lines.append(planned)
    return split


def _parts(whole: PlannedLine, currency: str) -> list[PlannedLine]:
    """Take the payments of a batch as lines with their keys; none where they do not add up to it."""
    parts = whole.line.parts
    try:
        amounts = [Money.of(part.amount, currency).minor for part in parts]
    except UnprocessableError:
        return []
    if sum(amounts) != whole.amount_minor:
        return []
    keys = part_keys(whole.key, parts)
    return [PlannedLine(*each) for each in zip(parts, amounts, keys, strict=True)]


def _sentences(unsplit: Iterable[PlannedLine]) -> list[str]:
    sentences = [
        f"Line {each.line.row} of {each.line.booked_on:%-d %b %Y} stays one line: {_why(each)}."
        for each in unsplit
    ]
    if len(sentences) > MOST_WARNINGS:
        return [
            *sentences[:MOST_WARNINGS],
            f"{len(sentences) - MOST_WARNINGS:,} more batches stay one line each.",
        ]
    return sentences


def _why(line: PlannedLine) -> str:
    if line.verdict == "POSSIBLY_THERE":
        return "another source may have it as one line"
    payments = f"its {line.line.payments:,} payments"
    return (
        f"{payments} do not add up to it" if line.line.parts else f"{payments} have no amounts of their own"
    )
