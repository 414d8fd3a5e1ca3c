"""UN/CEFACT Cross Industry Invoices D16B (XRechnung, Factur-X, ZUGFeRD 2), and ZUGFeRD 1 in the same words."""

from collections.abc import Iterator
from datetime import date
from typing import Final

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

ROOT: Final = "CrossIndustryInvoice"
ROOT_OF_ZUGFERD_1: Final = "CrossIndustryDocument"
# What ZUGFeRD 1 calls the elements that D16B renamed.
_RENAMED: Final = {
    "HeaderExchangedDocument": "ExchangedDocument",
    "SpecifiedExchangedDocumentContext": "ExchangedDocumentContext",
    "SpecifiedSupplyChainTradeTransaction": "SupplyChainTradeTransaction",
    "ApplicableSupplyChainTradeAgreement": "ApplicableHeaderTradeAgreement",
    "ApplicableSupplyChainTradeSettlement": "ApplicableHeaderTradeSettlement",
    "SpecifiedSupplyChainTradeAgreement": "SpecifiedLineTradeAgreement",
    "SpecifiedSupplyChainTradeDelivery": "SpecifiedLineTradeDelivery",
    "SpecifiedSupplyChainTradeSettlement": "SpecifiedLineTradeSettlement",
    "ApplicablePercent": "RateApplicablePercent",
}
_SUMMATION: Final = "SpecifiedTradeSettlementMonetarySummation"
_SUMMATIONS: Final = {
    "ApplicableHeaderTradeSettlement": "SpecifiedTradeSettlementHeaderMonetarySummation",
    "SpecifiedLineTradeSettlement": "SpecifiedTradeSettlementLineMonetarySummation",
}
_TRUE: Final = frozenset({"true", "1"})
_EMBEDDED: Final = frozenset({"AttachmentBinaryObject"})
_NOTHING: Final = Node("", {})


def read(root: Node) -> Invoice:
    """Read a Cross Industry Invoice from its tree."""
    is_first = root.name == ROOT_OF_ZUGFERD_1
    if is_first:
        root = _renamed(root)
    values = InvoiceValues()
    document = root.first("ExchangedDocument") or _NOTHING
    trade = root.first("SupplyChainTradeTransaction") or _NOTHING
    settlement = trade.first("ApplicableHeaderTradeSettlement") or _NOTHING
    agreement = trade.first("ApplicableHeaderTradeAgreement") or _NOTHING
    summation = settlement.first("SpecifiedTradeSettlementHeaderMonetarySummation")
    type_code = document.value("TypeCode")
    context = ("ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID")
    return Invoice(
        syntax=Syntax.ZUGFERD_1 if is_first else Syntax.CII,
        type_code=type_code,
        number=document.value("ID"),
        profile=root.value(*context),
        issued_on=values.day(document, "IssueDateTime", "DateTimeString"),
        due_on=values.day(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString"),
        tax_point_on=values.day(settlement, "ApplicableTradeTax", "TaxPointDate", "DateString"),
        supplied_on=_supplied_on(trade, settlement, values),
        currency=settlement.value("InvoiceCurrencyCode"),
        tax_currency=settlement.value("TaxCurrencyCode"),
        preceding=tuple(
            each.text for each in settlement.all("InvoiceReferencedDocument", "IssuerAssignedID")
        ),
        seller=_party(agreement.first("SellerTradeParty")),
        buyer=_party(agreement.first("BuyerTradeParty")),
        representative_vat_id=_registration(agreement.first("SellerTaxRepresentativeTradeParty"), "VA"),
        payment=_payment(settlement),
        totals=None if summation is None else _totals(summation, values),
        tax_totals=() if summation is None else _tax_totals(summation, values),
        rows=tuple(_row(each, values) for each in settlement.all("ApplicableTradeTax")),
        adjustments=(
            *(_adjustment(each, values) for each in settlement.all("SpecifiedTradeAllowanceCharge")),
            *(_service(each, values) for each in settlement.all("SpecifiedLogisticsServiceCharge")),
        ),
        lines=tuple(_line(each, values) for each in trade.all("IncludedSupplyChainTradeLineItem")),
        is_credit_note=type_code in CREDIT_NOTES,
        attachments=root.count(_EMBEDDED),
        unreadable=tuple(values.unreadable),
    )


def _supplied_on(trade: Node, settlement: Node, values: InvoiceValues) -> date | None:
    delivery = trade.first("ApplicableHeaderTradeDelivery") or _NOTHING
    event = ("ActualDeliverySupplyChainEvent", "OccurrenceDateTime", "DateTimeString")
    end = ("BillingSpecifiedPeriod", "EndDateTime", "DateTimeString")
    return values.day(delivery, *event) or values.day(settlement, *end)


def _renamed(node: Node) -> Node:
    """Rename the elements of a ZUGFeRD 1 tree as in D16B."""
    renamed = Node(_RENAMED.get(node.name, node.name), node.attributes)
    renamed.text = node.text
    for name, children in node.children.items():
        own = _SUMMATIONS.get(renamed.name, name) if name == _SUMMATION else _RENAMED.get(name, name)
        renamed.children[own] = [_renamed(child) for child in children]
    return renamed


def _party(party: Node | None) -> Party:
    if party is None:
        return Party()
    address = party.first("PostalTradeAddress")
    return Party(
        name=party.value("Name") or party.value("SpecifiedLegalOrganization", "TradingBusinessName"),
        vat_id=_registration(party, "VA"),
        tax_number=_registration(party, "FC"),
        registration=party.value("SpecifiedLegalOrganization", "ID"),
        country=None if address is None else address.value("CountryID"),
        address=() if address is None else _address(address),
        stated_ids=frozenset(_stated_ids(party)),
    )


def _address(address: Node) -> tuple[str, ...]:
    town = " ".join(each for each in (address.value("PostcodeCode"), address.value("CityName")) if each)
    rows = (*(address.value(name) for name in ("LineOne", "LineTwo", "LineThree")), town)
    return tuple(each for each in rows if each)


def _stated_ids(party: Node) -> Iterator[str]:
    for each in party.all("SpecifiedTaxRegistration", "ID"):
        yield {"VA": "vat", "FC": "tax"}.get(each.attributes.get("schemeID", ""), "")
    if party.first("SpecifiedLegalOrganization", "ID") is not None:
        yield "registration"


def _registration(party: Node | None, scheme: str) -> str | None:
    if party is None:
        return None
    ids = party.all("SpecifiedTaxRegistration", "ID")
    return next((each.text for each in ids if each.attributes.get("schemeID") == scheme and each.text), None)


def _payment(settlement: Node) -> Payment:
    means = list(settlement.all("SpecifiedTradeSettlementPaymentMeans"))
    accounts = [each for one in means for each in one.all("PayeePartyCreditorFinancialAccount")]
    return Payment(
        means=settlement.value("SpecifiedTradeSettlementPaymentMeans", "TypeCode"),
        remittance=settlement.value("PaymentReference"),
        account=next(
            (found for each in accounts if (found := each.value("IBANID") or each.value("ProprietaryID"))),
            None,
        ),
    )


def _totals(summation: Node, values: InvoiceValues) -> InvoiceTotals:
    names = (
        "LineTotalAmount",
        "AllowanceTotalAmount",
        "ChargeTotalAmount",
        "TaxBasisTotalAmount",
        "GrandTotalAmount",
        "TotalPrepaidAmount",
        "RoundingAmount",
        "DuePayableAmount",
    )
    return InvoiceTotals(*(values.decimal(summation, name) for name in names))


def _tax_totals(summation: Node, values: InvoiceValues) -> tuple[TaxTotal, ...]:
    return tuple(
        TaxTotal(values.decimal(each), each.attributes.get("currencyID"))
        for each in summation.all("TaxTotalAmount")
    )


def _row(tax: Node, values: InvoiceValues) -> VatRow:
    return VatRow(
        values.decimal(tax, "BasisAmount"),
        values.decimal(tax, "CalculatedAmount"),
        tax.value("CategoryCode"),
        values.decimal(tax, "RateApplicablePercent"),
        tax.value("ExemptionReason"),
        tax.value("ExemptionReasonCode"),
        is_vat=(tax.value("TypeCode") or "").upper() == "VAT",
    )


def _adjustment(node: Node, values: InvoiceValues) -> Adjustment:
    tax = node.first("CategoryTradeTax")
    return Adjustment(
        node.value("ChargeIndicator", "Indicator") in _TRUE,
        values.decimal(node, "ActualAmount"),
        values.decimal(node, "BasisAmount"),
        None if tax is None else tax.value("CategoryCode"),
        values.decimal(tax, "RateApplicablePercent"),
        node.value("Reason"),
    )


def _service(node: Node, values: InvoiceValues) -> Adjustment:
    """Read a charge for logistics, which the extended profile has beside other charges."""
    tax = node.first("AppliedTradeTax")
    return Adjustment(
        is_charge=True,
        amount=values.decimal(node, "AppliedAmount"),
        category=None if tax is None else tax.value("CategoryCode"),
        rate=values.decimal(tax, "RateApplicablePercent"),
        reason=node.value("Description"),
    )


def _line(line: Node, values: InvoiceValues) -> InvoiceLine:
    settlement = line.first("SpecifiedLineTradeSettlement") or _NOTHING
    agreement = line.first("SpecifiedLineTradeAgreement", "NetPriceProductTradePrice")
    quantity = line.first("SpecifiedLineTradeDelivery", "BilledQuantity")
    tax = settlement.first("ApplicableTradeTax")
    return InvoiceLine(
        line.value("AssociatedDocumentLineDocument", "LineID"),
        line.value("SpecifiedTradeProduct", "Name"),
        values.decimal(quantity),
        None if quantity is None else quantity.attributes.get("unitCode"),
        values.decimal(settlement, "SpecifiedTradeSettlementLineMonetarySummation", "LineTotalAmount"),
        values.decimal(agreement, "ChargeAmount"),
        values.decimal(agreement, "BasisQuantity"),
        None if tax is None else tax.value("CategoryCode"),
        values.decimal(tax, "RateApplicablePercent"),
        is_vat=tax is not None and (tax.value("TypeCode") or "").upper() == "VAT",
        adjustments=tuple(
            _adjustment(each, values) for each in settlement.all("SpecifiedTradeAllowanceCharge")
        ),
        status=line.value("AssociatedDocumentLineDocument", "LineStatusReasonCode"),
    )
