"""Editing what a line's entry says: a draft at once, a posted one by its correction; deleting and restoring a line."""

import pytest

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.transfers import line_of


@pytest.fixture
def travel(books):
    return books.account_id("Travel")


@pytest.fixture
def meals(books):
    return books.account_id("Entertainment")


def edit(person, line, **changes):
    return person.patch(f"/api/transactions/{line}", json=changes)


def confirm(person, line):
    return person.post(f"/api/transactions/{line}/confirm").json


def part(account_id, amount, **facts):
    return {"accountId": account_id, "amount": amount, "projectId": None, "orgMerchantId": None, **facts}


def entry_of(person, line):
    entry_id = person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    return person.get(f"/api/journal-entries/{entry_id}").json["entry"]


def test_a_draft_takes_account_project_merchant_and_description(ada, bank, train, travel):
    project, merchant = bank.project("Leipzig"), bank.merchant("Deutsche Bahn")
    answer = edit(
        ada,
        train,
        accountId=travel,
        projectId=project,
        orgMerchantId=merchant,
        description="Train to Leipzig",
    )
    line = answer.json["transaction"]
    assert answer.status_code == 200
    assert (line["accountId"], line["projectId"], line["orgMerchantId"]) == (travel, project, merchant)
    assert (line["splits"], line["correctionMarkerId"]) == (None, None)
    assert line["description"] == "DB ICE 571"
    entry = entry_of(ada, train)
    assert entry["description"] == "Train to Leipzig"
    assert entry["counterparty"]["name"] == "Deutsche Bahn"
    assert entry["origin"]["label"] == "DB ICE 571"


def test_what_is_not_sent_stays(ada, bank, train, travel):
    project = bank.project("Leipzig")
    edit(ada, train, accountId=travel, projectId=project)
    assert edit(ada, train, description="x").json["transaction"]["projectId"] == project
    line = edit(ada, train, projectId=None).json["transaction"]
    assert (line["accountId"], line["projectId"]) == (travel, None)


@pytest.mark.parametrize(
    ("amount", "parts"),
    [
        ("-100.00", ["-60.00", "-40.00"]),
        ("-100.00", ["-105.00", "5.00"]),
        ("100.00", ["105.00", "-5.00"]),
        ("100.00", ["99.99", "0.01"]),
        ("-100.00", ["-100.00", "0.00"]),
        ("0.00", ["5.00", "-5.00"]),
        ("-100.00", ["-1.00"] * 100),
    ],
)
def test_a_line_is_split_into_parts_with_its_sign(ada, bank, travel, amount, parts):
    line = bank.send("2026-03-02", amount)
    splits = [part(travel, one) for one in parts]
    answer = edit(ada, line, splits=splits).json["transaction"]
    assert answer["accountId"] is None
    assert answer["splits"] == splits
    assert confirm(ada, line)["changed"] is True
    after = ada.get(f"/api/transactions/{line}").json["transaction"]
    assert (after["accountId"], after["splits"]) == (None, splits)


def test_parts_have_their_own_projects_and_merchants(ada, bank, train, travel, meals):
    project, merchant = bank.project("Leipzig"), bank.merchant("Deutsche Bahn")
    splits = [part(travel, "-60.00", projectId=project), part(meals, "-40.00", orgMerchantId=merchant)]
    assert edit(ada, train, splits=splits).json["transaction"]["splits"] == splits


def test_an_account_removes_the_splits(ada, train, travel, meals):
    edit(ada, train, splits=[part(travel, "-60.00"), part(meals, "-40.00")])
    line = edit(ada, train, accountId=meals).json["transaction"]
    assert (line["accountId"], line["splits"]) == (meals, None)


def test_what_a_line_has_already_is_no_act_and_no_proposal(ada, ben, bank, train, travel):
    project = bank.project("Leipzig")
    assert edit(ada, train, accountId=travel, projectId=project).json["changed"] is True
    again = edit(ben.with_scopes("read", "propose"), train, projectId=project)
    assert (again.status_code, again.json["changed"]) == (200, False)
    assert edit(ada, train, accountId=travel).json["changed"] is False
    assert len(ada.get("/api/action-requests?kind=edit_transaction").json["actionRequests"]) == 1


def test_no_splits_leave_an_unsplit_line_as_it_is(ada, train, travel):
    edit(ada, train, accountId=travel)
    line = edit(ada, train, splits=None).json["transaction"]
    assert (line["accountId"], line["splits"]) == (travel, None)


@pytest.mark.parametrize(
    ("parts", "rest", "sentence"),
    [
        (["-60.00", "-30.00"], "-10.00", "; −10.00 EUR is left."),
        (["60.00", "40.00"], "-200.00", "; −200.00 EUR is left."),
        (["-60.00", "-40.01"], "0.01", ", 0.01 EUR too much."),
    ],
)
def test_splits_that_do_not_add_up_name_the_rest(ada, train, travel, parts, rest, sentence):
    answer = edit(ada, train, splits=[part(travel, one) for one in parts])
    assert (answer.status_code, answer.json["code"]) == (422, "splits_do_not_add_up")
    assert answer.json["details"]["rest"] == rest
    assert answer.json["error"].endswith(sentence)


@on_sqlite
@pytest.mark.parametrize("count", [0, 1, 101])
def test_a_line_is_split_into_2_to_100_parts(ada, train, travel, count):
    answer = edit(ada, train, splits=[part(travel, "-1.00")] * count)
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == ["splits"]


@on_sqlite
@pytest.mark.parametrize(
    "amount", [-60, -60.0, "-60,00", "-60.000.0", "1e2", "", " -60.00", "-60.001", None, "٦"]
)
def test_a_part_is_a_decimal_string_with_the_lines_digits(ada, train, travel, amount):
    answer = edit(ada, train, splits=[part(travel, amount), part(travel, "-40.00")])
    assert answer.status_code == 422
    assert "splits.0.amount" in answer.json["fields"]


def test_an_account_and_splits_at_once_are_refused(ada, train, travel):
    answer = edit(ada, train, accountId=travel, splits=[part(travel, "-60.00"), part(travel, "-40.00")])
    assert (answer.status_code, answer.json["code"]) == (422, "account_or_splits")


def test_a_record_that_is_sent_back_changes_nothing(ada, train, travel, meals):
    edit(ada, train, splits=[part(travel, "-60.00"), part(meals, "-40.00")])
    line = ada.get(f"/api/transactions/{train}").json["transaction"]
    again = edit(ada, train, accountId=line["accountId"], splits=line["splits"]).json["transaction"]
    assert {**again, "updatedAt": None} == {**line, "updatedAt": None}


def test_a_posted_line_gets_a_marker_and_shows_what_is_in_the_books(ada, train, travel, books):
    confirm(ada, train)
    before = ada.get(f"/api/transactions/{train}").json["transaction"]
    line = edit(ada, train, accountId=travel).json["transaction"]
    assert line["accountId"] == before["accountId"] != travel
    assert line["entryStatus"] == "POSTED"
    marker = ada.get(f"/api/journal-entries/{line['correctionMarkerId']}").json["entry"]
    assert (marker["status"], marker["source"]) == ("DRAFT", "correction")
    assert [p["accountId"] for p in marker["postings"] if not p["isBankLeg"]] == [travel]
    assert books.balances() == lines("""
        Main account            -100.00 EUR
        Uncategorised expenses   100.00 EUR
    """)


def test_what_waits_for_a_posted_line_stands_beside_what_is_in_the_books(ada, bank, train, travel, meals):
    assert edit(ada, train, accountId=meals).json["transaction"]["pendingChange"] is None
    confirm(ada, train)
    project, merchant = bank.project("Leipzig"), bank.merchant("Deutsche Bahn")
    line = edit(ada, train, accountId=travel, projectId=project, orgMerchantId=merchant).json["transaction"]
    assert line["pendingChange"] == {
        "accountId": travel,
        "orgMerchantId": merchant,
        "projectId": project,
        "splits": None,
        "message": "Posted: a correction is prepared (account from Entertainment to Travel, merchant from none to "
        "Deutsche Bahn, project from none to Leipzig). Confirm the line to write it.",
    }
    again = ada.get(f"/api/transactions/{train}").json["transaction"]
    assert again["pendingChange"] == line["pendingChange"]
    listed = ada.get("/api/transactions?fields=pendingChange").json["transactions"]
    assert listed == [{"pendingChange": line["pendingChange"]}]
    splits = [part(travel, "-60.00"), part(meals, "-40.00")]
    pending = edit(ada, train, splits=splits).json["transaction"]["pendingChange"]
    assert (pending["accountId"], pending["splits"]) == (None, splits)
    assert "account from Entertainment to split in 2" in pending["message"]
    tried = ada.post(f"/api/transactions/{train}/confirm?dryRun=true").json["effect"]["acts"][0]["title"]
    assert tried.endswith("from Entertainment to Travel and Entertainment")
    confirm(ada, train)
    assert ada.get(f"/api/transactions/{train}").json["transaction"]["pendingChange"] is None


def test_a_second_edit_changes_the_same_marker(ada, bank, train, travel, meals):
    confirm(ada, train)
    first = edit(ada, train, accountId=travel).json["transaction"]["correctionMarkerId"]
    second = edit(ada, train, splits=[part(travel, "-60.00"), part(meals, "-40.00")]).json["transaction"]
    assert second["correctionMarkerId"] == first
    project = bank.project("Leipzig")
    edit(ada, train, projectId=project)
    marker = ada.get(f"/api/journal-entries/{first}").json["entry"]
    assert {p["projectId"] for p in marker["postings"] if not p["isBankLeg"]} == {project}


def test_back_to_what_is_in_force_deletes_the_marker(ada, train, travel):
    confirm(ada, train)
    present = ada.get(f"/api/transactions/{train}").json["transaction"]
    marker = edit(ada, train, accountId=travel).json["transaction"]["correctionMarkerId"]
    assert edit(ada, train, accountId=present["accountId"]).json["transaction"]["correctionMarkerId"] is None
    assert ada.get(f"/api/journal-entries/{marker}").status_code == 404


def test_foreign_splits_in_another_order_are_what_is_in_force(ada, bank, travel, meals):
    bank.quote("2026-03-02", "USD", "1.0842")
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-10.00")
    accounts = [travel, meals, bank.account("Gifts"), bank.account("Tips")]
    splits = [part(account, "-2.50") for account in accounts]
    edit(ada, line, splits=splits)
    confirm(ada, line)
    for order in (splits[::-1], splits[2:] + splits[:2]):
        assert edit(ada, line, splits=order).json["transaction"]["correctionMarkerId"] is None


def test_a_posted_line_of_nothing_is_split(ada, bank, books, travel, meals):
    line = bank.send("2026-03-02", "0.00", "Fee and its refund")
    confirm(ada, line)
    splits = [part(travel, "-5.00"), part(meals, "5.00")]
    edit(ada, line, splits=splits)
    assert confirm(ada, line)["changed"] is True
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["splits"] == splits
    assert books.balances() == lines("""
        Entertainment   -5.00 EUR
        Travel           5.00 EUR
    """)


def test_corrections_of_corrections_lead_to_the_target(ada, bank, books, train, travel, meals):
    confirm(ada, train)
    for target in (
        [part(travel, "-60.00"), part(meals, "-40.00")],
        [part(travel, "-10.00"), part(meals, "-90.00")],
        [part(meals, "-120.00"), part(travel, "20.00")],
    ):
        edit(ada, train, splits=target)
        assert confirm(ada, train)["changed"] is True
    assert books.balances() == lines("""
        Entertainment    120.00 EUR
        Main account    -100.00 EUR
        Travel           -20.00 EUR
    """)


def test_the_description_of_a_posted_line_stays(ada, train):
    confirm(ada, train)
    answer = edit(ada, train, description="Other")
    assert (answer.status_code, answer.json["code"]) == (409, "posted")


def test_a_banks_account_is_no_counter_account(ada, bank, train):
    card = bank.open("Card", type_="LIABILITY")
    answer = edit(ada, train, accountId=bank.ledger_account(card))
    assert (answer.status_code, answer.json["code"]) == (422, "use_transfers_account")
    assert "Transfers between own accounts" in answer.json["error"]
    assert list(answer.json["fields"]) == ["accountId"]


def test_an_archived_account_is_refused(ada, bank, train):
    old = bank.account("Old", is_archived=True)
    answer = edit(ada, train, accountId=old)
    assert (answer.status_code, answer.json["code"]) == (422, "archived")


def test_an_account_of_another_currency_is_refused(ada, bank, train):
    dollars = bank.account("Dollar costs", currency="USD")
    answer = edit(ada, train, splits=[part(dollars, "-60.00"), part(dollars, "-40.00")])
    assert (answer.status_code, answer.json["code"]) == (422, "account_currency")
    assert list(answer.json["fields"]) == ["splits.0.accountId"]


@pytest.mark.parametrize("state", ["PENDING", "REMOVED", "DELETED"])
def test_a_line_without_a_draft_is_not_edited(ada, bank, train, travel, state):
    bank.set_state(train, state)
    answer = edit(ada, train, accountId=travel)
    assert (answer.status_code, answer.json["code"]) == (409, state.lower())


@on_sqlite
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"amount": "5.00"},
        {"status": "BOOKED"},
        {"organizationId": "x"},
        {"accountId": "5"},
        {"accountId": True},
        {"description": None},
    ],
    ids=str,
)
def test_other_changes_are_refused(ada, train, changes):
    answer = edit(ada, train, **changes)
    assert answer.status_code == 422
    assert answer.json["error"]


def test_an_edit_is_recorded_with_before_and_after(ada, train, travel):
    edit(ada, train, accountId=travel)
    (act,) = ada.get("/api/action-requests?kind=edit_transaction").json["actionRequests"]
    assert act["after"]["postings"][1]["accountId"] == travel
    assert act["before"]["postings"][1]["accountId"] != travel


def test_a_rate_that_arrives_late_mirrors_an_edited_draft(ada, bank, travel):
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-54.21")
    bank.quote("2026-03-02", "USD", "1.0842")
    edit(ada, line, accountId=travel)
    assert [p["amountBase"] for p in entry_of(ada, line)["postings"]] == ["-50.00", "50.00"]


def test_an_edit_of_a_posted_line_that_changes_nothing_leaves_its_instant(ada, train, travel):
    edit(ada, train, accountId=travel)
    confirm(ada, train)
    before = ada.get(f"/api/transactions/{train}").json["transaction"]
    assert edit(ada, train, accountId=travel).json["transaction"] == before


def test_a_posted_foreign_line_of_nothing_has_nothing_to_correct(ada, bank, travel):
    bank.open("Dollar account", "USD")
    bank.quote("2026-03-02", "USD", "1.0842")
    line = bank.send("2026-03-02", "0.00")
    confirm(ada, line)
    answer = edit(ada, line, accountId=travel)
    assert (answer.status_code, answer.json["transaction"]["correctionMarkerId"]) == (200, None)


def test_a_deleted_line_has_no_draft_and_is_remembered(ada, train, books):
    draft = line_of(ada, train)["journalEntryId"]
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json) == (200, {"ok": True, "changed": True})
    line = line_of(ada, train)
    assert (line["status"], line["journalEntryId"], line["entryStatus"]) == ("DELETED", None, None)
    assert ada.get(f"/api/journal-entries/{draft}").status_code == 404
    assert books.entries() == []


def test_a_restored_line_has_a_fresh_draft(ada, train):
    ada.delete(f"/api/transactions/{train}")
    line = ada.post(f"/api/transactions/{train}/restore").json["transaction"]
    assert (line["status"], line["entryStatus"]) == ("BOOKED", "DRAFT")
    assert ada.post(f"/api/transactions/{train}/confirm").json["changed"] is True


def test_a_posted_line_stays(ada, train):
    ada.post(f"/api/transactions/{train}/confirm")
    entry_id = line_of(ada, train)["journalEntryId"]
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json["code"]) == (409, "posted")
    assert f"Void entry {entry_id} first" in answer.json["error"]


@pytest.mark.parametrize("state", ["PENDING", "REMOVED", "SET_ASIDE"])
def test_only_booked_lines_are_deleted(ada, bank, train, state):
    bank.set_state(train, state)
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json["code"]) == (409, state.lower())


def test_a_line_in_the_books_is_not_restored_and_a_deleted_one_not_deleted(ada, train):
    answer = ada.post(f"/api/transactions/{train}/restore")
    assert (answer.status_code, answer.json["changed"]) == (200, False)
    assert answer.json["transaction"]["status"] == "BOOKED"
    ada.delete(f"/api/transactions/{train}")
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json) == (200, {"ok": True, "changed": False, "waiting": []})
