"""What the rows of bank lines show, and what has changed of a line since its row was shown."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from webapp.ledger.journal.merchants import with_counting_merchants
from webapp.ledger.journal.shown_lines import ShownLine, ShownPart, ShownPayment, summed
from webapp.ledger.journal.sides import opposite
from webapp.ledger.money import Money
from webapp.ledger.open_items import payable_items
from webapp.models import Transaction
from webapp.queries.common import lookups, merchants
from webapp.queries.items import items, line_payments
from webapp.queries.items.line_payments import LinePaymentRecord
from webapp.queries.journal import target_legs
from webapp.queries.transactions import transactions
from webapp.queries.transactions.part_names import PartNames
from webapp.queries.transactions.transactions import TransactionRecord


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A field of a line as its row showed it, and as it is now; for people."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that is otherwise than its row showed it; `back` is the one part that would bring it back, if that can."""

    line_id: int
    differences: Sequence[ShownDifference]
    back: ShownPart | None
    back_name: str


def of_records(
    organization_id: str, records: Sequence[TransactionRecord], paid: Mapping[int, LinePaymentRecord]
) -> dict[int, ShownLine]:
    """Give what confirming each line would post, or has posted, in a constant number of statements.

    `paid` is what the drafts among them are to pay, by line.
    """
    corrected = {
        record.journal_entry_id
        for record in records
        if record.correction_marker_id is not None and record.journal_entry_id is not None
    }
    targets = target_legs.bulk_of(organization_id, corrected)
    merged = merchants.merged(organization_id) if targets else {}
    found = {}
    for record in records:
        target = targets.get(record.journal_entry_id or 0)
        if target is None:
            parts = _parts(record)
        else:
            legs = with_counting_merchants(opposite([leg for _, leg in target.legs], record.id), merged)
            only = record.amount.minor if len(legs) == 1 else None
            parts = [
                ShownPart(leg.account_id, leg.merchant_id, leg.project_id, only or -leg.amount_minor)
                for leg in legs
            ]
        pays = _pays(paid[record.id]) if record.id in paid else None
        found[record.id] = ShownLine(
            record.id, record.journal_entry_id, record.booked_on, summed(parts), pays=pays
        )
    return found


def _pays(payment: LinePaymentRecord) -> ShownPayment:
    items = tuple((each.item_id, each.amount.minor) for each in payment.parts)
    short = payment.short
    return (
        ShownPayment(items, short["amount"], short["as"], payment.short_currency)
        if short
        else ShownPayment(items)
    )


def _parts(record: TransactionRecord) -> list[ShownPart]:
    if record.splits:
        return [
            ShownPart(each.account_id, each.org_merchant_id, each.project_id, each.amount.minor)
            for each in record.splits
        ]
    if record.account_id is None:
        return []
    return [ShownPart(record.account_id, record.org_merchant_id, record.project_id, record.amount.minor)]


def of_line(transaction: Transaction) -> ShownLine:
    """Give what confirming one line would post, or has posted."""
    return _of(transaction.organization_id, [transaction])[transaction.id]


def of_lines(organization_id: str, ids: Sequence[int]) -> dict[int, ShownLine]:
    """Give what confirming each line would post, or has posted, in a constant number of statements."""
    return _of(organization_id, list(lookups.by_id(Transaction, organization_id, ids).values()))


def _of(organization_id: str, lines: Sequence[Transaction]) -> dict[int, ShownLine]:
    records = transactions.records(organization_id, lines)
    return of_records(organization_id, records, paid_by_drafts(organization_id, records))


def paid_by_drafts(
    organization_id: str, records: Sequence[TransactionRecord], paying: Collection[int] | None = None
) -> dict[int, LinePaymentRecord]:
    """Give what the drafts among some lines are to pay, by line; the `paying` lines, where these are known already."""
    drafts = {record.id for record in records if record.entry_status == "DRAFT"}
    if paying is None:
        paying = line_payments.paying(organization_id, drafts) if drafts else ()
    return line_payments.of_paying(organization_id, drafts.intersection(paying))


def is_reworded(line: Transaction, description: str | None) -> bool:
    """Whether a line's entry has another description than a form showed, where that is known, but for white space."""
    return description is not None and description.split() != description_of(line).split()


def description_of(line: Transaction) -> str:
    """Give the description of a line in the books, or the bank's text where it has no entry."""
    return line.journal_entry.description if line.journal_entry is not None else line.description


def changed(organization_id: str, shown: ShownLine, description: str | None = None) -> ChangedLine:
    """Compare what a row showed of a line, with its description where that was changed, with the line as it is now."""
    line = transactions.get(organization_id, shown.line_id)
    now = of_line(line)
    names = _ShownNames(organization_id, line.currency, shown.posts, now)
    back = shown.posts.parts[0] if len(shown.posts.parts) == 1 else None
    differences = list(names.differences(shown.posts, now))
    if is_reworded(line, description):
        differences.append(ShownDifference("description", f"“{description}”", f"“{description_of(line)}”"))
    return ChangedLine(
        line.id,
        differences,
        back if _may_go_back(shown, now) and back and names.has_account(back) else None,
        names.account(back) if back else "",
    )


def _may_go_back(shown: ShownLine, now: ShownLine) -> bool:
    """Return whether a change of one part would bring a line back: what it pays, nothing but choosing does."""
    return len(now.parts) == 1 and shown.pays == now.pays


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


class _ShownNames:
    def __init__(self, organization_id: str, currency: str, *lines: ShownLine) -> None:
        self._currency = currency
        parts = [part for line in lines for part in line.parts]
        of_parts = [(part.account_id, part.merchant_id, part.project_id) for part in parts]
        self._names = PartNames(organization_id, of_parts)
        item_ids = [item_id for line in lines if line.pays for item_id, _ in line.pays.items]
        self._items = items.by_id(organization_id, item_ids) if item_ids else {}

    def has_account(self, part: ShownPart) -> bool:
        """Whether a part's account is there."""
        return self._names.account(part.account_id) is not None

    def account(self, part: ShownPart) -> str:
        """Give the name of a part's account."""
        return self._names.account(part.account_id) or "an account that is gone"

    def differences(self, before: ShownLine, after: ShownLine) -> Iterator[ShownDifference]:
        """Name the fields that differ."""
        pairs = [("day", _day(before.booked_on), _day(after.booked_on))]
        if len(before.parts) == len(after.parts) == 1:
            pairs += zip(
                ("account", "customer or supplier", "project", "amount"),
                self._fields(before.parts[0]),
                self._fields(after.parts[0]),
                strict=True,
            )
        else:
            pairs += [("parts", self._listed(before), self._listed(after))]
        pairs.append(("what it pays", self._paid(before.pays), self._paid(after.pays)))
        if before.entry_id != after.entry_id:
            pairs += [("entry", str(before.entry_id or "none"), str(after.entry_id or "none"))]
        for field, earlier, later in pairs:
            if earlier != later:
                yield ShownDifference(field, earlier, later)

    def _fields(self, part: ShownPart) -> tuple[str, str, str, str]:
        return (
            self.account(part),
            self._names.merchant(part.merchant_id) or "none",
            self._names.project(part.project_id) or "none",
            Money(part.amount_minor, self._currency).formatted,
        )

    def _paid(self, payment: ShownPayment | None) -> str:
        if payment is None:
            return "nothing"
        currency = next((each.currency for each in self._items.values()), self._currency)
        named = [
            f"{self._item(item_id)} {Money(amount_minor, currency).formatted}"
            for item_id, amount_minor in payment.items
        ]
        if payment.short_as:
            name = payable_items.SHORTFALL_NAMES[payment.short_as].lower()
            named.append(f"{name} {Money(abs(payment.short_minor), payment.short_currency).formatted}")
        return ", ".join(named)

    def _item(self, item_id: int) -> str:
        found = self._items.get(item_id)
        return (found and found.reference) or f"item {item_id}"

    def _listed(self, line: ShownLine) -> str:
        named = [
            f"{self.account(part)} {Money(part.amount_minor, self._currency).formatted}"
            for part in line.parts
        ]
        return ", ".join(named) or "none"
