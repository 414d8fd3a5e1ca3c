"""Two lines that belong together: of two accounts they are a transfer, of one account the same line twice."""

from datetime import datetime

from webapp.models import Transaction
from webapp.queries.matching import transfer_pairs
from webapp.services.audit.act import Actor
from webapp.services.transactions import joins, transfers
from webapp.services.transactions.pair_sides import AmountsDifferError


def join(
    line: Transaction, other: Transaction, *, actor: Actor, now: datetime, difference: str | None = None
) -> Transaction:
    """Join two lines of one account, or pair lines of two; answers the line that stays, of a transfer the first.

    `difference` names what the two sides of a transfer differ by: "FEE" or "EXCHANGE".
    """
    if line.feed_account_id == other.feed_account_id:
        if difference is not None:
            raise AmountsDifferError(
                "Both lines are of one account, so they are one line without a difference."
            )
        return joins.join(line, other, actor=actor, now=now)
    transfers.pair(line, other, actor=actor, now=now, difference=difference)
    return line


def unjoin(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> Transaction:
    """Take two lines apart, whether they were joined, paired or only suggested."""
    if line.feed_account_id == other.feed_account_id:
        return joins.unjoin(line, other, actor=actor, now=now)
    mine = transfer_pairs.side(line.organization_id, line.id, other.id)
    is_paired = mine is not None and mine.status == "STANDING"
    end = transfers.unpair if is_paired else transfers.dismiss
    end(line, other, actor=actor, now=now)
    return line
