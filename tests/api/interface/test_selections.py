"""What any list and any read may be asked: only some keys, and a count."""

from urllib.parse import quote

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.queries.transactions import line_lists
from webapp.queries.transactions.line_lists import TransactionFilters

pytestmark = pytest.mark.both

LINES = "/api/transactions"


@pytest.fixture
def lines(bank):
    return bank.send_many(
        [("2026-03-02", "-5.00", "Tea"), ("2026-03-03", "-6.00", "Cake"), ("2026-03-04", "9.00", "Sale")]
    )


def test_a_list_sends_only_the_keys_that_were_asked_for(ada, lines):
    answer = ada.get(f"{LINES}?fields=id,amount&limit=2")
    assert answer.json["transactions"] == [
        {"id": lines[2], "amount": "9.00"},
        {"id": lines[1], "amount": "-6.00"},
    ]
    assert answer.json["nextCursor"]
    assert answer.json["untrusted"] == []
    assert "X-Untrusted-Fields" not in answer.headers


def test_a_record_sends_only_the_keys_that_were_asked_for(ada, lines):
    answer = ada.get(f"{LINES}/{lines[0]}?fields=description,status")
    assert answer.json["transaction"] == {"status": "BOOKED", "description": "Tea"}
    assert answer.headers["X-Untrusted-Fields"] == "transaction.description"


@pytest.mark.parametrize("asked", ["colour", "id,", "", "id,colour"])
@on_sqlite
def test_a_key_that_no_record_has_is_refused_with_the_valid_ones(ada, lines, asked):
    answer = ada.get(f"{LINES}?fields={asked}")
    assert (answer.status_code, answer.json["code"]) == (422, "validation")
    assert "bookedOn" in answer.json["fields"]["fields"][0]


@pytest.fixture
def draft(ada, bank, lines):
    """An open statement; gives the address of its account."""
    address = f"/api/reconciliations/accounts/{bank.fa_id}"
    statement = {"statementDate": "2026-03-31", "statementBalance": "-2.00"}
    assert ada.put(f"{address}/draft", json=statement).status_code == 200
    return address


def test_what_stands_beside_a_list_is_asked_for_by_its_own_keys(ada, draft):
    """An agent that wants the version of a draft expects it under the draft's name, and no line."""
    whole = ada.get(draft).json
    answer = ada.get(f"{draft}?fields=draft")
    assert answer.json == {"account": {"draft": whole["account"]["draft"]}, "untrusted": []}
    assert answer.json["account"]["draft"]["version"] == 1


def test_keys_of_a_list_and_of_what_stands_beside_it_are_asked_for_together(ada, draft):
    whole = ada.get(draft).json
    both = ada.get(f"{draft}?fields=draft,amount&limit=1").json
    assert both["account"] == {"draft": whole["account"]["draft"]}
    assert (both["lines"], bool(both["nextCursor"])) == ([{"amount": "9.00"}], True)
    lines = ada.get(f"{draft}?fields=amount").json
    assert (lines["account"], lines["lines"][0]) == (whole["account"], {"amount": "9.00"})


def test_a_key_that_neither_has_is_refused_with_the_keys_of_both(ada, draft):
    refused = ada.get(f"{draft}?fields=version").json["fields"]["fields"][0]
    assert "lines with commas between" in refused
    assert "or of account with commas between" in refused


def test_the_documented_endpoints_answer_unchanged_and_may_be_asked_for_less(ada, bank):
    project = bank.project("Roof")
    whole = ada.get(f"/api/projects/{project}")
    assert whole.json.keys() == {"project"}
    assert ada.get(f"/api/projects/{project}?fields=name").json == {"project": {"name": "Roof"}}
    assert ada.get(f"/api/projects/{project}?colour=red").json == whole.json
    assert ada.get(f"/api/projects/{project}?fields=colour").json == whole.json


def test_a_list_counts_what_its_filters_leave_on_every_page(ada, lines):
    first = ada.get(f"{LINES}?count=true&limit=1&to=2026-03-03").json
    assert (len(first["transactions"]), first["total"]) == (1, 2)
    second = ada.get(f"{LINES}?count=true&limit=1&to=2026-03-03&cursor={first['nextCursor']}").json
    assert second["total"] == 2
    assert "total" not in ada.get(f"{LINES}?count=false").json
    assert ada.get(f"{LINES}?count=yes").json["fields"] == {"count": ["Send true or false."]}


def test_two_lists_in_one_request_do_not_influence_each_other(ada, lines, monkeypatch):
    """An answer that reads another list beside its own narrows and counts its own, and nothing of the other."""
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    changed = ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["createdAt"]
    listed, others = line_lists.listed, []

    def beside_others(organization_id, filters, **asked):
        found = listed(organization_id, filters, **asked)
        other = listed(organization_id, TransactionFilters(), after=None, limit=2)
        others.append((len(other.items), other.total()))
        return found

    monkeypatch.setattr(line_lists, "listed", beside_others)
    answer = ada.get(f"{LINES}?count=true&updatedSince={quote(changed)}").json
    assert ([each["id"] for each in answer["transactions"]], answer["total"]) == ([lines[0]], 1)
    assert others == [(2, 3)]


@pytest.fixture
def software(ada, bank, books):
    """Three confirmed payments to a supplier, and one that waits; gives its id."""
    paid = [(f"2026-0{month}-05", "-12.00", "Layerboard") for month in range(1, 5)]
    *confirmed, waiting = bank.send_many(paid)
    for each in confirmed:
        ada.patch(f"{LINES}/{each}", json={"accountId": books.account_id("Software")})
        ada.post(f"{LINES}/{each}/confirm")
    return waiting


def test_names_and_likely_accounts_are_sent_where_they_are_asked_for(ada, books, software):
    plain = ada.get(LINES).json["transactions"][0]
    assert not plain.keys() & {"accountName", "merchantName", "projectName", "likelyAccount"}
    answer = ada.get(f"{LINES}?include=names,likely&ids={software}")
    (line,) = answer.json["transactions"]
    likely = line.pop("likelyAccount")
    assert (line.pop("likelyPayment"), line.pop("likelyTransfer")) == (None, None)
    assert (likely["accountId"], likely["count"], likely["total"]) == (books.account_id("Software"), 3, 3)
    assert "3 of 3" in likely["reason"]
    assert "transactions[].likelyAccount.reason" in answer.json["untrusted"]
    names = {name: line.pop(name) for name in ("accountName", "merchantName", "projectName")}
    assert names == {"accountName": "Uncategorised expenses", "merchantName": None, "projectName": None}
    assert line == plain


def test_a_key_by_its_name_is_sent_without_its_word(ada, software):
    answer = ada.get(f"{LINES}?fields=id,accountName&ids={software}").json
    assert answer["transactions"] == [{"id": software, "accountName": "Uncategorised expenses"}]
    assert ada.get(f"{LINES}?fields=id&include=names&ids={software}").json["transactions"][0].keys() == {
        "id",
        "accountName",
        "merchantName",
        "projectName",
    }
    refused = ada.get(f"{LINES}?include=colours")
    assert (refused.status_code, refused.json["fields"]) == (
        422,
        {"include": ["Send words with commas between: likely, names."]},
    )


def test_parts_of_a_line_have_names_too(ada, bank, books):
    line = bank.send("2026-03-02", "-50.00", "Fair")
    project = bank.project("Roof")
    parts = [
        {"accountId": books.account_id("Travel"), "amount": "-30.00", "projectId": project},
        {"accountId": books.account_id("Software"), "amount": "-20.00"},
    ]
    ada.patch(f"{LINES}/{line}", json={"splits": parts})
    (listed,) = ada.get(f"{LINES}?include=names").json["transactions"]
    assert [(each["accountName"], each["projectName"]) for each in listed["splits"]] == [
        ("Travel", "Roof"),
        ("Software", None),
    ]
    assert listed["accountName"] is None
    assert ada.get(LINES).json["transactions"][0]["splits"][1].keys() == {*parts[0], "orgMerchantId"}


def test_lines_are_found_by_ids_and_by_being_uncategorised(ada, software):
    every = [each["id"] for each in ada.get(f"{LINES}?fields=id").json["transactions"]]

    def listed(query):
        return [each["id"] for each in ada.get(f"{LINES}?fields=id&{query}").json["transactions"]]

    assert listed("uncategorised=true") == [software]
    assert sorted([*listed("uncategorised=false"), software]) == sorted(every)
    assert listed(f"ids={every[2]},{every[0]},987654") == [every[0], every[2]]
    entries = [each["id"] for each in ada.get("/api/journal-entries").json["entries"]]
    found = ada.get(f"/api/journal-entries?ids={entries[1]}").json["entries"]
    assert [each["id"] for each in found] == entries[1:2]
    assert ada.get(f"{LINES}?ids={','.join(['1'] * 201)}").json["fields"] == {
        "ids": ["Send at most 200 ids."]
    }


@pytest.fixture
def made(ada, bank):
    """Three records of each kind, by the address of their list."""

    def three(address, key, **body):
        asked = [{"name": name, **body} for name in "ABC"]
        return [ada.post(f"/api/{address}", json=each).json[key]["id"] for each in asked]

    effect = {"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 0}
    papers = [ada.post("/api/documents", json={"number": each}).json["document"]["id"] for each in "ABC"]
    return {
        "accounts": three("accounts", "account", type="EXPENSE"),
        "merchants": three("merchants", "merchant"),
        "projects": three("projects", "project"),
        "documents": papers,
        "automations/rules": three("automations/rules", "rule", effects=[effect]),
    }


@pytest.mark.parametrize("address", ["accounts", "merchants", "projects", "documents", "automations/rules"])
def test_records_of_every_kind_are_found_by_ids(ada, dan, made, address):
    first, second, third = made[address]

    def listed(person, query):
        answer = person.get(f"/api/{address}?{query}").json
        (found,) = [
            value for value in answer.values() if isinstance(value, list) and value != answer.get("untrusted")
        ]
        return sorted(each["id"] for each in found), answer.get("total")

    assert listed(ada, f"ids={third},{first},987654&count=true") == ([first, third], 2)
    assert listed(dan, f"ids={first},{second}") == ([], None)
    assert {first, second, third} <= set(listed(ada, "limit=200")[0])
    assert ada.get(f"/api/{address}?ids=A").json["fields"].keys() == {"ids.0"}
    assert ada.get(f"/api/{address}?ids={','.join(['1'] * 201)}").status_code == 422


def test_a_merged_merchant_is_found_by_its_id(ada, made):
    """A posting names the merchant that it was given, also where that one counts as another."""
    kept, merged, other = made["merchants"]
    assert ada.post(f"/api/merchants/{merged}/merge", json={"mergedIntoId": kept}).status_code == 200

    def listed(query):
        return [each["id"] for each in ada.get(f"/api/merchants?{query}").json["merchants"]]

    assert listed(f"ids={merged},{other}") == [merged, other]
    assert listed(f"ids={merged},{other}&mergedIntoId={kept}") == [merged]
    assert listed("") == [kept, other]


def test_an_answer_names_only_the_paths_under_which_there_is_a_text(ada, bank):
    line = bank.send("2026-03-02", "-5.00", "Tea")
    one, many = f"{LINES}/{line}", LINES
    for path, key in ((one, "transaction"), (many, "transactions[]")):
        named = ada.get(path).json["untrusted"]
        assert f"{key}.description" in named
        assert f"{key}.counterparty" not in named
    bank.send("2026-03-03", "-6.00", "Cake", counterparty="Baker")
    assert "transactions[].counterparty" in ada.get(many).json["untrusted"]
    assert "transactions[].counterparty" in ada.get(many).headers["X-Untrusted-Fields"].split(", ")
