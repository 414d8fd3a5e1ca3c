"""What providers send becomes a push: signs, days, ids and accounts are theirs, and nothing is guessed."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from tests.fixtures.bank_files import provider_payloads as payloads
from webapp.importers import providers
from webapp.importers.providers import AccountSelector, PayloadRefusedError, ProviderFailedError
from webapp.importers.providers.pushes import PushBalance

MINIMAL = {
    "plaid": (payloads.plaid, payloads.plaid_line),
    "simplefin": (payloads.simplefin, payloads.simplefin_line),
    "gocardless": (payloads.gocardless, payloads.gocardless_line),
    "enablebanking": (payloads.enablebanking, payloads.enablebanking_line),
}
EACH_PROVIDER = pytest.mark.parametrize("provider", MINIMAL)
CARD = {"account_id": "cc", "type": "credit", "balances": {"current": 250.75, "iso_currency_code": "USD"}}


def read(provider, payload, **wanted):
    return providers.read(provider, payloads.written(payload), AccountSelector(**wanted))


def with_lines(provider, *lines):
    whole, line = MINIMAL[provider]
    return whole(*(line(**each) for each in lines))


def only(push):
    (line,) = push.added
    return line


def test_plaids_amounts_are_turned_around_and_so_is_what_a_card_owes():
    push = read("plaid", payloads.plaid(payloads.plaid_line(account="cc"), accounts=[CARD]))
    assert only(push).amount == Decimal("-12.50")
    assert push.balance.amount == Decimal("-250.75")
    assert push.balance.as_of is None


def test_plaid_links_a_booked_line_to_the_pending_one_that_it_was():
    payload = payloads.plaid(
        payloads.plaid_line("t5", pending_transaction_id="t4"), removed=[{"transaction_id": "t4"}]
    )
    push = read("plaid", payload)
    assert only(push).pending_transaction_id == "t4"
    assert push.removed == ("t4",)


def test_plaids_lines_of_other_accounts_stay_out():
    payload = payloads.plaid(
        payloads.plaid_line("a"),
        payloads.plaid_line("b", account="cc"),
        modified=[payloads.plaid_line("c", account="cc")],
        removed=[{"transaction_id": "d", "account_id": "cc"}, {"transaction_id": "e", "account_id": "chk"}],
    )
    push = read("plaid", payload, recorded="chk")
    assert [line.provider_transaction_id for line in push.added] == ["a"]
    assert (push.modified, push.removed) == ((), ("e",))


@pytest.mark.parametrize("wanted", [{}, {"recorded": "DE02"}], ids=["none", "a number from a file"])
def test_of_several_accounts_one_must_be_named(wanted):
    payload = payloads.plaid(payloads.plaid_line("a"), payloads.plaid_line("b", account="cc"))
    with pytest.raises(PayloadRefusedError, match="“chk”, “cc”"):
        read("plaid", payload, **wanted)
    with pytest.raises(PayloadRefusedError, match="has no account “sav”"):
        read("plaid", payload, requested="sav")


def test_a_day_of_simplefin_is_the_day_in_utc_and_its_balance_has_its_moment():
    late = 1772236799
    push = read("simplefin", payloads.simplefin(payloads.simplefin_line(posted=late)))
    assert only(push).booked_on == date(2026, 2, 27)
    assert push.balance.as_of == datetime(2026, 3, 2, tzinfo=UTC)


def test_what_simplefin_has_not_posted_is_pending_on_the_day_it_was_spent():
    line = only(
        read("simplefin", payloads.simplefin(payloads.simplefin_line(posted=0, transacted_at=1772236800)))
    )
    assert (line.pending, line.booked_on) == (True, date(2026, 2, 28))


@pytest.mark.parametrize(
    "errors", [{"errors": ["Look here."]}, {"errlist": [{"code": "act", "msg": "Look here."}]}]
)
def test_what_simplefin_says_beside_its_accounts_is_a_warning(errors):
    assert read("simplefin", payloads.simplefin() | errors).warnings == ("Look here.",)


def test_gocardless_names_the_other_side_by_the_direction_of_the_money():
    names = {
        "creditorName": "Baker",
        "debtorName": "Ada",
        "creditorAccount": {"iban": "DE89370400440532013000"},
    }
    out, back = read(
        "gocardless",
        payloads.gocardless(
            payloads.gocardless_line("a", **names), payloads.gocardless_line("b", "10.00", **names)
        ),
    ).added
    assert (out.counterparty, out.iban) == ("Baker", "DE89370400440532013000")
    assert (back.counterparty, back.iban) == ("Ada", None)


def test_gocardless_keeps_currencies_apart_that_one_account_holds():
    payload = payloads.gocardless(
        payloads.gocardless_line("a"), payloads.gocardless_line("b", currency="GBP")
    )
    push = read("gocardless", payload, currency="EUR")
    assert only(push).provider_transaction_id == "a"
    assert push.left_out == ("1 line is in GBP and not imported into this account.",)
    with pytest.raises(PayloadRefusedError, match="in EUR, GBP, and the account is in USD"):
        read("gocardless", payload, currency="USD")


def test_a_booked_line_of_gocardless_without_a_booking_day_has_its_value_day_and_says_so():
    push = read(
        "gocardless", payloads.gocardless(payloads.gocardless_line(bookingDate=None, valueDate="2026-03-04"))
    )
    assert only(push).booked_on == date(2026, 3, 4)
    assert push.warnings == ("1 booked line has no booking date; the value date is used instead.",)


@pytest.mark.parametrize(
    ("provider", "booked", "value"),
    [("gocardless", "bookingDate", "valueDate"), ("enablebanking", "booking_date", "value_date")],
)
def test_a_value_date_that_does_not_exist_is_the_last_of_its_month_with_a_warning(provider, booked, value):
    push = read(provider, with_lines(provider, {value: "2016-02-30", booked: "2016-03-01"}))
    assert (only(push).booked_on, only(push).value_on) == (date(2016, 3, 1), date(2016, 2, 29))
    assert ["1 value date (the line of 2016-03-01) does" in each for each in push.warnings] == [True]
    for days in ({booked: "2016-02-30"}, {booked: None, value: "2016-02-30"}, {value: "2016-13-01"}):
        with pytest.raises(PayloadRefusedError, match="not valid"):
            read(provider, with_lines(provider, days))


def test_a_day_that_no_bank_can_mean_takes_its_line_or_balance_out_and_nothing_else():
    push = read(
        "gocardless",
        payloads.gocardless(
            payloads.gocardless_line("kept"),
            payloads.gocardless_line("ahead", bookingDate="2126-03-01"),
            payloads.gocardless_line("valued", valueDate="1926-03-01"),
        ),
    )
    balance = PushBalance(Decimal("5.00"), "EUR", datetime(2126, 3, 1, tzinfo=UTC))
    sane = replace(push, balance=balance).without_nonsense(date(2026, 3, 9))
    assert {line.provider_transaction_id: line.value_on for line in sane.added}.keys() == {"kept", "valued"}
    assert sane.added[1].value_on is None
    assert sane.balance is None
    assert [sentence.partition(": ")[2] for sentence in sane.left_out] == [
        "1 Mar 2126 is more than a year ahead.",
        "1 Mar 1926 is more than 50 years ago.",
        "1 Mar 2126 is more than a year ahead.",
    ]


def test_a_list_of_gocardless_that_is_neither_booked_nor_pending_is_named():
    payload = payloads.gocardless(payloads.gocardless_line())
    payload["transactions"]["information"] = [payloads.gocardless_line("i")]
    assert read("gocardless", payload).left_out == (
        "The list “information” is neither booked nor pending, and not imported (1).",
    )


def test_a_day_is_as_it_is_written_whatever_the_zone_behind_it():
    line = payloads.gocardless_line(bookingDate=None, bookingDateTime="2026-03-02T23:30:00-11:00")
    assert only(read("gocardless", payloads.gocardless(line))).booked_on == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("direction", "amount", "signed"),
    [("DBIT", "9.54", "-9.54"), ("CRDT", "9.54", "9.54"), ("DBIT", "0.00", "0.00")],
)
def test_enable_banking_says_the_direction_beside_the_amount(direction, amount, signed):
    line = payloads.enablebanking_line(amount=amount, credit_debit_indicator=direction)
    assert str(only(read("enablebanking", payloads.enablebanking(line))).amount) == signed


def test_what_enable_banking_cancelled_is_removed_and_what_is_scheduled_is_left_out():
    push = read(
        "enablebanking",
        payloads.enablebanking(
            payloads.enablebanking_line("gone", status="CANC"),
            payloads.enablebanking_line("next", status="SCHD"),
        ),
    )
    assert (push.added, push.removed) == ((), ("gone",))
    assert push.warnings == ("1 line is scheduled or for information only, and not imported.",)


@pytest.mark.parametrize("provider", ["gocardless", "enablebanking", "simplefin"])
@pytest.mark.parametrize("name", [None, "", "NOTPROVIDED", "0000"])
def test_lines_without_an_id_are_told_apart_by_what_they_say(provider, name):
    first, second, third = read(
        provider, with_lines(provider, {"name": name}, {"name": name}, {"name": name, "amount": "7.00"})
    ).added
    ids = {line.provider_transaction_id for line in (first, second, third)}
    assert len(ids) == 3
    again = read(provider, with_lines(provider, {"name": name}, {"name": name})).added
    assert again == (first, second)


@pytest.mark.parametrize("provider", ["gocardless", "enablebanking", "simplefin"])
def test_an_id_that_names_several_lines_swallows_none_of_them(provider):
    push = read(provider, with_lines(provider, {"amount": "1.00"}, {"amount": "2.00"}))
    assert len({line.provider_transaction_id for line in push.added}) == 2
    assert push.warnings[0].endswith(" The provider uses one id for several lines.")


@pytest.mark.parametrize("provider", ["gocardless", "enablebanking", "simplefin"])
def test_a_line_that_a_payload_repeats_keeps_its_id(provider):
    first, second = read(provider, with_lines(provider, {}, {})).added
    assert first == second


def test_a_pending_copy_of_a_booked_line_is_that_line():
    line = payloads.gocardless_line("a")
    push = read("gocardless", payloads.gocardless(line, pending=[line, payloads.gocardless_line("b")]))
    assert [(each.provider_transaction_id, each.pending) for each in push.added] == [
        ("a", False),
        ("b", True),
    ]
    assert push.warnings == ("1 pending line is booked under the same id.",)


@EACH_PROVIDER
def test_a_key_that_nobody_knows_changes_nothing(provider):
    assert read(provider, with_lines(provider, {"surprise": {"a": [1]}})).added == (
        read(provider, with_lines(provider, {})).added
    )


@EACH_PROVIDER
def test_an_amount_that_is_none_refuses_the_payload_and_names_the_line(provider):
    for amount in ("1.005", "1e3", "1,5", "", "NaN", "½", "9" * 30, True, None, [], "9" * 200):
        refused_by_name(provider, {"amount": amount})


def refused_by_name(provider, facts):
    payload = with_lines(provider, {}, facts)
    try:
        found = read(provider, payload)
    except PayloadRefusedError as refusal:
        assert "[1]" in str(refusal), facts  # noqa: PT017
    else:
        pytest.fail(f"{facts} was read as {found}")


DAYS = {"plaid": "date", "simplefin": "posted", "gocardless": "bookingDate", "enablebanking": "booking_date"}


@EACH_PROVIDER
def test_a_day_that_is_none_refuses_the_payload_and_names_the_line(provider):
    for day in ("2026-02-30", "02/03/2026", "soon", True, "", None, 10**12):
        refused_by_name(provider, {DAYS[provider]: day})


ERRORS = {
    "plaid": {
        "error_type": "ITEM_ERROR",
        "error_code": "ITEM_LOGIN_REQUIRED",
        "error_message": "Sign in again.",
    },
    "simplefin": {"errors": ["Sign in again."], "accounts": []},
    "gocardless": {"summary": "Expired", "detail": "Sign in again.", "status_code": 401},
    "enablebanking": {"code": 401, "message": "Sign in again.", "error": "EXPIRED_SESSION"},
}


@EACH_PROVIDER
def test_an_error_of_the_provider_is_said_as_such(provider):
    with pytest.raises(ProviderFailedError, match=r"answered with an error.*Sign in again\."):
        read(provider, ERRORS[provider])


@EACH_PROVIDER
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b"{}",
        b'{"transactions": 5}',
        b'{"added": {}}',
        b"[" * 100_000,
        b"<OFX>",
    ],
    ids=[
        "nothing",
        "cut",
        "list",
        "number",
        "null",
        "empty",
        "no list",
        "no list 2",
        "deep",
        "another format",
    ],
)
def test_what_is_no_payload_is_refused(provider, data):
    with pytest.raises(PayloadRefusedError):
        providers.read(provider, data, AccountSelector())


def test_a_key_that_stands_twice_is_refused():
    with pytest.raises(PayloadRefusedError, match="one key twice"):
        providers.read("plaid", b'{"added": [], "added": []}', AccountSelector())


@EACH_PROVIDER
def test_another_account_or_another_payload_is_another_batch(provider):
    first = read(provider, with_lines(provider, {})).batch_id
    assert read(provider, with_lines(provider, {})).batch_id == first
    assert read(provider, with_lines(provider, {"amount": "1.00"})).batch_id != first


def test_texts_come_without_what_no_database_takes():
    line = payloads.gocardless_line(remittanceInformationUnstructured="A\0B \ud800 C\n D" + "x" * 5000)
    text = only(read("gocardless", payloads.gocardless(line))).description
    assert text.startswith("A\ufffdB \ufffd C D")
    assert len(text) == 2000


def exchanged(provider, amount, code, rate="1.25"):
    """A line of 8.00 EUR with what its provider says of the amount before it was converted."""
    if provider == "gocardless":
        instructed = {"amount": amount, "currency": code}
        exchange = [{"sourceCurrency": code, "exchangeRate": rate, "instructedAmount": instructed}]
        return payloads.gocardless(payloads.gocardless_line(amount="-8.00", currencyExchange=exchange))
    exchange = {
        "unit_currency": code,
        "exchange_rate": rate,
        "instructed_amount": {"amount": amount, "currency": code},
    }
    return payloads.enablebanking(payloads.enablebanking_line(amount="8.00", exchange_rate=exchange))


@pytest.mark.parametrize("provider", ["gocardless", "enablebanking"])
@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (("-10.00", "USD"), (Decimal("10.00"), "USD", Decimal("1.25"))),
        (("8.00", "EUR"), (None, None, None)),
        (("10.00", "BTC"), (None, None, None)),
        (("much", "USD"), (None, None, None)),
        (("10.00", "USD", "much"), (Decimal("10.00"), "USD", None)),
    ],
)
def test_an_original_amount_is_kept_and_one_that_cannot_be_read_stops_nothing(provider, stated, expected):
    push = read(provider, exchanged(provider, *stated))
    line = only(push)
    assert (line.original_amount, line.original_currency, line.exchange_rate) == expected
    assert line.amount == Decimal("-8.00")
    body = push.body()["added"][0]
    assert body.get("originalAmount") == (expected[0] and str(expected[0]))
    assert body.get("exchangeRate") == (expected[2] and str(expected[2]))


@pytest.mark.parametrize("provider", ["gocardless", "enablebanking"])
def test_an_exchange_of_another_shape_stops_nothing(provider):
    line = MINIMAL[provider][1]
    key = "currencyExchange" if provider == "gocardless" else "exchange_rate"
    for odd in ("text", [], {}, [1], {"instructedAmount": 3, "instructed_amount": 3}):
        assert only(read(provider, MINIMAL[provider][0](line(**{key: odd})))).original_amount is None
