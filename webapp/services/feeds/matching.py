"""Which lines of a push are lines that are there: twins of a file's, and what became of pending ones."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.ledger.matching.joins import LineReport, Pairing, pair_duplicates
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.services.feeds import reissued_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, Feeding, Judged
from webapp.services.transactions import join_records, pending_matches

RIVAL = "The bank took back such a line and a file gave one more; look whether this is the one in the file."

Twins = dict[int, Pairing]


def twins_of(feeding: Feeding, arriving: Sequence[Judged]) -> Twins:
    """Find which booked lines are there already: a file gave them, or the feed did under other ids."""
    again = reissued_lines.of(feeding, arriving)
    certain = {id(each): pairing for each, pairing in again if pairing.is_certain}
    twins = _in_files(feeding.feed_account, [each for each in arriving if id(each) not in certain])
    certain = {**certain, **_rivals(feeding.feed_account, arriving, certain, twins)}
    perhaps = {
        id(each): pairing for each, pairing in again if id(each) not in certain and not is_joined(each, twins)
    }
    return twins | perhaps | certain


def _rivals(feed_account: FeedAccount, arriving: Sequence[Judged], renamed: Twins, twins: Twins) -> Twins:
    """Find which renewed lines may also be another line of a file, so that the one taken back is just gone: ask."""
    taken = {pairing.kept_id for pairing in (*renamed.values(), *twins.values())}
    found = _in_files(feed_account, [each for each in arriving if id(each) in renamed])
    return {
        number: pairing._replace(is_certain=False, reason=RIVAL)
        for number, pairing in found.items()
        if pairing.tier == "TWIN" and pairing.kept_id not in taken
    }


def _in_files(feed_account: FeedAccount, arriving: Sequence[Judged]) -> Twins:
    """Find which booked lines are there, by a file or under an id that was removed, by their place in what arrives."""
    days = [each.line.booked_on for each in arriving]
    has_files = bool(arriving) and feed_lines.has_file_lines(feed_account)
    there = feed_lines.only_in_files(feed_account, min(days), max(days)) if has_files else []
    gone = feed_lines.taken_back_posted(feed_account) if arriving else []
    if not there and not gone:
        return {}
    # Rows that are not written yet have no ids; their places stand in, below all ids.
    reports = [
        LineReport(-place, line.booked_on, each.amount_minor, line.description, line.counterparty)
        for place, each in enumerate(arriving, 1)
        for line in (each.line,)
    ]
    refused = feed_lines.refused(
        feed_account.organization_id, [each.row_id for each in arriving if each.row_id is not None]
    )
    places = {each.row_id: -place for place, each in enumerate(arriving, 1) if each.row_id is not None}
    settled = {(places.get(one, one), places.get(other, other)) for one, other in refused}
    again = reissued_lines.pairs(reports, gone, settled)
    known = {each.joined_id for each in again}
    twins = pair_duplicates([each for each in reports if each.id not in known], there, settled)
    return {id(arriving[-each.joined_id - 1]): each for each in (*again, *twins)}


def is_joined(each: Judged, twins: Twins) -> bool:
    """Tell whether a line is certainly one that is there."""
    pairing = twins.get(id(each))
    return pairing is not None and pairing.is_certain


def join_twins(feeding: Feeding, arriving: Sequence[Judged], twins: Twins) -> None:
    """Keep which lines are those of a file, and say so."""
    found = [
        (each, twins[id(each)]._replace(joined_id=each.row_id or 0)) for each in arriving if id(each) in twins
    ]
    join_records.record(feeding.organization.id, [pairing for _, pairing in found], now=feeding.now)
    kept = lookups.by_id(Transaction, feeding.organization.id, [pairing.kept_id for _, pairing in found])
    for each, pairing in found:
        if not pairing.is_certain:
            each.settle("POSSIBLY_THERE", each.row_id, pairing.reason)
        elif kept[pairing.kept_id].status == "DELETED":
            each.settle("DELETED", pairing.kept_id, DELETED_REASON)
        else:
            if pairing.tier == "REISSUED":
                reissued_lines.revive(kept[pairing.kept_id], now=feeding.now)
            each.settle("JOINED", pairing.kept_id, pairing.reason)


def join_pending(feeding: Feeding, new: Sequence[Judged], arriving: Sequence[Judged]) -> None:
    """Join pending lines to the booked ones that they became, in whichever order the two came."""
    waiting = [each for each in new if each.line.pending]
    booked = [each for each in arriving if each.verdict in ("NEW", "POSSIBLY_THERE", "CHANGED")]
    found = pending_matches.match_pending(
        feeding.feed_account,
        [each.report for each in waiting],
        [each.report for each in booked],
        _links(feeding.feed_account, waiting, booked),
        now=feeding.now,
    )
    by_row = {each.row_id: each for each in (*waiting, *booked)}
    for pairing in found:
        for each in filter(None, (by_row.get(pairing.joined_id), by_row.get(pairing.kept_id))):
            if pairing.is_certain and each.verdict in ("NEW", "PENDING"):
                each.settle("JOINED", pairing.kept_id, pairing.reason)
            else:
                each.reason = each.reason or pairing.reason


def _links(feed_account: FeedAccount, waiting: Sequence[Judged], booked: Sequence[Judged]) -> list[Pairing]:
    """Find which lines the provider itself says are one: the booked one names the pending one by its id."""
    reason = "The bank says itself which pending line it was."
    named = {each.line.pending_id for each in booked if each.line.pending_id is not None}
    ids = {
        name: said.transaction_id
        for name, said in feed_lines.said(feed_account, named).items()
        if said.is_pending
    }
    found = [
        Pairing(each.row_id, joined_id, "LINK", is_certain=True, reason=reason)
        for each in booked
        if each.row_id is not None and (joined_id := ids.get(each.line.pending_id or "")) is not None
    ]
    names = {each.line.provider_transaction_id: each.row_id for each in waiting}
    for name, kept_id in feed_lines.naming(feed_account, names.keys()).items():
        if (joined_id := names[name]) is not None:
            found.append(Pairing(kept_id, joined_id, "LINK", is_certain=True, reason=reason))
    return list({pairing.joined_id: pairing for pairing in found}.values())
