"""An e-invoice as JSON for storage and display: every figure as text, exactly as written."""

from datetime import date
from decimal import Decimal
from typing import Any

from webapp.importers.invoices.records import (
    Instalment,
    Invoice,
    InvoiceLine,
    InvoiceTotals,
    Party,
    VatRow,
    Withholding,
)
from webapp.importers.invoices.rules import findings


def facts(invoice: Invoice) -> dict[str, Any]:
    """Return everything that an invoice states, with its findings, under the names of the records."""
    return {
        "syntax": invoice.syntax.value,
        "profile": invoice.profile,
        "type_code": invoice.type_code,
        "is_credit_note": invoice.is_credit_note,
        "number": invoice.number,
        "issued_on": _day(invoice.issued_on),
        "due_on": _day(invoice.due_on),
        "tax_point_on": _day(invoice.tax_point_on),
        "supplied_on": _day(invoice.supplied_on),
        "currency": invoice.currency,
        "preceding_invoices": list(invoice.preceding),
        "seller": _party(invoice.seller),
        "buyer": _party(invoice.buyer),
        "payment_means": invoice.payment.means,
        "remittance": invoice.payment.remittance,
        "account": invoice.payment.account,
        "totals": _totals(invoice),
        "other_taxes": [
            {"currency": each.currency, "tax": _figure(each.amount)}
            for each in invoice.tax_totals
            if each not in invoice.own_tax_totals and each.amount is not None
        ],
        "vat": [_row(each) for each in invoice.rows],
        "lines": [_line(each) for each in invoice.lines],
        "withholdings": [_withholding(each) for each in invoice.withholdings],
        "instalments": [_instalment(each) for each in invoice.instalments],
        "attachments": invoice.attachments,
        "findings": [{"rule": each.rule, "message": each.sentence} for each in findings(invoice)],
    }


def _totals(invoice: Invoice) -> dict[str, str | None]:
    totals = invoice.totals or InvoiceTotals()
    return {
        "lines": _figure(totals.lines),
        "allowances": _figure(totals.allowances),
        "charges": _figure(totals.charges),
        "net": _figure(totals.net),
        "tax": _figure(invoice.tax),
        "gross": _figure(totals.gross),
        "prepaid": _figure(totals.prepaid),
        "rounding": _figure(totals.rounding),
        "due": _figure(totals.due),
        "third_party": _figure(totals.third_party),
        "withheld": _figure(totals.withheld),
        "split_tax": _figure(totals.split_tax),
        "stamp": _figure(totals.stamp),
    }


def _withholding(withholding: Withholding) -> dict[str, Any]:
    return {
        "kind": withholding.kind,
        "amount": _figure(withholding.amount),
        "rate": _figure(withholding.rate),
        "reason": withholding.reason,
    }


def _instalment(instalment: Instalment) -> dict[str, Any]:
    return {
        "amount": _figure(instalment.amount),
        "due_on": _day(instalment.due_on),
        "payment_means": instalment.means,
    }


def _party(party: Party) -> dict[str, Any]:
    return {
        "name": party.name,
        "vat_id": party.vat_id,
        "tax_number": party.tax_number,
        "registration": party.registration,
        "country": party.country,
        "address": list(party.address),
    }


def _row(row: VatRow) -> dict[str, Any]:
    return {
        "category": row.category,
        "rate": _figure(row.rate),
        "base": _figure(row.base),
        "tax": _figure(row.tax),
        "reason": row.reason or row.reason_code,
    }


def _line(line: InvoiceLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "name": line.name,
        "quantity": _figure(line.quantity),
        "unit": line.unit,
        "price": _figure(line.price),
        "base_quantity": _figure(line.base_quantity),
        "net": _figure(line.net),
        "category": line.category,
        "rate": _figure(line.rate),
    }


def _figure(figure: Decimal | None) -> str | None:
    return None if figure is None else f"{figure:f}"


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
