"""What bank lines likely pay or move: where their money belongs before anybody looks at what lines like them meant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from webapp.models import Account
from webapp.queries.common import feed_currencies, lookups
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.items import likely_payments, line_payments
from webapp.queries.items.likely_payments import LikelyPayment, PayingLine
from webapp.queries.transfers import proposed
from webapp.queries.transfers.proposed import ProposedTransfer


@dataclass(frozen=True, slots=True)
class LikelyTransfer:
    """The other side of the transfer that a line likely is, with its account; `is_only` where both fit nothing else."""

    transaction_id: int
    account_name: str
    is_only: bool
    proposal: ProposedTransfer

    def warning(self, line_id: int) -> str:
        """Say what becomes of the two if one is put elsewhere."""
        other = f"{self.proposal.other.amount.formatted} of {self.account_name}"
        ids = f"lines {line_id} and {self.transaction_id}"
        return f"This is a transfer with {other} ({ids}). Pair them, or it counts twice."


Destination: TypeAlias = LikelyPayment | LikelyTransfer


def of_lines(
    organization_id: str,
    lines: Sequence[Any],
    drafts: Sequence[PayingLine],
    feeds: Mapping[int | None, Feed] | None = None,
) -> dict[int, Destination]:
    """Give what lines likely move, and what the drafts among them likely pay that pay nothing yet, by line.

    A payment that is sure comes before a transfer, and that before one of several payments that fit. `feeds` are all
    feed accounts, where they are read already.
    """
    payments = likely_payments.likely(organization_id, drafts) if drafts else {}
    decided = line_payments.paying(organization_id, payments) if payments else set()
    found: dict[int, Destination] = {
        line_id: each for line_id, each in payments.items() if line_id not in decided
    }
    sure = {line_id for line_id in found if payments[line_id].parts}
    unsure = [line for line in lines if line.id not in sure]
    return found | (_moving(organization_id, unsure, feeds) if unsure else {})


def warnings(found: Mapping[int, Destination]) -> list[str]:
    """Warn of lines that are put on an account although they pay something, or can only be one transfer."""
    return [
        each.warning(line_id)
        for line_id, each in sorted(found.items())
        if isinstance(each, LikelyPayment) or each.is_only
    ]


def _moving(
    organization_id: str, lines: Sequence[Any], feeds: Mapping[int | None, Feed] | None
) -> dict[int, LikelyTransfer]:
    feeds = feed_currencies.of_books(organization_id) if feeds is None else feeds
    best = {line_id: each[0] for line_id, each in proposed.of_lines(organization_id, lines, feeds).items()}
    banks = {each.other.feed_account_id: feeds[each.other.feed_account_id] for each in best.values()}
    accounts = lookups.by_id(Account, organization_id, [each.account_id for each in banks.values()])
    return {
        line_id: LikelyTransfer(
            each.other.id, accounts[banks[each.other.feed_account_id].account_id].name, each.is_only, each
        )
        for line_id, each in best.items()
    }
