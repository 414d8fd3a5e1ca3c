"""Invoices of our own in each category of VAT, and each of their figures altered: what a check is held against."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from tests.fixtures import invoices

CATEGORIES = ("S", "Z", "E", "AE", "K", "G", "O")
_LEAF = re.compile(rb"<((?:\w+:)?(\w+))((?:\s[^<>]*)?)>([^<>]*)</\1>")
_PERCENTS = (b"Percent", b"RateApplicablePercent")
_CATEGORY = (b"ID", b"CategoryCode")
_VAT_ID = re.compile(rb"[A-Z]{2}[0-9]{8,}")
# What is added to a figure; the third decimal is one too many.
_ADDED = ("0.01", "0.99", "1.00", "-10.00", "0.001")


def bases() -> dict[str, bytes]:
    """Give sound invoices by name: in both syntaxes each category, a credit note, allowances, charges, currencies."""
    return {
        **{f"UBL {category}": _ubl(category) for category in CATEGORIES},
        **{f"CII {category}": _cii(category) for category in CATEGORIES},
        "UBL credit note": _credit_note(invoices.ubl(type_code="381")),
        "CII credit note": invoices.cii(type_code="381"),
        "UBL prepaid": invoices.ubl(prepaid="72.50", due="100.00"),
        "CII prepaid": invoices.cii(prepaid="19.00", due="100.00"),
        "UBL allowance and charge": _with_parts(invoices.ubl(tax="23.45", gross="178.45", due="178.45")),
        "CII allowance and charge": _with_parts(invoices.cii(tax="19.95", gross="124.95", due="124.95")),
        "UBL two currencies": _two_currencies(invoices.ubl()),
        "CII two currencies": _two_currencies(invoices.cii()),
        "UBL rounding": _rounded(invoices.ubl(due="172.00")),
        "CII rounding": _rounded(invoices.cii(due="118.50")),
    }


def alterations(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield an invoice with one figure, rate, category or VAT id altered, and what was altered, for each of them."""
    seen: Counter[bytes] = Counter()
    for found in _LEAF.finditer(data):
        name, text = found[2], found[4].strip()
        seen[name] += 1
        place = f"{name.decode()} {seen[name]}"
        for what, other in _others(name, text):
            yield f"{place} {what}", data[: found.start(4)] + other + data[found.end(4) :]
        if _is_figure(name, text) or name in _PERCENTS:
            yield f"{place} left out", data[: found.start()] + data[found.end() :]


def _others(name: bytes, text: bytes) -> Iterator[tuple[str, bytes]]:
    if _is_figure(name, text):
        figure = Decimal(text.decode())
        for added in _ADDED:
            yield f"by {added}", f"{figure + Decimal(added)}".encode()
        if figure:
            yield "negative", f"{-figure}".encode()
    elif name in _PERCENTS and text:
        yield "by 1", f"{Decimal(text.decode()) + 1}".encode()
        yield "of 0", b"0"
    elif name in _CATEGORY and text.decode() in CATEGORIES:
        for other in CATEGORIES:
            if other != text.decode():
                yield f"of {other}", other.encode()
    elif name in (b"CompanyID", b"ID") and _VAT_ID.fullmatch(text):
        yield "empty", b""


def _is_figure(name: bytes, text: bytes) -> bool:
    return name.endswith(b"Amount") and re.fullmatch(rb"-?[0-9]+(\.[0-9]+)?", text) is not None


def _ubl(category: str) -> bytes:
    """An invoice whose line and row of 19 % are of another category, whose rate is 0 and which has a reason."""
    if category == "S":
        return invoices.ubl()
    rate = b"" if category == "O" else b"<cbc:Percent>0</cbc:Percent>"
    reason = b"" if category == "Z" else b"<cbc:TaxExemptionReason>A reason</cbc:TaxExemptionReason>"
    changed = invoices.ubl(tax="3.50", gross="153.50", due="153.50").replace(
        b'<cbc:TaxAmount currencyID="EUR">19.00', b'<cbc:TaxAmount currencyID="EUR">0.00'
    )
    code, of_19 = category.encode(), rb"<cbc:ID>S</cbc:ID>\n?<cbc:Percent>19</cbc:Percent>"
    head, tail = changed.split(b"<cac:InvoiceLine>", 1)
    head = re.sub(of_19, b"<cbc:ID>" + code + b"</cbc:ID>" + rate + reason, head)
    tail = re.sub(of_19, b"<cbc:ID>" + code + b"</cbc:ID>" + rate, tail)
    return _with_buyers_id(head + b"<cac:InvoiceLine>" + tail)


def _with_buyers_id(data: bytes) -> bytes:
    scheme = b"<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"
    own = (
        b"<cac:PartyTaxScheme><cbc:CompanyID>DE987654321</cbc:CompanyID>" + scheme + b"</cac:PartyTaxScheme>"
    )
    return data.replace(
        b"<cac:AccountingCustomerParty><cac:Party>", b"<cac:AccountingCustomerParty><cac:Party>" + own
    )


def _cii(category: str) -> bytes:
    if category == "S":
        return invoices.cii()
    data = invoices.cii(tax="0.00", gross="100.00", due="100.00").replace(
        b"<ram:CalculatedAmount>19.00", b"<ram:CalculatedAmount>0.00"
    )
    reason = b"" if category == "Z" else b"<ram:ExemptionReason>A reason</ram:ExemptionReason>"
    data = data.replace(
        b"<ram:TypeCode>VAT</ram:TypeCode>\n<ram:BasisAmount>",
        b"<ram:TypeCode>VAT</ram:TypeCode>\n" + reason + b"<ram:BasisAmount>",
    )
    data = data.replace(b"<ram:CategoryCode>S", b"<ram:CategoryCode>" + category.encode())
    rate = b"" if category == "O" else b"<ram:RateApplicablePercent>0</ram:RateApplicablePercent>"
    data = re.sub(rb"<ram:RateApplicablePercent>19</ram:RateApplicablePercent>", rate, data)
    own = b'<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE987654321</ram:ID></ram:SpecifiedTaxRegistration>'
    return data.replace(b"<ram:Name>Ada Studio</ram:Name>", b"<ram:Name>Ada Studio</ram:Name>" + own)


def _credit_note(data: bytes) -> bytes:
    names = (
        (b"<Invoice ", b"<CreditNote "),
        (b"</Invoice>", b"</CreditNote>"),
        (b"schema:xsd:Invoice-2", b"schema:xsd:CreditNote-2"),
        (b"InvoiceTypeCode", b"CreditNoteTypeCode"),
        (b"InvoiceLine", b"CreditNoteLine"),
        (b"InvoicedQuantity", b"CreditedQuantity"),
    )
    for old, new in names:
        data = data.replace(old, new)
    return re.sub(rb"<cbc:DueDate>[^<]*</cbc:DueDate>", b"", data)


def _with_parts(data: bytes) -> bytes:
    """Take 10.00 off at 19 % and charge 15.00, so that the base of that rate is 105.00; and 1.00 of each in a line."""
    if b"<cac:" in data:
        scheme = b"<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"
        of_19 = (
            b"<cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent>"
            + scheme
            + b"</cac:TaxCategory>"
        )
        totals = (
            b'<cbc:AllowanceTotalAmount currencyID="EUR">10.00</cbc:AllowanceTotalAmount>'
            b'<cbc:ChargeTotalAmount currencyID="EUR">15.00</cbc:ChargeTotalAmount>'
        )
        return _replaced(
            data,
            (b'<cbc:TaxableAmount currencyID="EUR">100.00', b'<cbc:TaxableAmount currencyID="EUR">105.00'),
            (b'<cbc:TaxAmount currencyID="EUR">19.00', b'<cbc:TaxAmount currencyID="EUR">19.95'),
            (b'ExclusiveAmount currencyID="EUR">150.00', b'ExclusiveAmount currencyID="EUR">155.00'),
            (b"<cac:TaxTotal>", _parts_of_ubl(b"10.00", b"15.00", of_19) + b"<cac:TaxTotal>"),
            (b"<cbc:PrepaidAmount", totals + b"<cbc:PrepaidAmount"),
            (b"<cac:Item>", _parts_of_ubl(b"1.00", b"1.00") + b"<cac:Item>"),
        )
    of_19 = (
        b"<ram:CategoryTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode>"
        b"<ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:CategoryTradeTax>"
    )
    totals = (
        b"<ram:ChargeTotalAmount>15.00</ram:ChargeTotalAmount>"
        b"<ram:AllowanceTotalAmount>10.00</ram:AllowanceTotalAmount>"
    )
    terms, of_line = (
        b"<ram:SpecifiedTradePaymentTerms>",
        b"<ram:SpecifiedTradeSettlementLineMonetarySummation>",
    )
    return _replaced(
        data,
        (b"<ram:BasisAmount>100.00", b"<ram:BasisAmount>105.00"),
        (b"<ram:CalculatedAmount>19.00", b"<ram:CalculatedAmount>19.95"),
        (b"<ram:TaxBasisTotalAmount>100.00", totals + b"<ram:TaxBasisTotalAmount>105.00"),
        (terms, _parts_of_cii(b"10.00", b"15.00", of_19) + terms),
        (of_line, _parts_of_cii(b"1.00", b"1.00") + of_line),
    )


def _replaced(data: bytes, *pairs: tuple[bytes, bytes]) -> bytes:
    for old, new in pairs:
        data = data.replace(old, new, 1)
    return data


def _parts_of_ubl(allowance: bytes, charge: bytes, category: bytes = b"") -> bytes:
    return b"".join(
        b"<cac:AllowanceCharge><cbc:ChargeIndicator>%s</cbc:ChargeIndicator>"
        b"<cbc:AllowanceChargeReason>A reason</cbc:AllowanceChargeReason>"
        b'<cbc:Amount currencyID="EUR">%s</cbc:Amount><cbc:BaseAmount currencyID="EUR">200.00</cbc:BaseAmount>%s'
        b"</cac:AllowanceCharge>" % (is_charge, amount, category)
        for is_charge, amount in ((b"false", allowance), (b"true", charge))
    )


def _parts_of_cii(allowance: bytes, charge: bytes, category: bytes = b"") -> bytes:
    return b"".join(
        b"<ram:SpecifiedTradeAllowanceCharge>"
        b"<ram:ChargeIndicator><udt:Indicator>%s</udt:Indicator></ram:ChargeIndicator>"
        b"<ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>%s</ram:ActualAmount>"
        b"<ram:Reason>A reason</ram:Reason>%s</ram:SpecifiedTradeAllowanceCharge>"
        % (is_charge, amount, category)
        for is_charge, amount in ((b"false", allowance), (b"true", charge))
    )


def _two_currencies(data: bytes) -> bytes:
    """State the tax a second time, in the currency in which it is reported."""
    if b"<cac:" in data:
        data = data.replace(
            b"</cbc:DocumentCurrencyCode>",
            b"</cbc:DocumentCurrencyCode><cbc:TaxCurrencyCode>GBP</cbc:TaxCurrencyCode>",
        )
        second = b'<cac:TaxTotal><cbc:TaxAmount currencyID="GBP">19.40</cbc:TaxAmount></cac:TaxTotal>'
        return data.replace(b"<cac:LegalMonetaryTotal>", second + b"<cac:LegalMonetaryTotal>")
    data = data.replace(
        b"<ram:InvoiceCurrencyCode>",
        b"<ram:TaxCurrencyCode>GBP</ram:TaxCurrencyCode><ram:InvoiceCurrencyCode>",
    )
    second = b'<ram:TaxTotalAmount currencyID="GBP">16.40</ram:TaxTotalAmount>'
    return data.replace(b"<ram:GrandTotalAmount>", second + b"<ram:GrandTotalAmount>")


def _rounded(data: bytes) -> bytes:
    if b"<cac:" in data:
        rounding = b'<cbc:PayableRoundingAmount currencyID="EUR">-0.50</cbc:PayableRoundingAmount>'
        return data.replace(b"<cbc:PayableAmount", rounding + b"<cbc:PayableAmount")
    rounding = b"<ram:RoundingAmount>-0.50</ram:RoundingAmount>"
    return data.replace(b"<ram:GrandTotalAmount>", rounding + b"<ram:GrandTotalAmount>")
