"""What in the books explains a bank line already: answered by every door, asked only of what is new by hand."""

import io

import pytest

from tests.fixtures.helpers.transfers import confirm, send

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def bank_account(books, giro):
    return books.account_id("Giro")


def by_hand(person, books, bank_account, amount="400.00", day="2026-03-18", **more):
    opposite = amount[1:] if amount.startswith("-") else f"-{amount}"
    body = {
        "effectiveAt": day,
        "description": "Acme paid",
        "postings": [
            {"accountId": bank_account, "amount": amount},
            {"accountId": books.account_id("Trade receivables"), "amount": opposite},
        ],
        "post": True,
    }
    return person.post("/api/journal-entries", json={**body, **more})


def categorised(person, bank, giro, books, day="2026-03-20", amount="400.00"):
    line = send(bank, giro, day, amount, text="Acme")
    person.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Trade receivables")})
    return line


def test_confirming_what_an_entry_has_already_says_so(ben, books, bank, giro, bank_account):
    entry = by_hand(ben, books, bank_account).json["entry"]["id"]
    line = categorised(ben, bank, giro, books)
    (warning,) = ben.post(f"/api/transactions/{line}/confirm").json["warnings"]
    assert warning.startswith(
        f"Entry {entry} of 18 Mar 2026, written by hand, has 400.00 EUR on this bank's account"
    )


def test_confirming_several_warns_of_those_alone(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    lines = [categorised(ben, bank, giro, books, amount=amount) for amount in ("400.00", "12.00")]
    results = ben.post("/api/transactions/confirm", json={"ids": lines}).json["results"]
    assert ["warnings" in each for each in results] == [True, False]


@pytest.mark.parametrize(
    ("amount", "day"),
    [("400.00", "2026-03-28"), ("400.00", "2026-03-12"), ("-400.00", "2026-03-20"), ("400.01", "2026-03-20")],
)
def test_another_day_or_amount_explains_nothing(ben, books, bank, giro, bank_account, amount, day):
    by_hand(ben, books, bank_account, amount, day)
    line = categorised(ben, bank, giro, books)
    assert "warnings" not in ben.post(f"/api/transactions/{line}/confirm").json


def test_a_voided_entry_explains_nothing(ben, books, bank, giro, bank_account):
    entry = by_hand(ben, books, bank_account).json["entry"]["id"]
    ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"})
    line = categorised(ben, bank, giro, books)
    assert "warnings" not in ben.post(f"/api/transactions/{line}/confirm").json


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_an_entry_of_what_a_line_has_already_is_asked(ben, books, bank, giro, bank_account, is_confirmed):
    line = categorised(ben, bank, giro, books)
    if is_confirmed:
        confirm(ben, line)
    refused = by_hand(ben, books, bank_account)
    assert (refused.status_code, refused.json["code"]) == (409, "already_explained")
    assert refused.json["details"] == {"transactionIds": [line], "faId": giro}
    assert ben.get("/api/journal-entries?source=manual").json["entries"] == []
    assert by_hand(ben, books, bank_account, force=True).status_code == 201


def test_a_draft_is_asked_when_it_is_posted(ben, books, bank, giro, bank_account):
    draft = by_hand(ben, books, bank_account, post=False).json
    categorised(ben, bank, giro, books)
    path = f"/api/journal-entries/{draft['entry']['id']}/post"
    assert ben.post(path).json["code"] == "already_explained"
    assert ben.post(path, json={"force": True}).status_code == 200


def test_an_import_warns_of_lines_that_are_in_the_books_by_hand(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    data = b"Date,Description,Amount\n2026-03-20,Acme,400.00\n2026-03-21,Other,-12.00\n"
    form = {"file": (io.BytesIO(data), "march.csv"), "faId": str(giro), "mapping": '{"invert": false}'}
    made = ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert made.status_code == 201, made.json
    (warning,) = [each for each in made.json["import"]["warnings"] if "by hand" in each]
    assert warning.startswith("Giro: 1 of the lines may be in the books already")


def test_the_preview_of_a_rule_warns_of_such_lines(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    line = send(bank, giro, "2026-03-20", "400.00", text="Acme")
    rule = {
        "name": "Acme",
        "conditions": {"conditions": [{"value": "Acme"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": books.account_id("Trade receivables")}],
    }
    preview = ben.post("/api/automations/rules/preview", json=rule).json["preview"]
    assert [each.partition(":")[0] for each in preview["warnings"]] == [f"Line {line}"]
