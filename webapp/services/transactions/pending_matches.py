"""Matching pending lines with the booked ones that they became, whenever a push or a file brings either."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from webapp.ledger.matching.joins import PENDING_DAYS, LineReport, Pairing, pair_pending
from webapp.models import FeedAccount, Transaction, update_rows
from webapp.queries.common.portions import portions
from webapp.queries.matching import feed_lines, pending_lines
from webapp.services.transactions import join_records


def match_pending(
    feed_account: FeedAccount,
    new_pending: Sequence[LineReport],
    new_booked: Sequence[LineReport],
    links: Sequence[Pairing] = (),
    *,
    now: datetime,
) -> list[Pairing]:
    """Join pending lines with booked ones where that is certain, else suggest it; answers all pairs, `links` first.

    `links` are pairs that the provider itself names.
    """
    waiting = pending_lines.waiting(feed_account)
    if not waiting:
        return []
    refused = feed_lines.refused(feed_account.organization_id, [each.id for each in waiting])
    waiting_ids = {each.id for each in waiting}
    found = [
        each
        for each in links
        if each.joined_id in waiting_ids and (each.kept_id, each.joined_id) not in refused
    ]
    linked = {line_id for each in found for line_id in (each.kept_id, each.joined_id)}
    booked = _booked(feed_account, waiting, new_booked) if new_pending else new_booked
    new = {each.id for each in (*new_pending, *new_booked)}
    found += [
        each
        for each in pair_pending(
            [each for each in waiting if each.id not in linked],
            [each for each in booked if each.id not in linked],
            refused,
        )
        if {each.kept_id, each.joined_id} & new
    ]
    joined = join_records.record(feed_account.organization_id, found, now=now)
    _remove_pending(feed_account.organization_id, [each.joined_id for each in joined])
    return found


def _booked(
    feed_account: FeedAccount, waiting: Sequence[LineReport], new_booked: Sequence[LineReport]
) -> list[LineReport]:
    days = [each.day for each in waiting]
    last = max(days) + timedelta(days=PENDING_DAYS)
    near = pending_lines.never_pending(feed_account, min(days), last)
    near_ids = {each.id for each in near}
    return [*near, *(each for each in new_booked if each.id not in near_ids)]


def _remove_pending(organization_id: str, line_ids: Sequence[int]) -> None:
    for portion in portions(line_ids):
        update_rows(
            Transaction,
            Transaction.organization_id == organization_id,
            Transaction.id.in_(portion),
            Transaction.status == "PENDING",
            status="REMOVED",
        )
