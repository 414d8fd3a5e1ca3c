"""How a document would be booked: what it states in parts, each on the account that it most likely goes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import CHARTS, Role, Use, chart_of
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.base_shares import with_base_shares
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.invoice_parts import (
    InvoicePart,
    NotInPartsError,
    PartKind,
    StatedBase,
    StatedTotals,
    parts_for_others,
    parts_of,
    parts_paid,
    rounding_of,
)
from webapp.ledger.money import Money, money_at, total
from webapp.ledger.rates import mirror
from webapp.models import (
    Account,
    Document,
    JournalEntry,
    Organization,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.currencies import exchange_rates
from webapp.queries.documents import stated_taxes
from webapp.queries.documents.parties import has_side, is_own
from webapp.queries.suggestions import likely_accounts
from webapp.queries.tax import codes

# The accounts of the default chart, in books that kept it: of a purchase, and of a sale.
TAX: Final[Mapping[bool, Use]] = {False: Use.VAT_RECEIVABLE, True: Use.VAT_PAYABLE}
OWED: Final[Mapping[bool, Use]] = {False: Use.PAYABLES, True: Use.RECEIVABLES}
# Where what others get goes: the field of the chosen account, and that of the chart for a purchase and for a sale.
# What is withheld is income tax of the seller, and a split tax is owed to the state, on both sides.
FOR_OTHERS: Final[Mapping[PartKind, tuple[str, Mapping[bool, Use | None]]]] = {
    PartKind.PREPAID: ("prepaid_account_id", {False: None, True: None}),
    PartKind.THIRD_PARTY: ("third_party_account_id", {False: None, True: Use.PAYABLES}),
    PartKind.WITHHELD: ("withheld_account_id", {False: Use.INCOME_TAX, True: Use.INCOME_TAX}),
    PartKind.SPLIT_TAX: ("split_tax_account_id", {False: Use.VAT_PAYABLE, True: Use.VAT_PAYABLE}),
}
# From how many instalments on each is an item of its own.
FEWEST_INSTALMENTS: Final = 2
# What of a document only its invoice states.
OTHERS: Final = ("third_party", "withheld", "split_tax", "rounding")


_ROLES: Final = {PartKind.ROUNDING: Role.ROUNDING, PartKind.CHARGES: Role.BANK_CHARGES}


class NoTotalError(UnprocessableError):
    """Enter the total of this receipt first."""

    code = "no_total"


class SideUnknownError(UnprocessableError):
    """Say first whether this credit note is of a sale or of a purchase."""

    code = "side_unknown"


@dataclass(frozen=True, slots=True)
class BookedPart:
    """A part of a booking with its sign: as a posting debit is positive, as a split it has the line's sign.

    `account_id` is None where somebody has to choose it. `tax_code_id` is the code of what it states by a category
    (UNCL 5305) and rate, where one fits.
    """

    kind: str
    account_id: int | None
    amount: Money
    rate: str | None = None
    category: str | None = None
    tax_code_id: int | None = None
    org_merchant_id: int | None = None
    project_id: int | None = None
    due_on: date | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class ChosenAccounts:
    """The accounts that somebody chose for a booking; None is what the books suggest."""

    account_id: int | None = None
    tax_account_id: int | None = None
    counter_account_id: int | None = None
    prepaid_account_id: int | None = None
    third_party_account_id: int | None = None
    withheld_account_id: int | None = None
    split_tax_account_id: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentBooking:
    """How a document would be booked; `problem` and `split_problem` say why it is booked by hand.

    A credit note `asks_side` as long as nobody said whether it is a supplier's or our own.
    """

    postings: Sequence[BookedPart] = ()
    problem: str | None = None
    splits: Sequence[BookedPart] = ()
    split_problem: str | None = None
    asks_side: bool = False


SUGGESTED: Final = ChosenAccounts()


def postings(
    document: Document,
    chosen: ChosenAccounts = SUGGESTED,
    day: date | None = None,
    amount_base: Decimal | None = None,
) -> list[BookedPart]:
    """Give the postings of a document's entry: its parts, and what is owed for them; raises NotInPartsError.

    Tax is in the base currency: as stated, else as its share of `amount_base`, which is what the total is in that at a
    rate of its own, else at the rate of the entry's day, which is the document's if none is given.
    """
    stated, sign = _stated(document), _sign(document)
    stated_parts = [*parts_of(stated), *parts_for_others(stated), *rounding_of(stated)]
    parts = [
        _booked(each, document, chosen, each.amount if sign > 0 else -each.amount) for each in stated_parts
    ]
    owed = chosen.counter_account_id or _of_chart(document, OWED)
    whole = total([each.amount for each in stated_parts], stated.gross.currency)
    gross = -whole if sign > 0 else whole
    whole_owed = BookedPart(
        "OWED",
        owed,
        gross,
        org_merchant_id=document.org_merchant_id,
        due_on=document.due_on,
        reference=document.number,
    )
    return [
        *_with_tax_codes(
            document, _with_tax_in_base(document, parts, gross, day or document.issued_on, amount_base)
        ),
        *_in_instalments(document, whole_owed),
    ]


def _in_instalments(document: Document, owed: BookedPart) -> list[BookedPart]:
    """Give what is owed by the days on which the invoice asks for it, where its instalments make it exactly."""
    stated = (document.invoice or {}).get("instalments", [])
    base = organizations.get(document.organization_id).base_currency
    currency = owed.amount.currency
    if len(stated) < FEWEST_INSTALMENTS or document.prepaid or currency != base or document.due is None:
        return [owed]
    try:
        amounts = [Money.of(Decimal(each["amount"] or "0"), currency) for each in stated]
    except UnprocessableError:
        return [owed]
    days = [each["due_on"] for each in stated]
    if total(amounts, currency) != abs(owed.amount) or not all(days) or not all(amounts):
        return [owed]
    return [
        replace(
            owed,
            amount=amount if owed.amount.minor > 0 else -amount,
            due_on=date.fromisoformat(day),
        )
        for amount, day in zip(amounts, days, strict=True)
    ]


def _with_tax_in_base(
    document: Document,
    parts: Sequence[BookedPart],
    owed: Money,
    day: date | None,
    amount_base: Decimal | None,
) -> list[BookedPart]:
    """Give the tax of a foreign document in the base currency, as far as its rate is known."""
    organization = organizations.get(document.organization_id)
    base = organization.base_currency
    if owed.currency == base or not any(each.kind == PartKind.TAX for each in parts):
        return list(parts)
    worth = _worth(organization, owed, day, amount_base)
    if worth is None:
        return list(parts)
    leading = Leg(0, owed.minor, owed.currency, worth)
    legs = [Leg(each.account_id or 0, each.amount.minor, owed.currency) for each in parts]
    shares = with_base_shares(leading, legs, stated_taxes.owed(organization, leading, legs, document))
    return [
        replace(each, amount=Money(share.amount_minor, share.currency)) if each.kind == PartKind.TAX else each
        for each, share in zip(parts, shares, strict=True)
    ]


def _with_tax_codes(document: Document, parts: Sequence[BookedPart]) -> list[BookedPart]:
    """Give parts with the tax codes that their categories and rates most likely have."""
    stated = document.invoice or {}
    countries = {(stated.get(name) or {}).get("country") for name in ("seller", "buyer")} - {None}
    nets = [each for each in parts if each.kind == PartKind.NET and each.rate]
    rows = [(each.category, Decimal(each.rate or 0)) for each in nets]
    side = "SALE" if is_own(document) else "PURCHASE"
    found = codes.of_breakdown(document.organization_id, side, rows, is_abroad=len(countries) > 1)
    by_row = dict(zip(rows, found, strict=True))
    return [
        replace(each, tax_code_id=by_row[each.category, Decimal(each.rate or 0)]) if each in nets else each
        for each in parts
    ]


def _worth(
    organization: Organization, owed: Money, day: date | None, amount_base: Decimal | None
) -> int | None:
    base = organization.base_currency
    if amount_base is not None:
        return money_at(amount_base.copy_sign(owed.decimal), base, "amountBase").minor
    rate = None if day is None else exchange_rates.rate_on(organization.id, owed.currency, base, day)
    return None if rate is None else mirror(owed.minor, owed.currency, base, rate)


def splits(document: Document, line: Transaction, chosen: ChosenAccounts = SUGGESTED) -> list[BookedPart]:
    """Give the parts of a line that pays a document, with the line's sign; raises NotInPartsError.

    Where the line has charges of the bank, and the document is what it is without them, they are a part of their own.
    """
    try:
        return _parts_paid(document, line, line.amount, chosen)
    except NotInPartsError:
        charges = line.charges
        if charges is None:
            raise
        parts = _parts_paid(document, line, line.amount + charges, chosen)
        return [*parts, _booked(InvoicePart(PartKind.CHARGES, charges), document, chosen, -charges)]


def _parts_paid(
    document: Document, line: Transaction, amount: Money, chosen: ChosenAccounts
) -> list[BookedPart]:
    is_out = line.amount_minor < 0
    pays = _sign(document) > 0
    paid = -amount if is_out else amount
    # A payment that goes the other way than the document says has the other sign than its total.
    stated_paid = paid if is_out == pays else -paid
    return [
        _booked(each, document, chosen, -each.amount if pays else each.amount)
        for each in parts_paid(_stated(document), stated_paid)
    ]


def stated_taxes_of(document: Document, nets: Sequence[BookedPart]) -> list[Money]:
    """Give the tax that a document states of each of some of its parts, without a sign; none where it states none."""
    if document.tax is None or not nets:
        return []
    if len(nets) == 1:
        return [abs(document.tax)]
    rows = (document.invoice or {}).get("vat", ())
    try:
        found = [
            next(
                Money.of(abs(Decimal(row["tax"])), document.tax.currency)
                for row in rows
                if row["tax"] is not None
                and row["rate"] == net.rate
                and row["base"] is not None
                and Money.of(abs(Decimal(row["base"])), document.tax.currency) == abs(net.amount)
            )
            for net in nets
        ]
    except (StopIteration, UnprocessableError):
        return []
    return found if total(found, document.tax.currency) == abs(document.tax) else []


def tax_point_of(document: Document) -> date | None:
    """Give the tax point that a document states (BT-7), else its day of issue."""
    stated = (document.invoice or {}).get("tax_point_on")
    return date.fromisoformat(stated) if stated else document.issued_on


def booking(document: Document, line: Transaction | None = None) -> DocumentBooking:
    """Give both ways of booking a document, as far as what it states adds up."""
    found = DocumentBooking(asks_side=not has_side(document))
    try:
        found = replace(found, postings=postings(document))
    except LedgerError as error:
        found = replace(found, problem=str(error))
    try:
        return found if line is None else replace(found, splits=splits(document, line))
    except LedgerError as error:
        return replace(found, split_problem=str(error))


def _sign(document: Document) -> int:
    """Give the sign of the parts as postings: a purchase is debited, a sale credited, credit notes the other way."""
    if not has_side(document):
        raise SideUnknownError(fields={"side": [str(SideUnknownError.__doc__)]})
    return 1 if is_own(document) == (document.document_type == "CREDIT_NOTE") else -1


def _stated(document: Document) -> StatedTotals:
    if document.total is None:
        raise NoTotalError
    totals = StatedTotals(
        document.net, document.tax, document.total, document.prepaid, document.due, _bases(document)
    )
    others = _others(document)
    totals = replace(
        totals,
        third_party=others.get("third_party"),
        withheld=others.get("withheld"),
        split_tax=others.get("split_tax"),
        rounding=others.get("rounding"),
    )
    if totals.net is None or totals.tax is None:
        return totals
    # The gross of an Italian invoice may include a stamp duty or a rounding.
    rest = totals.gross - totals.net - totals.tax
    if rest and rest == others.get("stamp"):
        return replace(totals, net=totals.net + rest, bases=[*totals.bases, StatedBase(rest)])
    if rest and rest == totals.rounding and (document.invoice or {}).get("syntax") == "FATTURA_PA":
        return replace(totals, in_gross=rest)
    return totals


def _others(document: Document) -> Mapping[str, Money]:
    """Give the totals that only the invoice states, as far as the document is still in its currency."""
    invoice = document.invoice or {}
    if document.currency is None or invoice.get("currency") != document.currency:
        return {}
    stated = invoice.get("totals", {})
    try:
        return {
            name: Money.of(Decimal(stated[name]), document.currency)
            for name in (*OTHERS, "stamp")
            if stated.get(name) is not None
        }
    except UnprocessableError:
        return {}


def _bases(document: Document) -> Sequence[StatedBase]:
    """Give the bases by rate, as far as the document is still in the currency that its invoice is in."""
    invoice = document.invoice or {}
    if document.currency is None or invoice.get("currency") != document.currency:
        return ()
    try:
        return [
            StatedBase(Money.of(Decimal(row["base"]), document.currency), row["rate"], row["category"])
            for row in invoice.get("vat", ())
            if row["base"] is not None
        ]
    except UnprocessableError:
        return ()


def _booked(part: InvoicePart, document: Document, chosen: ChosenAccounts, amount: Money) -> BookedPart:
    is_net = part.kind is PartKind.NET
    return BookedPart(
        part.kind,
        _account(part.kind, document, chosen),
        amount,
        part.rate,
        part.category,
        org_merchant_id=document.org_merchant_id if is_net else None,
        project_id=document.project_id if is_net else None,
    )


def _account(kind: PartKind, document: Document, chosen: ChosenAccounts) -> int | None:
    if kind in _ROLES:
        return accounts.by_role(document.organization_id, _ROLES[kind]).id
    if kind is PartKind.TAX:
        return chosen.tax_account_id or _of_last(document) or _of_chart(document, TAX)
    if kind in FOR_OTHERS:
        name, uses = FOR_OTHERS[kind]
        own: int | None = getattr(chosen, name)
        use = uses[is_own(document)]
        # What third parties get by a bill is a cost like its net.
        if own or kind is not PartKind.THIRD_PARTY or use is not None:
            return own or (None if use is None else _of_use(document, use))
    if chosen.account_id or document.account_id:
        return chosen.account_id or document.account_id
    likely = likely_accounts.of_document(document)
    return None if likely is None else likely.account_id


def _of_last(document: Document) -> int | None:
    """Give the account of the tax in the newest entry of a document of this kind, the same merchant's first."""
    statement = (
        sa.select(Posting.account_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Document, refers_to(JournalEntry.document_id, Document))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            of_same_organization(Posting, document),
            Document.document_type == document.document_type,
            Document.tax_minor != 0,
            Posting.currency == Document.currency,
            sa.func.abs(Posting.amount_minor) == sa.func.abs(Document.tax_minor),
            JournalEntry.status != "VOIDED",
            ~Account.is_archived,
        )
        .order_by((Document.org_merchant_id == document.org_merchant_id).desc(), JournalEntry.id.desc())
        .limit(1)
    )
    return db.session.scalar(statement)


def _of_chart(document: Document, uses: Mapping[bool, Use]) -> int | None:
    return _of_use(document, uses[is_own(document)])


def _of_use(document: Document, use: Use) -> int | None:
    """Find the account of a chart for this use by its code and its name; None where the books have another one."""
    named = [(each.code, each.name) for chart in CHARTS for each in chart_of(chart) if each.use is use]
    return db.session.scalar(
        sa.select(Account.id)
        .where(
            Account.organization_id == document.organization_id,
            sa.tuple_(Account.code, Account.name).in_(named),
            ~Account.is_archived,
        )
        .order_by(Account.code)
        .limit(1)
    )
