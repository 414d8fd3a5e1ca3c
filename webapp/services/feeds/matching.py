"""Duplicates among the lines of a push: lines that a file gave already, and pending lines that were booked."""

from collections.abc import Sequence

from webapp.ledger.matching.duplicates import pair_duplicates
from webapp.ledger.matching.joins import LineReport, Pairing
from webapp.models import FeedAccount, Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.matching.surroundings import Surroundings
from webapp.services.feeds import reissued_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, IncomingLine, PushContext
from webapp.services.transactions import join_records, pending_matches

AMBIGUOUS = "The bank removed such a line and a file has one more; check whether this is the one in the file."

Duplicates = dict[int, Pairing]


def duplicates_of(context: PushContext, arriving: Sequence[IncomingLine], beside: Surroundings) -> Duplicates:
    """Find the booked lines that exist already: a file gave them, or the feed did under other ids.

    `beside` is what the account has.
    """
    again = reissued_lines.find(context, arriving)
    certain = {id(each): pairing for each, pairing in again if pairing.is_certain}
    unsure = [each for each in arriving if id(each) not in certain]
    duplicates = _in_files(context.feed_account, unsure, beside)
    sure = [each for each in arriving if id(each) in certain]
    certain = {**certain, **_ambiguous(context.feed_account, sure, certain, duplicates, beside)}
    possible = {
        id(each): pairing
        for each, pairing in again
        if id(each) not in certain and not is_joined(each, duplicates)
    }
    return duplicates | possible | certain


def _ambiguous(
    feed_account: FeedAccount,
    arriving: Sequence[IncomingLine],
    renamed: Duplicates,
    duplicates: Duplicates,
    beside: Surroundings,
) -> Duplicates:
    """Find the reissued lines that may also be another line of a file, so that a person decides."""
    taken = {pairing.kept_id for pairing in (*renamed.values(), *duplicates.values())}
    found = _in_files(feed_account, arriving, beside)
    return {
        number: pairing._replace(is_certain=False, reason=AMBIGUOUS)
        for number, pairing in found.items()
        if pairing.tier == "TWIN" and pairing.kept_id not in taken
    }


def _in_files(
    feed_account: FeedAccount, arriving: Sequence[IncomingLine], beside: Surroundings
) -> Duplicates:
    """Find duplicates of lines that only files have, or whose id was removed; by the number of the incoming line."""
    has_files = bool(arriving) and beside.has_file_lines
    removed = feed_lines.removed_posted(feed_account) if arriving and beside.has_removed_posted else []
    if not has_files and not removed:
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
    decided = {(places.get(one, one), places.get(other, other)) for one, other in refused}
    existing = feed_lines.only_in_files(feed_account, reports, decided) if has_files else []
    again = reissued_lines.pair_exactly(reports, removed, decided)
    paired = {each.joined_id for each in again}
    others = pair_duplicates([each for each in reports if each.id not in paired], existing, decided)
    return {id(arriving[-each.joined_id - 1]): each for each in (*again, *others)}


def is_joined(each: IncomingLine, duplicates: Duplicates) -> bool:
    """Return whether a line is certainly a duplicate."""
    pairing = duplicates.get(id(each))
    return pairing is not None and pairing.is_certain


def join_duplicates(context: PushContext, arriving: Sequence[IncomingLine], duplicates: Duplicates) -> None:
    """Store the joins of duplicates, and give these lines their verdicts."""
    found = [
        (each, duplicates[id(each)]._replace(joined_id=each.row_id or 0))
        for each in arriving
        if id(each) in duplicates
    ]
    join_records.record(context.organization.id, [pairing for _, pairing in found], now=context.now)
    certain = [pairing.kept_id for _, pairing in found if pairing.is_certain]
    kept = lookups.by_id(Transaction, context.organization.id, certain)
    for each, pairing in found:
        if not pairing.is_certain:
            each.decide("POSSIBLY_THERE", each.row_id, pairing.reason)
        elif kept[pairing.kept_id].status == "DELETED":
            each.decide("DELETED", pairing.kept_id, DELETED_REASON)
        else:
            waits = ""
            if kept[pairing.kept_id].status == "REMOVED":
                waits = join_records.add_to_books(kept[pairing.kept_id], now=context.now)
            each.decide("JOINED", pairing.kept_id, f"{pairing.reason} {waits}".rstrip())


def join_pending(
    context: PushContext,
    new: Sequence[IncomingLine],
    arriving: Sequence[IncomingLine],
    beside: Surroundings,
) -> None:
    """Join pending lines to the booked ones that they became, in whichever order the two came."""
    waiting = [each for each in new if each.line.pending]
    if not waiting and not beside.has_pending:
        return
    booked = [each for each in arriving if each.verdict in ("NEW", "POSSIBLY_THERE", "CHANGED")]
    found = pending_matches.match_pending(
        context.feed_account,
        [each.report for each in waiting],
        [each.report for each in booked],
        _links(context.feed_account, waiting, booked),
        now=context.now,
    )
    by_row = {each.row_id: each for each in (*waiting, *booked)}
    for pairing in found:
        for each in filter(None, (by_row.get(pairing.joined_id), by_row.get(pairing.kept_id))):
            if pairing.is_certain and each.verdict in ("NEW", "PENDING"):
                each.decide("JOINED", pairing.kept_id, pairing.reason)
            else:
                each.reason = each.reason or pairing.reason


def _links(
    feed_account: FeedAccount, waiting: Sequence[IncomingLine], booked: Sequence[IncomingLine]
) -> list[Pairing]:
    """Find the pairs that the provider itself names: a booked line has the id of the pending one."""
    reason = "The bank names the pending line that it was."
    named = {
        each.line.pending_transaction_id for each in booked if each.line.pending_transaction_id is not None
    }
    ids = {
        name: event.transaction_id
        for name, event in feed_lines.last_events(feed_account, named).items()
        if event.is_pending
    }
    found = [
        Pairing(each.row_id, joined_id, "LINK", is_certain=True, reason=reason)
        for each in booked
        if each.row_id is not None
        and (joined_id := ids.get(each.line.pending_transaction_id or "")) is not None
    ]
    names = {each.line.provider_transaction_id: each.row_id for each in waiting}
    for name, kept_id in feed_lines.by_pending_id(feed_account, names.keys()).items():
        if (joined_id := names[name]) is not None:
            found.append(Pairing(kept_id, joined_id, "LINK", is_certain=True, reason=reason))
    return list({pairing.joined_id: pairing for pairing in found}.values())
