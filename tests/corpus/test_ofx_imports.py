"""Every OFX file of the corpus goes through the whole import as its manifest says, and a second time adds nothing."""

import json
from decimal import Decimal

import pytest
from click.testing import CliRunner

from tests.corpus import manifest
from tests.fixtures.corpus import CORPUS
from webapp.cli import main

BALANCES = ("opening_balance", "closing_balance")


@pytest.fixture
def answer_of(app, ada):
    """Run `tieout import` in Ada's books with a file of the corpus; answers its exit status and its answer."""

    def run(entry):
        with app.app_context():
            path = str(CORPUS / entry.path)
            words = ["import", path, "--organization", ada.organization_id, "--json"]
            result = CliRunner().invoke(main, words, catch_exceptions=False)
        return result.exit_code, json.loads(result.stdout)[0]

    return run


def told(account, *, again=False):
    """What an answer says about an account, in the words of the manifest."""
    return {
        "id": account["externalId"],
        "currency": account["currency"],
        "booked": account["alreadyThere" if again else "added"],
        "pending": account["pending"],
        "sum": Decimal(account["sum"]),
        "first_date": account["firstDate"],
        "last_date": account["lastDate"],
        "opening_balance": account["openingBalance"] and Decimal(account["openingBalance"]),
        "opening_date": account["openingDate"],
        "closing_balance": account["closingBalance"] and Decimal(account["closingBalance"]),
        "closing_date": account["closingDate"],
    }


def expected(record):
    amounts = {name: record[name] and Decimal(record[name]) for name in (*BALANCES, "sum")}
    days = ("first_date", "last_date", "opening_date", "closing_date")
    return {name: record[name] for name in ("id", "currency", "booked", "pending", *days)} | amounts


def assert_lines(ada, entry, answer):
    for record, account in zip(entry.accounts, answer["accounts"], strict=True):
        listed = record.get("transactions")
        if listed is None:
            continue
        asked = {"faId": account["faId"], "limit": 200, "status": "BOOKED"}
        lines = ada.get("/api/transactions", query_string=asked).json["transactions"]
        there = sorted((line["bookedOn"], Decimal(line["amount"])) for line in lines)
        assert there == sorted((day, Decimal(amount)) for day, amount in listed)
        assert all(line["entryStatus"] == "DRAFT" for line in lines)


@pytest.mark.rare
@pytest.mark.parametrize("entry", manifest.entries("ofx"), ids=lambda entry: entry.path)
def test_a_file_comes_in_as_the_manifest_says(entry, answer_of, ada):
    status, answer = answer_of(entry)
    if entry.outcome == "must_reject":
        assert (status, answer["status"]) == (1, "REFUSED")
    if answer["status"] == "REFUSED":
        assert entry.outcome in {"must_reject", "accept_or_reject"}
        assert answer["error"]
        assert ada.get("/api/transactions").json["transactions"] == []
        assert ada.get("/api/feeds/accounts").json["feedAccounts"] == []
        return
    assert (status, answer["status"], answer["error"]) == (0, "IMPORTED", None)
    assert [told(account) for account in answer["accounts"]] == [
        expected(record) for record in entry.accounts
    ]
    assert bool(answer["warnings"]) or entry.outcome != "no_transactions"
    assert_lines(ada, entry, answer)
    _, second = answer_of(entry)
    assert [told(account, again=True) for account in second["accounts"]] == [
        expected(record) for record in entry.accounts
    ]
    assert all(account["added"] == 0 for account in second["accounts"])
