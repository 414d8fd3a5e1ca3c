"""Exchange rates over the API, and what they change in drafts."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite

PATH = "/api/exchange-rates"


@pytest.fixture
def dollars(bank):
    """A bank account in dollars, whose lines come without a rate."""
    bank.open("Dollar account", "USD")
    return bank


def bases(person, line):
    entry = person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    legs = person.get(f"/api/journal-entries/{entry}").json["entry"]["postings"]
    return [leg["amountBase"] for leg in legs]


def put(person, *rates):
    said = [{"day": day, "currency": code, "unitsPerBase": units} for day, code, units in rates]
    return person.put(PATH, json={"rates": said})


def test_rates_are_written_down_and_listed_newest_first(ada, dan):
    answer = put(
        ada, ("2026-10-01", "USD", "1.0842"), ("2026-10-02", "usd", "1.1"), ("2026-10-01", "JPY", "161.20")
    )
    assert answer.status_code == 200
    assert answer.json["rates"][0] == {
        "day": "2026-10-01",
        "currency": "USD",
        "unitsPerBase": "1.0842",
        "source": "manual",
        "use": "BOOKS",
    }
    listed = ada.get(f"{PATH}?currency=USD").json["rates"]
    assert [(rate["day"], rate["unitsPerBase"]) for rate in listed] == [
        ("2026-10-02", "1.1"),
        ("2026-10-01", "1.0842"),
    ]
    assert len(ada.get(f"{PATH}?from=2026-10-02&to=2026-10-02").json["rates"]) == 1
    assert dan.get(PATH).json["rates"] == []


def test_a_rate_takes_the_place_of_that_days(ada):
    put(ada, ("2026-10-01", "USD", "1.0842"))
    put(ada, ("2026-10-01", "USD", "1.0843"))
    assert [rate["unitsPerBase"] for rate in ada.get(PATH).json["rates"]] == ["1.0843"]
    latest = ada.get("/api/action-requests").json["actionRequests"][0]
    assert latest["before"]["rates"] == [{"day": "2026-10-01", "currency": "USD", "unitsPerBase": "1.0842"}]


@on_sqlite
def test_what_is_no_rate_is_refused_at_its_path(ada):
    good = {"day": "2026-10-01", "currency": "USD", "unitsPerBase": "1.1"}
    for key, value in (
        ("unitsPerBase", "0"),
        ("unitsPerBase", "-1"),
        ("unitsPerBase", 1.1),
        ("unitsPerBase", "1e3"),
        ("unitsPerBase", "NaN"),
        ("day", "2026-02-30"),
        ("day", "01.10.2026"),
        ("currency", "XXQ"),
        ("currency", "EUR"),
        ("source", ""),
    ):
        answer = ada.put(PATH, json={"rates": [good | {"currency": "GBP"}, good | {key: value}]})
        assert answer.status_code == 422, (key, value)
        assert list(answer.json["fields"]) == [f"rates.1.{key}"]
    assert ada.put(PATH, json={"rates": []}).status_code == 422
    assert ada.get(PATH).json["rates"] == []


def test_two_rates_of_one_day_are_refused(ada):
    answer = put(ada, ("2026-10-01", "USD", "1.1"), ("2026-10-01", "USD", "1.2"))
    assert (answer.status_code, answer.json["code"]) == (422, "two_rates")


def test_an_arriving_rate_fills_the_drafts_it_reaches_which_then_confirm(ada, dollars):
    reached, too_old, too_early = (
        dollars.send(day, "-108.42") for day in ("2026-10-11", "2026-10-12", "2026-09-30")
    )
    assert ada.post(f"/api/transactions/{reached}/confirm").json["code"] == "exchange_rate_missing"
    put(ada, ("2026-10-01", "USD", "1.0842"))
    assert bases(ada, reached) == ["-100.00", "100.00"]
    assert bases(ada, too_old) == bases(ada, too_early) == [None, None]
    assert ada.post(f"/api/transactions/{reached}/confirm").json["changed"] is True


def test_a_changed_rate_mirrors_drafts_anew_and_leaves_posted_entries(ada, dollars):
    put(ada, ("2026-10-01", "USD", "1.0842"))
    posted, draft, later = (dollars.send(day, "108.42") for day in ("2026-10-01", "2026-10-02", "2026-10-04"))
    put(ada, ("2026-10-03", "USD", "1.0000"))
    ada.post(f"/api/transactions/{posted}/confirm")
    put(ada, ("2026-10-01", "USD", "2.1684"))
    assert bases(ada, posted) == ["100.00", "-100.00"]
    assert bases(ada, draft) == ["50.00", "-50.00"]
    assert bases(ada, later) == ["108.42", "-108.42"]
    latest = ada.get("/api/action-requests").json["actionRequests"][0]
    entry = ada.get(f"/api/transactions/{draft}").json["transaction"]["journalEntryId"]
    assert latest["after"]["mirroredJournalEntryIds"] == [entry]


def test_a_manual_draft_in_two_currencies_gets_one_rest_however_often_it_is_mirrored(ada, books):
    put(ada, ("2026-10-01", "USD", "1.0842"))
    entry = ada.post(
        "/api/journal-entries",
        json={
            "effectiveAt": "2026-10-01",
            "postings": [
                {"accountId": books.account_id("Petty cash"), "amount": "-10.01", "currency": "EUR"},
                {"accountId": books.account_id("Rent"), "amount": "10.84", "currency": "USD"},
            ],
        },
    ).json["entry"]
    assert len(entry["postings"]) == 3
    put(ada, ("2026-10-01", "USD", "1.0840"))
    postings = ada.get(f"/api/journal-entries/{entry['id']}").json["entry"]["postings"]
    assert [leg["amountBase"] for leg in postings] == ["-10.01", "10.00", "0.01"]
    put(ada, ("2026-10-01", "USD", "1.0829"))
    postings = ada.get(f"/api/journal-entries/{entry['id']}").json["entry"]["postings"]
    assert [leg["amountBase"] for leg in postings] == ["-10.01", "10.01"]


@on_sqlite
def test_only_an_owner_writes_rates(ben, cleo):
    for person in (ben, cleo):
        assert person.get(PATH).status_code == 200
        assert put(person, ("2026-10-01", "USD", "1.1")).status_code == 403


def test_a_further_draft_that_is_mirrored_again_takes_two_statements(ada, dollars, statements):
    """Its rate, and which of its accounts are banks'; legs of all drafts are written at once."""
    counts = []
    for day, count in (("2026-10-01", 5), ("2026-11-01", 25)):
        lines = dollars.send_many([(day, "-11.00", f"Line {number}") for number in range(count)])
        with statements() as seen:
            assert put(ada, (day, "USD", "1.1")).status_code == 200
        counts.append(len(seen))
        assert {tuple(bases(ada, line)) for line in (lines[0], lines[-1])} == {("-10.00", "10.00")}
    assert counts[1] - counts[0] <= 2 * 20
