"""`tieout push`: a provider's answer, or the body of a push, into one feed account, once however often it is sent."""

import json

import pytest
from click.testing import CliRunner

from tests.fixtures.bank_files import provider_payloads as payloads
from webapp.cli import main


@pytest.fixture
def tieout(app, ada, bank, tmp_path):
    """Run `tieout push` with a file of this content; answers the result."""
    usd = bank.open("Checking", "USD")

    def run(payload, *options, provider="plaid", account=usd):
        path = tmp_path / "payload.json"
        path.write_bytes(payload if isinstance(payload, bytes) else payloads.written(payload))
        with app.app_context():
            words = ["push", str(path), "--provider", provider, "--account", str(account), *options]
            return CliRunner().invoke(main, words, catch_exceptions=False)

    run.fa_id = usd
    return run


def lines_of(person, fa_id):
    lines = person.get("/api/transactions", query_string={"faId": fa_id, "limit": 200}).json["transactions"]
    return sorted((line["bookedOn"], line["amount"], line["status"]) for line in lines)


def verdicts(result):
    return [each["verdict"] for each in json.loads(result.stdout)["results"]]


def test_the_two_pages_of_a_sync_leave_what_the_bank_has(tieout, ada):
    card = {"account": "cc"}
    first = payloads.plaid(
        payloads.plaid_line("t3", 89.4, **card), payloads.plaid_line("t4", 6.33, **card, pending=True)
    )
    second = payloads.plaid(
        payloads.plaid_line("t5", 6.58, **card, pending_transaction_id="t4", date="2026-03-04"),
        modified=[payloads.plaid_line("t3", 88.4, **card)],
        removed=[{"transaction_id": "t4", "account_id": "cc"}],
    )
    assert verdicts(tieout(first, "--json")) == ["NEW", "PENDING"]
    assert tieout(second).exit_code == 0
    booked = [line for line in lines_of(ada, tieout.fa_id) if line[2] == "BOOKED"]
    assert booked == [("2026-03-02", "-88.40", "BOOKED"), ("2026-03-04", "-6.58", "BOOKED")]


def test_the_same_file_again_changes_nothing_and_answers_the_same(tieout, ada):
    payload = payloads.simplefin(payloads.simplefin_line("a"), payloads.simplefin_line("b", "-1.00"))
    first, second = (tieout(payload, "--json", provider="simplefin") for _ in range(2))
    assert first.stdout == second.stdout
    assert len(lines_of(ada, tieout.fa_id)) == 2
    account = ada.get(f"/api/feeds/accounts/{tieout.fa_id}").json["feedAccount"]
    assert account["feedBalance"] == {"amount": "100.00", "currency": "USD", "asOf": "2026-03-02"}
    assert account["provider"] == "simplefin"


def test_a_body_of_our_own_is_pushed_as_it_is(tieout, ada):
    line = {"providerTransactionId": "x", "bookedOn": "2026-03-02", "amount": "-1.00"}
    result = tieout({"batchId": "b1", "added": [line]}, provider="tieout")
    assert result.stdout == "payload.json: 1 NEW\n"
    assert lines_of(ada, tieout.fa_id) == [("2026-03-02", "-1.00", "BOOKED")]


@pytest.mark.parametrize(
    ("provider", "payload", "said"),
    [
        ("simplefin", {"errors": ["Payment required."], "accounts": []}, "SimpleFIN answered with an error"),
        (
            "plaid",
            payloads.plaid(payloads.plaid_line(amount="1,5")),
            "added[0] has an amount that is not a number",
        ),
        ("plaid", b"{", "This is not valid JSON"),
        (
            "gocardless",
            payloads.gocardless(payloads.gocardless_line()),
            "is in EUR, and the account is in USD",
        ),
        ("tieout", {"batchId": "b", "added": [{}]}, "This is not a push"),
        ("plaid", payloads.plaid(payloads.plaid_line(date="1926-03-02")), "more than 50 years ago"),
    ],
)
def test_a_refused_file_changes_nothing_and_says_why(tieout, ada, provider, payload, said):
    result = tieout(payload, "--json", provider=provider)
    assert result.exit_code == 1
    assert said in json.loads(result.stdout)["error"]
    assert said in result.stderr
    assert lines_of(ada, tieout.fa_id) == []


def test_of_several_accounts_the_one_that_is_named_is_pushed(tieout, ada):
    payload = payloads.plaid(payloads.plaid_line("a", 1), payloads.plaid_line("b", 2, account="cc"))
    assert tieout(payload).exit_code == 1
    assert tieout(payload, "--provider-account", "cc").exit_code == 0
    assert lines_of(ada, tieout.fa_id) == [("2026-03-02", "-2.00", "BOOKED")]


def test_an_account_that_is_not_there_is_wrong_use(tieout):
    result = tieout(payloads.plaid(), account=99)
    assert result.exit_code == 2
    assert "There is no feed account 99" in result.stderr


def test_an_account_of_other_books_is_not_pushed_to(tieout, dan):
    result = tieout(payloads.plaid(), "--organization", dan.organization_id)
    assert result.exit_code == 2
