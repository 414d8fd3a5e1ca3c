"""Manual entries: written as drafts, or posted at once by those who may confirm."""

import pytest

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def write(ada, books):
    def written(*legs, person=ada, **facts):
        postings = [
            {"accountId": books.account_id(name) if isinstance(name, str) else name, "amount": amount, **more}
            for name, amount, more in ((*leg, {})[:3] for leg in legs)
        ]
        body = {"effectiveAt": "2026-03-02", "description": "By hand", "postings": postings, **facts}
        return person.post("/api/journal-entries", json=body)

    return written


def test_a_draft_counts_nowhere(write, books):
    answer = write(("Travel", "5.00"), ("Petty cash", "-5.00"))
    assert answer.status_code == 201
    entry = answer.json["entry"]
    assert (entry["status"], entry["source"], entry["origin"]["kind"]) == ("DRAFT", "manual", "manual")
    assert (entry["effectiveAt"], entry["correctsJournalEntryId"]) == ("2026-03-02T00:00:00Z", None)
    assert entry["canVoid"] is False
    assert books.balances() == []


def test_a_posted_entry_counts_and_names_its_act(ada, write, books):
    entry = write(("Travel", "5.00"), ("Petty cash", "-5.00"), post=True).json["entry"]
    assert (entry["status"], entry["canVoid"]) == ("POSTED", True)
    assert books.balances() == lines("""
        Petty cash  -5.00 EUR
        Travel       5.00 EUR
    """)
    (act,) = ada.get("/api/action-requests?kind=create_journal_entry").json["actionRequests"]
    assert act["target"] == {"kind": "journal_entry", "id": str(entry["id"])}


def test_posting_at_once_needs_the_scope_confirm(ada, write):
    drafter = ada.with_scopes("read", "draft")
    legs = [("Travel", "5.00"), ("Petty cash", "-5.00")]
    assert write(*legs, person=drafter).status_code == 201
    answer = write(*legs, person=drafter, post=True)
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert len(ada.get("/api/journal-entries").json["entries"]) == 1


@pytest.mark.parametrize("post", [False, True])
@pytest.mark.parametrize(
    "legs",
    [
        [("Travel", "0.00"), ("Petty cash", "0.00")],
        [("Travel", "5.00"), ("Travel", "-5.00")],
        [("Travel", "5.00"), ("Petty cash", "-5.00"), ("Petty cash", "5.00"), ("Travel", "-5.00")],
    ],
)
def test_an_entry_that_would_change_nothing_is_refused(ada, write, legs, post):
    answer = write(*legs, post=post)
    assert (answer.status_code, answer.json["code"]) == (422, "moves_nothing")
    assert answer.json["error"] == ("Debit and credit use the same account.")
    assert ada.get("/api/journal-entries").json["entries"] == []


def test_an_entry_that_moves_only_a_project_is_written(ada, write):
    project = ada.post("/api/projects", json={"name": "Roof"}).json["project"]["id"]
    assert (
        write(("Travel", "5.00", {"projectId": project}), ("Travel", "-5.00"), post=True).status_code == 201
    )


def test_a_draft_cannot_be_changed_into_one_that_changes_nothing(ada, write, books):
    written = write(("Travel", "5.00"), ("Petty cash", "-5.00")).json
    entry, version = written["entry"], written["version"]
    travel = books.account_id("Travel")
    body = {
        "version": version,
        "effectiveAt": "2026-03-02",
        "postings": [{"accountId": travel, "amount": amount} for amount in ("5.00", "-5.00")],
    }
    answer = ada.put(f"/api/journal-entries/{entry['id']}", json=body)
    assert (answer.status_code, answer.json["code"]) == (422, "moves_nothing")
    assert ada.get(f"/api/journal-entries/{entry['id']}").json["entry"]["postings"] == entry["postings"]


def test_a_bank_line_of_nothing_is_confirmed_all_the_same(ada, bank):
    line = bank.send("2026-03-02", "0.00", "Change of interest")
    number = getattr(line, "id", line)
    assert ada.post(f"/api/transactions/{number}/confirm", json={}).status_code == 200


def test_several_currencies_are_each_mirrored_and_the_rest_is_rounding(bank, write):
    bank.quote("2026-03-01", "USD", "1.0842")
    bank.quote("2026-03-01", "JPY", "161.20")
    entry = write(
        ("Travel", "10.00", {"currency": "USD"}),
        ("Travel", "1000", {"currency": "JPY"}),
        ("Petty cash", "-15.43", {"currency": "EUR"}),
        post=True,
    ).json["entry"]
    assert [(p["accountName"], p["amount"], p["currency"], p["amountBase"]) for p in entry["postings"]] == [
        ("Travel", "10.00", "USD", "9.22"),
        ("Travel", "1000", "JPY", "6.20"),
        ("Petty cash", "-15.43", "EUR", "-15.43"),
        ("Rounding", "0.01", "EUR", "0.01"),
    ]


def test_a_larger_rest_between_own_accounts_is_an_exchange_difference(bank, write):
    bank.quote("2026-03-01", "USD", "1.0842")
    euros = bank.ledger_account(bank.open("Euros", "EUR"))
    dollars = bank.ledger_account(bank.open("Dollars", "USD"))
    entry = write((euros, "-100.00"), (dollars, "107.00"), post=True).json["entry"]
    assert [(p["accountName"], p["amountBase"]) for p in entry["postings"]] == [
        ("Euros", "-100.00"),
        ("Dollars", "98.69"),
        ("Realised exchange differences", "1.31"),
    ]


def test_a_larger_rest_on_anything_else_is_refused(bank, write):
    bank.quote("2026-03-01", "USD", "1.0842")
    answer = write(("Travel", "10.00", {"currency": "USD"}), ("Petty cash", "-12.00"))
    assert (answer.status_code, answer.json["code"]) == (422, "unbalanced")


@on_sqlite
@pytest.mark.parametrize(
    ("legs", "code"),
    [
        ([("Travel", "5.00"), ("Petty cash", "-4.00")], "unbalanced"),
        ([("Travel", "5.001"), ("Petty cash", "-5.001")], "too_many_digits"),
        ([("Travel", "5.00"), (2**62, "-5.00")], "unknown_reference"),
        ([("Travel", "5.00", {"projectId": 99}), ("Petty cash", "-5.00")], "unknown_reference"),
        ([("Travel", "5.00", {"orgMerchantId": 99}), ("Petty cash", "-5.00")], "unknown_reference"),
        ([("Travel", "5.00")], "validation"),
        ([("Travel", "5.00"), ("Petty cash", "-5.00", {"currency": "XXQ"})], "validation"),
        ([("Travel", "5.00"), ("Petty cash", "-5.00", {"isBankLeg": True})], "validation"),
        ([("Travel", "999999999999999999.00"), ("Petty cash", "-999999999999999999.00")], "amount_too_large"),
    ],
    ids=str,
)
def test_what_is_no_entry_is_refused(ada, write, legs, code):
    answer = write(*legs, post=True)
    assert (answer.status_code, answer.json["code"]) == (422, code)
    assert ada.get("/api/journal-entries").json["entries"] == []


@on_sqlite
@pytest.mark.parametrize(
    "facts",
    [
        {"effectiveAt": "2026-02-30"},
        {"effectiveAt": "2026-03-02T12:00:00Z"},
        {"effectiveAt": None},
        {"effectiveAt": "1899-12-31"},
        {"post": 1},
        {"post": "true"},
        {"description": "x" * 2001},
        {"status": "POSTED"},
        {"organizationId": "x"},
        {"postings": {}},
    ],
    ids=str,
)
def test_a_body_of_another_shape_is_refused(write, facts):
    answer = write(("Travel", "5.00"), ("Petty cash", "-5.00"), **facts)
    assert (answer.status_code, answer.json["code"]) == (422, "validation")


def test_an_account_takes_its_own_currency_only(bank, write):
    dollars = bank.account("Dollar costs", currency="USD")
    answer = write((dollars, "5.00", {"currency": "EUR"}), ("Petty cash", "-5.00"))
    assert (answer.status_code, answer.json["code"]) == (422, "account_currency")
    assert list(answer.json["fields"]) == ["postings.0.currency"]


def test_an_archived_account_takes_none(bank, write):
    answer = write((bank.account("Old", is_archived=True), "5.00"), ("Petty cash", "-5.00"))
    assert (answer.status_code, answer.json["code"]) == (422, "archived")


def test_a_locked_day_takes_no_entry(bank, write):
    bank.lock("2026-03-02")
    answer = write(("Travel", "5.00"), ("Petty cash", "-5.00"))
    assert (answer.status_code, answer.json["code"]) == (409, "period_locked")
    assert answer.json["details"] == {"firstOpenDay": "2026-03-03"}


def test_without_a_rate_a_draft_waits_and_does_not_post(ada, bank, write):
    legs = [("Travel", "5.00", {"currency": "USD"}), ("Petty cash", "-5.00", {"currency": "USD"})]
    draft = write(*legs)
    assert [p["amountBase"] for p in draft.json["entry"]["postings"]] == [None, None]
    answer = write(*legs, post=True)
    assert (answer.status_code, answer.json["code"]) == (409, "exchange_rate_missing")
    assert answer.json["details"] == {"missingRates": [{"day": "2026-03-02", "currency": "USD"}]}


def test_an_account_that_asks_for_a_merchant_gets_one(bank, write):
    fussy = bank.account("Guests", requires_counterparty=True)
    assert write((fussy, "5.00"), ("Petty cash", "-5.00"), post=True).json["code"] == "counterparty_required"
    merchant = {"orgMerchantId": bank.merchant("A café")}
    assert write((fussy, "5.00", merchant), ("Petty cash", "-5.00"), post=True).status_code == 201


def test_a_manual_entry_is_voided_without_a_fresh_draft(ada, write, books):
    entry_id = write(("Travel", "5.00"), ("Petty cash", "-5.00"), post=True).json["entry"]["id"]
    answer = ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})
    assert len(answer.json["result"]["journalEntryIds"]) == 1
    assert books.balances() == []


SETTLED = [
    ("Accrued expenses", "0.00", {"currency": "USD", "amountBase": "-83.33"}),
    ("Realised exchange differences", "83.33"),
]


def test_an_exchange_difference_is_booked_in_the_base_currency_alone(write, books):
    """No rate is needed, and none is asked for."""
    answer = write(*SETTLED, post=True)
    assert answer.status_code == 201, answer.json
    legs = [
        (each["amount"], each["currency"], each["amountBase"]) for each in answer.json["entry"]["postings"]
    ]
    assert legs == [("0.00", "USD", "-83.33"), ("83.33", "EUR", "83.33")]
    assert answer.json["entry"]["status"] == "POSTED"


def test_a_difference_stands_beside_legs_that_a_rate_mirrors(bank, write):
    bank.quote("2026-03-02", "USD", "1.2")
    usd = {"currency": "USD"}
    answer = write(
        ("Petty cash", "1100.00", usd), ("Accrued expenses", "-500.00", usd),
        ("Accrued expenses", "-600.00", usd), *SETTLED, post=True,
    )  # fmt: skip
    assert answer.status_code == 201, answer.json
    bases = [each["amountBase"] for each in answer.json["entry"]["postings"]]
    assert bases == ["916.67", "-416.67", "-500.00", "-83.33", "83.33"]


@pytest.mark.parametrize(
    ("leg", "sentence"),
    [
        (
            {"amount": "1.00", "currency": "USD"},
            "A posting has the same sign in EUR; write its amount in EUR with that sign.",
        ),
        (
            {"amount": "0.00", "currency": "EUR"},
            "This posting is in EUR, which is the base currency: write its amount only.",
        ),
        (
            {"amount": "0.00", "currency": "USD", "amountBase": "0.00"},
            "A posting of nothing moves nothing; write a difference as its amount in EUR, or leave it out.",
        ),
    ],
)
def test_an_amount_in_base_that_a_leg_cannot_have_is_refused(write, leg, sentence):
    more = {"amountBase": "-83.33", **leg}
    answer = write(("Accrued expenses", more.pop("amount"), more), SETTLED[1])
    assert (answer.status_code, answer.json["code"]) == (422, "amount_base")
    assert answer.json["fields"] == {"postings.0.amountBase": [sentence]}


def test_such_an_entry_balances_in_the_base_currency_to_the_cent(write):
    refused = write(SETTLED[0], ("Realised exchange differences", "83.32"))
    assert (refused.status_code, refused.json["code"]) == (422, "unbalanced")
    assert refused.json["error"].startswith("Credits exceed debits by 0.01 EUR. Debits are positive")
    alone = write(("Accrued expenses", "0.00", {"currency": "USD"}), SETTLED[1])
    assert (alone.status_code, alone.json["code"]) == (422, "amount_base")
    assert list(alone.json["fields"]) == ["postings.0.amount"]


def test_a_draft_of_a_difference_is_changed_and_survives_a_rate(ada, write, bank):
    both = [
        *SETTLED[:1],
        ("Petty cash", "10.00", {"currency": "USD"}),
        ("Petty cash", "-10.00", {"currency": "USD"}),
    ]
    draft = write(*both, SETTLED[1]).json
    path = f"/api/journal-entries/{draft['entry']['id']}"
    assert [each["amountBase"] for each in draft["entry"]["postings"]] == ["-83.33", None, None, None]
    rate = {"day": "2026-03-01", "currency": "USD", "unitsPerBase": "1.25"}
    ada.put("/api/exchange-rates", json={"rates": [rate]})
    mirrored = ada.get(path).json
    assert [each["amountBase"] for each in mirrored["entry"]["postings"]] == [
        "-83.33",
        "8.00",
        "-8.00",
        "83.33",
    ]
    assert mirrored["version"] == draft["version"]
    body = {"effectiveAt": "2026-03-02", "version": draft["version"], "post": True}
    legs = [
        {name: each[name] for name in ("accountId", "amount", "currency")}
        for each in draft["entry"]["postings"][1:3]
    ]
    changed = [
        {"accountId": each["accountId"], "amount": amount, "currency": currency, "amountBase": base}
        for each, amount, currency, base in zip(
            (draft["entry"]["postings"][0], draft["entry"]["postings"][3]),
            ("0.00", "80.00"),
            ("USD", "EUR"),
            ("-80.00", None),
            strict=True,
        )
    ]
    posted = ada.put(path, json={**body, "postings": [*legs, *changed]})
    assert posted.status_code == 200, posted.json
    voided = ada.post(f"{path}/void", json={"reason": "Wrong", "copy": True}).json["result"][
        "journalEntryIds"
    ]
    copy = ada.get(f"/api/journal-entries/{voided[1]}").json["entry"]["postings"]
    assert {(each["amount"], each["amountBase"]) for each in copy} >= {("0.00", "-80.00"), ("80.00", "80.00")}
