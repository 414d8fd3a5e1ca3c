"""What a reader made of a file of the corpus, held against what the manifest says of it."""

from decimal import Decimal

from webapp import importers
from webapp.importers import FileRefusedError, contradictions
from webapp.ledger.currencies import canonical

KINDS = {"bank": "BANK", "Bank": "BANK", "credit_card": "CARD", "investment": "BANK", None: "BANK"}
AMOUNTS = {"sum", "opening_balance", "closing_balance"}
LISTS = {"transactions", "pending_transactions"}


def read_or_refused(data, mapping=None):
    try:
        return importers.read(data, mapping=mapping)
    except FileRefusedError:
        return None


def listed(lines):
    return [(line.booked_on.isoformat(), line.amount) for line in lines]


def stated(name, balance):
    return {
        f"{name}_balance": balance and balance.amount,
        f"{name}_date": balance and balance.day and balance.day.isoformat(),
    }


def account(statements):
    """What an import would answer about one account of a file, in the words of the manifest."""
    lines = [line for statement in statements for line in statement.lines]
    booked = [line for line in lines if not line.pending]
    openings = [statement.opening for statement in statements if statement.opening]
    closings = [statement.closing for statement in reversed(statements) if statement.closing]
    days = [line.booked_on.isoformat() for line in booked]
    return {
        "id": statements[0].external_id,
        "currency": statements[0].currency,
        "kind": statements[0].kind,
        "booked": len(booked),
        "pending": len(lines) - len(booked),
        "sum": sum((line.amount for line in booked), Decimal(0)),
        "first_date": min(days, default=None),
        "last_date": max(days, default=None),
        **stated("opening", min(openings, key=lambda balance: str(balance.day), default=None)),
        **stated("closing", max(closings, key=lambda balance: str(balance.day), default=None)),
        "transactions": listed(booked),
        "pending_transactions": listed(line for line in lines if line.pending),
    }


def accounts(bank_file):
    grouped = {}
    for statement in bank_file.statements:
        grouped.setdefault((statement.external_id, statement.currency), []).append(statement)
    return [account(statements) for statements in grouped.values()]


def in_types(name, value):
    """A value of the manifest as a reader has it."""
    if name in AMOUNTS and value is not None:
        return Decimal(value)
    if name in LISTS:
        return [(day, Decimal(amount)) for day, amount in value]
    if name == "currency" and value:
        return canonical(value)
    return KINDS[value] if name == "kind" else value


def assert_read_as_the_manifest_says(entry, mapping=None):
    bank_file = read_or_refused(entry.data, mapping)
    assert bank_file or entry.outcome in {"must_reject", "accept_or_reject"}
    if entry.outcome == "must_reject":
        assert bank_file is None
    elif bank_file:
        for record, read in zip(entry.accounts, accounts(bank_file), strict=True):
            names = [name for name in read if record.get(name) is not None or name not in LISTS]
            names = [name for name in names if name in record]
            if (agrees := record.get("balances_reconcile")) is not None:
                of_account = [each for each in bank_file.statements if each.external_id == read["id"]]
                assert agrees is not bool(contradictions(of_account))
            assert {name: read[name] for name in names} == {
                name: in_types(name, record[name]) for name in names
            }
    return bank_file
