"""Batches: what a bank booked at once stays one line, or is split into its payments, as each account is set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import LineKey, digest_of_parts, part_keys
from webapp.ledger.money import Money
from webapp.models import FeedAccount
from webapp.queries.matching import existing_lines
from webapp.services.imports.planning import verdicts
from webapp.services.imports.planning.lines import PlannedLine

WITH_BATCHES = frozenset({"camt"})
MOST_WARNINGS = 5
AS_PAYMENTS = "It is there as its payments, a line each."


class _Settled(NamedTuple):
    """The lines of an account as they come in: `untold` are there as payments, `whole` are batches that stay so."""

    lines: list[PlannedLine]
    untold: list[PlannedLine]
    whole: list[PlannedLine]


def judge(
    lines: list[PlannedLine], feed_account: FeedAccount | None, bank_format: str
) -> tuple[list[PlannedLine], list[str]]:
    """Judge the lines of an account, its batches as the account wants them; answers the lines, and warnings.

    A batch that is in the books stays as it is there, whole or split, whatever the account wants by now: so that
    nothing is there twice after the setting was changed.
    """
    warnings = verdicts.judge(lines, feed_account, bank_format)
    if feed_account is None or bank_format not in WITH_BATCHES:
        return lines, warnings
    settled = _settle(lines, feed_account)
    if settled.untold or len(settled.lines) > len(lines):
        warnings = verdicts.judge(settled.lines, feed_account, bank_format)
    for line in settled.untold:
        line.reason = line.reason or AS_PAYMENTS
    return settled.lines, [*warnings, *_sentences(settled.whole)]


def _settle(lines: Sequence[PlannedLine], feed_account: FeedAccount) -> _Settled:
    """Split the batches that are there split, and new ones where the account wants it.

    One that is there split, and of which this file tells something else, takes the key of its first payment.
    """
    digests = {id(line): digest_of_parts(line.key) for line in lines if line.known_id is None}
    there = existing_lines.counts_of_keys(feed_account, set(digests.values()))
    settled = _Settled([], [], [])
    for line in lines:
        digest = digests.get(id(line), "")
        count = there.get(digest, 0)
        is_wanted = digest != "" and feed_account.splits_batches and line.line.payments > 1
        parts = (
            _parts(line, feed_account.currency)
            if count or (is_wanted and line.verdict != "POSSIBLY_THERE")
            else []
        )
        if parts and (count in {0, len(parts)} or line.line.pending):
            settled.lines.extend(parts)
            continue
        if count and not line.line.pending:
            known = replace(line, key=LineKey(digest, 1))
            settled.untold.append(known)
        else:
            known = line
            settled.whole.extend([line] if is_wanted else [])
        settled.lines.append(known)
    return settled


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
    said = [
        f"Line {each.line.row} of {each.line.booked_on:%-d %b %Y} stays one line: {_why(each)}."
        for each in unsplit
    ]
    if len(said) > MOST_WARNINGS:
        return [*said[:MOST_WARNINGS], f"{len(said) - MOST_WARNINGS:,} more batches stay one line each."]
    return said


def _why(line: PlannedLine) -> str:
    if line.verdict == "POSSIBLY_THERE":
        return "another source may have given it whole"
    payments = f"its {line.line.payments:,} payments"
    return (
        f"{payments} do not add up to it" if line.line.parts else f"{payments} have no amounts of their own"
    )
