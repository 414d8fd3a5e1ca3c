"""Every OFX file of the corpus is read as its manifest says: outcome, counts, sums, days, balances, pending."""

from decimal import Decimal

import pytest

from tests.corpus import manifest
from webapp import importers
from webapp.importers import FileRefusedError

KINDS = {"bank": "BANK", "credit_card": "CARD", "investment": "BANK"}


def read_or_refused(data):
    try:
        return importers.read(data)
    except FileRefusedError:
        return None


def account(statements):
    """What an import would answer about one account of a file, in the words of the manifest."""
    lines = [line for statement in statements for line in statement.lines]
    booked = [line for line in lines if not line.pending]
    balances = [statement.closing for statement in statements if statement.closing]
    closing = max(balances, key=lambda balance: str(balance.day), default=None)
    days = [line.booked_on.isoformat() for line in booked]
    return {
        "id": statements[0].external_id,
        "currency": statements[0].currency,
        "kind": statements[0].kind,
        "statements": len(statements),
        "booked": len(booked),
        "pending": len(lines) - len(booked),
        "sum": sum((line.amount for line in booked), Decimal(0)),
        "first_date": min(days, default=None),
        "last_date": max(days, default=None),
        "opening_balance": None,
        "closing_balance": closing and closing.amount,
        "closing_date": closing and closing.day and closing.day.isoformat(),
        "transactions": [(day, line.amount) for day, line in zip(days, booked, strict=True)],
    }


def accounts(bank_file):
    grouped = {}
    for statement in bank_file.statements:
        grouped.setdefault((statement.external_id, statement.currency), []).append(statement)
    return [account(statements) for statements in grouped.values()]


def expected_account(record, read):
    """The manifest's record of an account, reduced to what was read and in its types."""
    amounts = {name: Decimal(record[name]) for name in ("sum", "closing_balance") if record[name] is not None}
    listed = record.get("transactions")
    listed = (
        [(day, Decimal(amount)) for day, amount in listed] if listed is not None else read["transactions"]
    )
    return {
        name: {**record, **amounts, "kind": KINDS[record["kind"]], "transactions": listed}[name]
        for name in read
    }


@pytest.mark.parametrize("entry", manifest.entries("ofx"), ids=lambda entry: entry.path)
def test_a_file_is_read_as_the_manifest_says(entry, record_property):
    record_property("corpus_format", "ofx")
    bank_file = read_or_refused(entry.data)
    if entry.outcome == "must_reject":
        assert bank_file is None
    elif entry.outcome == "no_transactions":
        assert bank_file.statements == ()
        assert bank_file.warnings
    elif entry.outcome == "accept" or bank_file:
        read = accounts(bank_file)
        assert read == [expected_account(*both) for both in zip(entry.accounts, read, strict=True)]
        assert len(bank_file.statements) == entry.expected["statements"]
        assert not bank_file.skipped
