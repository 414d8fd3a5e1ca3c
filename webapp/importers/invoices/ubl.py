"""UBL 2.1 invoices and credit notes: Peppol BIS 3, XRechnung and plain EN 16931."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from webapp.importers.invoices.records import (
    CREDIT_NOTES,
    Adjustment,
    Invoice,
    InvoiceLine,
    InvoiceTotals,
    Party,
    Payment,
    Syntax,
    TaxTotal,
    VatRow,
)
from webapp.importers.invoices.trees import Node
from webapp.importers.invoices.values import InvoiceValues

ROOTS = frozenset({"Invoice", "CreditNote"})
_EXTENSION = "extension:xrechnung"
_TRUE = frozenset({"true", "1"})
_EMBEDDED = frozenset({"EmbeddedDocumentBinaryObject"})


def read(root: Node) -> Invoice:
    """Read a UBL invoice or credit note from its tree."""
    values = InvoiceValues()
    type_code = root.value("InvoiceTypeCode") or root.value("CreditNoteTypeCode")
    currency = root.value("DocumentCurrencyCode")
    tax_totals = tuple(_tax_total(each, values) for each in root.all("TaxTotal"))
    invoice = Invoice(
        syntax=Syntax.UBL,
        type_code=type_code,
        number=root.value("ID"),
        profile=root.value("CustomizationID"),
        issued_on=values.day(root, "IssueDate"),
        due_on=values.day(root, "DueDate") or values.day(root, "PaymentMeans", "PaymentDueDate"),
        tax_point_on=values.day(root, "TaxPointDate"),
        supplied_on=values.day(root, "Delivery", "ActualDeliveryDate")
        or values.day(root, "InvoicePeriod", "EndDate"),
        currency=currency,
        tax_currency=root.value("TaxCurrencyCode"),
        preceding=tuple(each.text for each in root.all("BillingReference", "InvoiceDocumentReference", "ID")),
        seller=_party(root.first("AccountingSupplierParty", "Party")),
        buyer=_party(root.first("AccountingCustomerParty", "Party")),
        representative_vat_id=_tax_id(root.first("TaxRepresentativeParty"), is_vat=True),
        payment=_payment(root),
        totals=_totals(root, values),
        tax_totals=tax_totals,
        adjustments=tuple(_adjustment(each, values) for each in root.all("AllowanceCharge")),
        lines=tuple(
            _line(each, values) for name in ("InvoiceLine", "CreditNoteLine") for each in root.all(name)
        ),
        is_credit_note=root.name == "CreditNote" or type_code in CREDIT_NOTES,
        attachments=root.count(_EMBEDDED),
    )
    rows = tuple(row for each in invoice.own_tax_totals for row in each.rows)
    return replace(invoice, rows=rows, unreadable=tuple(values.unreadable))


def _party(party: Node | None) -> Party:
    if party is None:
        return Party()
    address = party.first("PostalAddress")
    return Party(
        name=party.value("PartyLegalEntity", "RegistrationName") or party.value("PartyName", "Name"),
        vat_id=_tax_id(party, is_vat=True),
        tax_number=_tax_id(party, is_vat=False),
        registration=party.value("PartyLegalEntity", "CompanyID"),
        country=None if address is None else address.value("Country", "IdentificationCode"),
        address=() if address is None else _address(address),
        stated_ids=frozenset(_stated_ids(party)),
    )


def _address(address: Node) -> tuple[str, ...]:
    town = " ".join(each for each in (address.value("PostalZone"), address.value("CityName")) if each)
    rows = (
        address.value("StreetName"),
        address.value("AdditionalStreetName"),
        address.value("AddressLine", "Line"),
        town,
        address.value("CountrySubentity"),
    )
    return tuple(each for each in rows if each)


def _tax_id(party: Node | None, *, is_vat: bool) -> str | None:
    if party is None:
        return None
    schemes = (each for each in party.all("PartyTaxScheme") if is_of_vat(each) is is_vat)
    return next((found for each in schemes if (found := each.value("CompanyID"))), None)


def _stated_ids(party: Node) -> Iterator[str]:
    for scheme in party.all("PartyTaxScheme"):
        if scheme.first("CompanyID") is not None:
            yield "vat" if is_of_vat(scheme) else "tax"
    if party.first("PartyLegalEntity", "CompanyID") is not None:
        yield "registration"


def is_of_vat(node: Node) -> bool:
    """Return whether an element is about VAT, by its TaxScheme."""
    return (node.value("TaxScheme", "ID") or "").upper() == "VAT"


def _payment(root: Node) -> Payment:
    means = list(root.all("PaymentMeans"))
    return Payment(
        means=root.value("PaymentMeans", "PaymentMeansCode"),
        remittance=next((found for each in means if (found := each.value("PaymentID"))), None),
        account=next((found for each in means if (found := each.value("PayeeFinancialAccount", "ID"))), None),
    )


def _totals(root: Node, values: InvoiceValues) -> InvoiceTotals | None:
    total = root.first("LegalMonetaryTotal")
    if total is None:
        return None
    names = (
        "LineExtensionAmount",
        "AllowanceTotalAmount",
        "ChargeTotalAmount",
        "TaxExclusiveAmount",
        "TaxInclusiveAmount",
        "PrepaidAmount",
        "PayableRoundingAmount",
        "PayableAmount",
    )
    totals = InvoiceTotals(*(values.decimal(total, name) for name in names))
    if _EXTENSION not in (root.value("CustomizationID") or ""):
        return totals
    paid = [values.decimal(each, "PaidAmount") for each in root.all("PrepaidPayment")]
    return replace(totals, third_party=sum((each for each in paid if each is not None), Decimal(0)))


def _tax_total(total: Node, values: InvoiceValues) -> TaxTotal:
    amount = total.first("TaxAmount")
    return TaxTotal(
        values.decimal(total, "TaxAmount"),
        None if amount is None else amount.attributes.get("currencyID"),
        tuple(_row(each, values) for each in total.all("TaxSubtotal")),
    )


def _row(subtotal: Node, values: InvoiceValues) -> VatRow:
    category = subtotal.first("TaxCategory")
    return VatRow(
        values.decimal(subtotal, "TaxableAmount"),
        values.decimal(subtotal, "TaxAmount"),
        None if category is None else category.value("ID"),
        values.decimal(category, "Percent"),
        None if category is None else category.value("TaxExemptionReason"),
        None if category is None else category.value("TaxExemptionReasonCode"),
        is_vat=category is not None and is_of_vat(category),
    )


def _adjustment(node: Node, values: InvoiceValues) -> Adjustment:
    category = node.first("TaxCategory")
    return Adjustment(
        node.value("ChargeIndicator") in _TRUE,
        values.decimal(node, "Amount"),
        values.decimal(node, "BaseAmount"),
        None if category is None else category.value("ID"),
        values.decimal(category, "Percent"),
        node.value("AllowanceChargeReason"),
    )


def _line(line: Node, values: InvoiceValues) -> InvoiceLine:
    quantity = line.first("InvoicedQuantity") or line.first("CreditedQuantity")
    category = line.first("Item", "ClassifiedTaxCategory")
    return InvoiceLine(
        line.value("ID"),
        line.value("Item", "Name"),
        values.decimal(quantity),
        None if quantity is None else quantity.attributes.get("unitCode"),
        values.decimal(line, "LineExtensionAmount"),
        values.decimal(line, "Price", "PriceAmount"),
        values.decimal(line, "Price", "BaseQuantity"),
        None if category is None else category.value("ID"),
        values.decimal(category, "Percent"),
        is_vat=category is not None and is_of_vat(category),
        adjustments=tuple(_adjustment(each, values) for each in line.all("AllowanceCharge")),
    )
