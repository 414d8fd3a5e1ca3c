"""`tieout push`: a provider's answer, or the body of a push, into one feed account, once however often it is sent."""

import json
from decimal import Decimal

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
    ],
)
def test_a_refused_file_changes_nothing_and_says_why(tieout, ada, provider, payload, said):
    result = tieout(payload, "--json", provider=provider)
    assert result.exit_code == 1
    assert said in json.loads(result.stdout)["error"]
    assert said in result.stderr
    assert lines_of(ada, tieout.fa_id) == []


def test_a_line_of_another_century_is_set_aside_and_stops_no_other(tieout, ada):
    payload = payloads.plaid(payloads.plaid_line("old", 1, date="1926-03-02"), payloads.plaid_line("new", 2))
    result = tieout(payload, "--json")
    assert result.exit_code == 0
    assert "more than 50 years ago" in json.loads(result.stdout)["warnings"][0]
    assert lines_of(ada, tieout.fa_id) == [("2026-03-02", "-2.00", "BOOKED")]


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


def pushed(tieout, *answers, provider):
    """Push a provider's answers one after the other; answers the verdicts of the last."""
    results = [tieout(answer, "--json", provider=provider) for answer in answers]
    assert all(each.exit_code == 0 for each in results), [each.output for each in results]
    return verdicts(results[-1])


def eur(ada, bank, tieout):
    tieout.fa_id = bank.open("Current", "EUR")
    return lambda payload, *options, provider: tieout(
        payload, *options, provider=provider, account=tieout.fa_id
    )


def gocardless_day(name, amount, day):
    return payloads.gocardless_line(name, amount, bookingDate=f"2026-04-{day:02}")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            [[("S1", "-15.00", 1), ("S1", "-25.00", 18)], [("S1", "-25.00", 18), ("S6", "-6.00", 20)]],
            "-46.00",
        ),
        ([[("S1", "-15.00", 1)], [("S1", "-15.00", 1), ("S1", "-25.00", 18)]], "-40.00"),
        (
            [[("S1", "-15.00", 1)], [("S1", "-25.00", 18), ("S1", "-6.00", 20)], [("S1", "-15.00", 1)]],
            "-46.00",
        ),
        (
            [
                [("S1", "-15.00", 1), ("S1", "-25.00", 18)],
                [("S1", "-6.00", 20)],
                [("S1", "-15.00", 1)],
                [("S1", "-6.00", 20), ("S1", "-15.00", 1), ("S1", "-25.00", 18)],
            ],
            "-46.00",
        ),
    ],
)
def test_an_id_that_once_named_two_lines_names_none_in_any_window(tieout, ada, bank, answers, expected):
    door = eur(ada, bank, tieout)
    payload = [payloads.gocardless(*(gocardless_day(*each) for each in answer)) for answer in answers]
    pushed(door, *payload, provider="gocardless")
    lines = lines_of(ada, tieout.fa_id)
    assert sum(Decimal(amount) for _, amount, _ in lines) == Decimal(expected)
    again = [{**each, "asked": 2} for each in payload[::-1]]
    assert set(pushed(door, *again, provider="gocardless")) == {"ALREADY_THERE"}
    assert lines_of(ada, tieout.fa_id) == lines


def test_an_inserted_line_shifts_ids_that_are_positions_and_changes_no_line(tieout, ada, bank):
    door = eur(ada, bank, tieout)

    def day(*texts):
        amounts = {"Tea": "4.00", "Bread": "11.00", "Milk": "21.00", "Milk again": "21.00"}
        return payloads.enablebanking(
            *(
                payloads.enablebanking_line(
                    f"2026-03-02-{number}", amounts[text], remittance_information=[text]
                )
                for number, text in enumerate(texts, 1)
            )
        )

    def known():
        found = ada.get("/api/transactions", query_string={"faId": tieout.fa_id}).json["transactions"]
        return {each["description"]: (each["id"], each["amount"], each["entryStatus"]) for each in found}

    pushed(door, day("Bread", "Milk"), provider="enablebanking")
    before = known()
    for line_id, _, _ in before.values():
        ada.post(f"/api/transactions/{line_id}/confirm", json={})
    answer = json.loads(door(day("Tea", "Bread", "Milk"), "--json", provider="enablebanking").stdout)
    assert [each["verdict"] for each in answer["results"]] == ["NEW", "ALREADY_THERE", "ALREADY_THERE"]
    assert "other ids" in answer["results"][1]["reason"]
    after = known()
    assert {text: after[text][:2] for text in before} == {text: before[text][:2] for text in before}
    assert len(after) == 3
    again = day("Tea", "Bread", "Milk") | {"asked": 2}
    assert pushed(door, again, provider="enablebanking") == ["ALREADY_THERE"] * 3
    # A line that is no longer as it was has really changed.
    assert "CHANGED" in pushed(door, day("Tea", "Milk again", "Milk"), provider="enablebanking")


@pytest.mark.parametrize("provider", ["simplefin", "gocardless"])
def test_a_hold_that_the_next_whole_answer_does_not_name_is_withdrawn(tieout, ada, bank, provider):
    door = eur(ada, bank, tieout)
    if provider == "simplefin":
        hold = payloads.simplefin_line("h", "-60.00", posted=0, transacted_at=1772236800, pending=True)
        paid = payloads.simplefin_line("x", "-9.00")
        first, second = (payloads.simplefin(each, currency="EUR") for each in (hold, paid))
        partial = second | {"errors": ["The connection needs attention."]}
        partial["accounts"] = [second["accounts"][0] | {"transactions": []}]
    else:
        hold = payloads.gocardless_line("h", "-60.00")
        first = payloads.gocardless(pending=[hold])
        second = payloads.gocardless(payloads.gocardless_line("x", "-9.00", bookingDate="2026-03-09"))
        partial = {"transactions": {"booked": []}}
    pushed(door, first, partial, provider=provider)
    assert [each[2] for each in lines_of(ada, tieout.fa_id)] == ["PENDING"]
    assert pushed(door, second, provider=provider) == ["NEW", "REMOVED"]
    assert [each[1:] for each in lines_of(ada, tieout.fa_id) if each[2] in {"PENDING", "BOOKED"}] == [
        ("-9.00", "BOOKED")
    ]


@pytest.mark.parametrize("provider", ["plaid", "gocardless", "enablebanking"])
def test_a_line_in_no_official_currency_is_set_aside_and_the_others_come(tieout, ada, bank, provider):
    door = eur(ada, bank, tieout)
    if provider == "plaid":
        of = {"iso_currency_code": "EUR"}
        strange = {"iso_currency_code": None, "unofficial_currency_code": "DOGE"}
        lines = [
            payloads.plaid_line(name, 3.5, **more) for name, more in (("a", of), ("b", strange), ("c", of))
        ]
        answer = payloads.plaid(*lines)
    elif provider == "gocardless":
        codes = (("a", "EUR"), ("b", "DOGE"), ("c", "EUR"))
        answer = payloads.gocardless(*(payloads.gocardless_line(name, "-3.50", code) for name, code in codes))
    else:
        lines = [payloads.enablebanking_line(name, "3.50") for name in "abc"]
        lines[1]["transaction_amount"] = {"currency": "DOGE", "amount": "3.50"}
        answer = payloads.enablebanking(*lines)
    result = door(answer, provider=provider)
    assert result.exit_code == 0
    assert "“DOGE”" in result.output
    assert "(b)" in result.output
    assert [each[1] for each in lines_of(ada, tieout.fa_id)] == ["-3.50", "-3.50"]
