"""What bank lines pay, move or mean, asked in one place for every door.

An open item that a line names, or that is exactly what its payer owes, comes before a transfer, and that before the
account that lines like it went to. Where several items fit, a person has to tell, and no account is named either.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.queries.items.likely_payments import LikelyPayment, PayingLine
from webapp.queries.suggestions import likely_accounts
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.transfers import destinations
from webapp.queries.transfers.destinations import Destination, LikelyTransfer


@dataclass(frozen=True, slots=True)
class LineMeaning:
    """What a line likely is: at most one of the three."""

    payment: LikelyPayment | None = None
    transfer: LikelyTransfer | None = None
    account: LikelyAccount | None = None


NOTHING: Final = LineMeaning()


def of_records(
    organization_id: str, records: Sequence[Any], *, with_accounts: Collection[int | None] | None = None
) -> dict[int, LineMeaning]:
    """Give what lines likely are, by their records, in a constant number of statements.

    Of lines beside those `with_accounts`, the account is not asked for.
    """
    booked = [each for each in records if each.status == "BOOKED"]
    drafts = [PayingLine.of(each, _merchants(each)) for each in booked if each.entry_status == "DRAFT"]
    found = destinations.of_lines(organization_id, booked, drafts)
    others = [
        each
        for each in booked
        if each.id not in found and (with_accounts is None or each.id in with_accounts)
    ]
    accounts = likely_accounts.of_lines(organization_id, others) if others else {}
    return {line_id: _meaning(each) for line_id, each in (found | accounts).items()}


def _meaning(found: Destination | LikelyAccount) -> LineMeaning:
    if isinstance(found, LikelyPayment):
        return LineMeaning(payment=found)
    return LineMeaning(transfer=found) if isinstance(found, LikelyTransfer) else LineMeaning(account=found)


def _merchants(record: Any) -> Iterable[int | None]:
    return [record.org_merchant_id, *(split.org_merchant_id for split in record.splits or ())]
