"""What the demo's clients owe and what the studio owes, written by hand as it was issued."""

from webapp.demo.invoices import DemoInvoice
from webapp.ledger.money import Money
from webapp.queries.items import items
from webapp.services.bookkeeping import manual_entries
from webapp.services.bookkeeping.posting_inputs import PostingInput
from webapp.services.demo.bookkeeper import Bookkeeper
from webapp.services.transactions import settlements

RECEIVABLES, PAYABLES, CASH = "1200", "2100", "1100"


def write(keeper: Bookkeeper, invoice: DemoInvoice) -> None:
    """Post an invoice or a bill, and settle what was paid of it in cash at once."""
    amount = Money(invoice.amount_minor, invoice.currency)
    is_ours = invoice.amount_minor > 0
    owed = _owed(keeper, invoice, amount, RECEIVABLES if is_ours else PAYABLES)
    other: PostingInput = {
        "account_id": keeper.code(invoice.code),
        "amount": -amount.decimal,
        "currency": invoice.currency,
        "project_id": keeper.project(invoice.project) if invoice.project else None,
        "tax_code_id": keeper.tax_code(invoice.party, invoice.code, invoice.issued_on),
    }
    entry = manual_entries.create(
        effective_at=invoice.issued_on,
        description=f"{'Invoice' if is_ours else 'Bill'} {invoice.number}, {invoice.party}",
        postings=[owed, other],
        post=True,
        **keeper.act,
    )
    if invoice.cash_minor:
        (item,) = items.of_entry(entry.organization_id, entry.id)
        _pay_in_cash(keeper, invoice, item.id)


def _owed(keeper: Bookkeeper, invoice: DemoInvoice, amount: Money, code: str) -> PostingInput:
    return {
        "account_id": keeper.code(code),
        "amount": amount.decimal,
        "currency": amount.currency,
        "org_merchant_id": keeper.merchant(invoice.party),
        "due_on": invoice.due_on,
        "reference": invoice.number,
    }


def _pay_in_cash(keeper: Bookkeeper, invoice: DemoInvoice, item_id: int) -> None:
    """Post what was paid of an invoice in cash when it was handed over, and settle it with that part of the invoice."""
    paid = Money(invoice.cash_minor, invoice.currency)
    entry = manual_entries.create(
        effective_at=invoice.issued_on,
        description=f"Part of {invoice.number} in cash, {invoice.party}",
        postings=[
            {"account_id": keeper.code(CASH), "amount": paid.decimal},
            {
                "account_id": keeper.code(RECEIVABLES),
                "amount": -paid.decimal,
                "org_merchant_id": keeper.merchant(invoice.party),
            },
        ],
        post=True,
        **keeper.act,
    )
    (payment,) = items.of_entry(entry.organization_id, entry.id)
    parts: list[settlements.PartInput] = [
        {"item_id": payment.id, "amount": -paid.decimal},
        {"item_id": item_id, "amount": paid.decimal},
    ]
    settlements.settle(parts, **keeper.act)
