"""Findings on documents: what does not add up in their own figures; they are kept as they were sent."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from webapp.ledger.codes import NO_INVOICES, SUPPLEMENTS
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Document
from webapp.queries.common import merchants
from webapp.queries.items import prepaid

# The rule of EN 16931 on the gross, the net and the tax.
GROSS: Final = "BR-CO-15"


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """Something that is wrong on a document: its code, and a sentence."""

    code: str
    message: str


def findings_of(document: Document) -> list[DocumentFinding]:
    """List what does not add up in a document: the rules that its e-invoice breaks, and its net, tax and total."""
    stated = [
        DocumentFinding(each["rule"], each["message"])
        for each in (document.invoice or {}).get("findings", ())
    ]
    return [*stated, *_no_invoice(document), *_differing_total(document)]


def is_no_invoice(document: Document) -> bool:
    """Return whether a document's file states a type by which no tax is owed: it asks for money, or is of the buyer."""
    return (document.invoice or {}).get("type_code") in NO_INVOICES | SUPPLEMENTS


def _no_invoice(document: Document) -> list[DocumentFinding]:
    if not is_no_invoice(document):
        return []
    code = (document.invoice or {})["type_code"]
    if code in SUPPLEMENTS:
        supplement = (
            f"Its type {code} is what a buyer writes on somebody else's invoice, for the VAT alone: nothing is paid by"
            " it. Book that invoice."
        )
        return [DocumentFinding("not_an_invoice", supplement)]
    sentence = (
        f"Its type {code} is a request for payment or a pro-forma, and no invoice: no tax can be deducted by it. Wait"
        " for the invoice, and book what is paid before as a prepayment."
    )
    return [DocumentFinding("not_an_invoice", sentence)]


def of_account(document: Document) -> list[DocumentFinding]:
    """Say where an e-invoice wants to be paid to another account than those that its merchant is known by.

    Who sends an altered invoice in somebody's name changes the account.
    """
    asked = merchants.counting(document.organization_id, [document.org_merchant_id])
    merchant = asked.get(document.org_merchant_id)
    account = compact(document.iban or "")
    if document.document_type != "BILL" or merchant is None or not account or not merchant.ibans:
        return []
    if account in merchant.ibans:
        return []
    sentence = (
        f"{merchant.name} is known by {' and '.join(merchant.ibans)}, and this invoice wants to be paid to"
        f" {account}. Ask before you pay, on a way that is not on the invoice."
    )
    return [DocumentFinding("unknown_account", sentence)]


def of_prepayment(document: Document) -> list[DocumentFinding]:
    """Say where what a booked document states as prepaid is settled by nothing."""
    left = prepaid.unsettled(document)
    if left is None:
        return []
    of = "no party" if document.org_merchant_id is None else "the supplier"
    sentence = (
        f"{left.formatted} was prepaid, and no items of {of} were settled for it, because none or several make it"
        " exactly. Settle them on its statement."
    )
    return [DocumentFinding("prepaid_open", sentence)]


def _differing_total(document: Document) -> list[DocumentFinding]:
    net, tax, total = document.net, document.tax, document.total
    if net is None or tax is None or total is None or net + tax == total:
        return []
    if _says_so_itself(document):
        return []
    sentence = (
        f"Net {net.formatted} and tax {tax.formatted} make {(net + tax).formatted}, and the total is"
        f" {total.formatted}. Compare them with the document."
    )
    return [DocumentFinding("total_differs", sentence)]


def _says_so_itself(document: Document) -> bool:
    """Tell whether the e-invoice's own finding says that its figures differ, which are still those of the document.

    The total of an Italian invoice may include a stamp duty or a rounding.
    """
    invoice = document.invoice or {}
    rules = {each["rule"] for each in invoice.get("findings", ())}
    if GROSS not in rules and invoice.get("syntax") != "FATTURA_PA":
        return False
    stated = invoice["totals"]
    amounts = {"net": document.net, "tax": document.tax, "gross": document.total}
    return all(
        amount is not None and stated[name] is not None and Decimal(stated[name]) == amount.decimal
        for name, amount in amounts.items()
    )
