"""What the rows of a table of invoices would become: documents, each with its verdict; nothing is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Final

from webapp.importers import invoice_tables
from webapp.importers.bank_files import FileRefusedError
from webapp.importers.invoice_tables import InvoiceTable, StatedRow
from webapp.importers.invoices import Invoice
from webapp.importers.invoices.records import InvoiceTotals, Party, Payment, Syntax, TaxTotal
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.models import Document, Organization
from webapp.queries.documents import same_invoices
from webapp.queries.documents.same_invoices import NumberedBefore
from webapp.services.audit.limits import Bound
from webapp.services.documents import documents, fields, invoices
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.invoices import FileContents

# As nobody else writes while they are filed.
IN_PARTS: Final = "Send the table in parts, such as one for each month."
BOUND: Final = Bound(1_000, "invoices", "filed", IN_PARTS)


@dataclass(frozen=True, slots=True)
class SentTable:
    """A table as somebody sends it, read: `document_type` says whether its rows are our invoices or bills to us."""

    name: str
    data: bytes
    document_type: str
    table: InvoiceTable

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class PlannedInvoice:
    """A row with the document that it would become, which is in no session yet, and the one that is there.

    The verdict is one of `codes.ROW_VERDICTS`.
    """

    stated: StatedRow
    document: Document
    verdict: str
    there: Document | None


def read(name: str, data: bytes, document_type: str, mapping: Mapping[str, object] | None) -> SentTable:
    """Read a table before anybody waits for the books.

    Raises FileRefusedError, MappingNeededError, and ActTooLargeError for more invoices than are filed at once.
    """
    table = invoice_tables.read(data, mapping)
    BOUND.hold(len(table.invoices))
    return SentTable(name, data, document_type, table)


def plan(sent: SentTable, organization: Organization, *, now: datetime) -> list[PlannedInvoice]:
    """Make the document of each row, and find what is there; raises FileRefusedError for an amount without a place."""
    made = [_document(sent, each, organization, now) for each in sent.table.invoices]
    found = same_invoices.numbered_before(organization.id, made)
    return [
        PlannedInvoice(stated, document, _verdict(before), before and before.document)
        for stated, document, before in zip(sent.table.invoices, made, found, strict=True)
    ]


def _verdict(before: NumberedBefore | None) -> str:
    if before is None:
        return "NEW"
    return "ALREADY_THERE" if before.is_same else "SAME_NUMBER"


def _document(sent: SentTable, row: StatedRow, organization: Organization, now: datetime) -> Document:
    invoice = _invoice(sent, row, organization)
    content: DocumentInput = {"document_type": sent.document_type}
    if invoice.is_credit_note:
        side = "SALE" if sent.document_type == "INVOICE" else "PURCHASE"
        content = {"document_type": "CREDIT_NOTE", "side": side}
    document = documents.begun(organization.id, now)
    read_row = FileContents(invoices=(invoice,), text=row.description)
    invoices.write(document, read_row, content, organization)
    fields.write(document, content)
    origin = {"file_name": sent.name, "sha256": sent.digest, "row": row.row}
    document.invoice = {**(document.invoice or {}), "table": origin}
    return document


def _invoice(sent: SentTable, row: StatedRow, organization: Organization) -> Invoice:
    """Write a row as the invoice that it states; a negative total is the credit note of its amount."""
    currency = row.currency or organization.base_currency
    net, tax, total = (_positive(figure, currency, row) for figure in (row.net, row.tax, row.total))
    other = Party(name=row.party, vat_id=row.vat_id)
    # Of several VAT ids no row says which one it is of.
    ours = Party(
        name=organization.name, vat_id=organization.vat_ids[0] if len(organization.vat_ids) == 1 else None
    )
    is_ours = sent.document_type == "INVOICE"
    return Invoice(
        Syntax.TABLE,
        number=row.number,
        issued_on=row.issued_on,
        due_on=row.due_on,
        currency=currency,
        seller=ours if is_ours else other,
        buyer=other if is_ours else ours,
        payment=Payment(remittance=row.reference, account=row.iban),
        totals=InvoiceTotals(net=net, gross=total, due=total),
        tax_totals=() if tax is None else (TaxTotal(tax, currency),),
        is_credit_note=row.total < 0,
    )


def _positive(figure: Decimal | None, currency: str, row: StatedRow) -> Decimal | None:
    """Give a figure without its sign, as the type says the direction; raises FileRefusedError with its row."""
    if figure is None:
        return None
    try:
        return abs(Money.of(figure, currency).decimal)
    except UnprocessableError as error:
        raise FileRefusedError(f"Row {row.row:,}: {error}", details={"row": row.row}) from None


def chosen(planned: Sequence[PlannedInvoice], *, force: bool) -> list[PlannedInvoice]:
    """Give the rows that are filed: the new ones, and with `force` those of a number that was used before."""
    filed = {"NEW", *(["SAME_NUMBER"] if force else [])}
    return [each for each in planned if each.verdict in filed]
