"""Payloads of providers as tests write them, each with as little as it can have."""

import json


def plaid(*added, accounts=(), **more):
    return {"added": list(added), "modified": [], "removed": [], "accounts": list(accounts), **more}


def plaid_line(name="t1", amount=12.5, *, account="chk", **more):
    return {
        "transaction_id": name,
        "account_id": account,
        "amount": amount,
        "iso_currency_code": "USD",
        "date": "2026-03-02",
        "name": "COFFEE",
        "pending": False,
        **more,
    }


def simplefin(*lines, name="ACT-1", **more):
    account = {"id": name, "currency": "USD", "balance": "100.00", "balance-date": 1772409600}
    return {"errors": [], "accounts": [account | {"transactions": list(lines)} | more]}


def simplefin_line(name="t1", amount="-45.20", **more):
    return {"id": name, "posted": 1772236800, "amount": amount, "description": "GROCERY", **more}


def gocardless(*booked, pending=(), **more):
    return {"transactions": {"booked": list(booked), "pending": list(pending)}, **more}


def gocardless_line(name="g1", amount="-10.00", currency="EUR", **more):
    line = {
        "bookingDate": "2026-03-02",
        "transactionAmount": {"amount": amount, "currency": currency},
        "remittanceInformationUnstructured": "Rent",
    }
    return line | ({"transactionId": name} if name else {}) | more


def enablebanking(*lines, **more):
    return {"transactions": list(lines), "continuation_key": None, **more}


def enablebanking_line(name="e1", amount="9.54", **more):
    return {
        "entry_reference": name,
        "transaction_amount": {"currency": "EUR", "amount": amount},
        "credit_debit_indicator": "DBIT",
        "status": "BOOK",
        "booking_date": "2026-03-02",
        "remittance_information": ["Card 1234", "GROCER"],
        **more,
    }


def written(payload):
    return json.dumps(payload).encode()
