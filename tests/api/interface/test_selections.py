"""What any list and any read may be asked: only some keys, and a count."""

from urllib.parse import quote

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.queries.transactions import transactions
from webapp.queries.transactions.transactions import TransactionFilters

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


def test_the_documented_endpoints_answer_unchanged_and_may_be_asked_for_less(ada, bank):
    project = bank.project("Roof")
    whole = ada.get(f"/api/projects/{project}")
    assert whole.json.keys() == {"project"}
    assert ada.get(f"/api/projects/{project}?fields=name").json == {"project": {"name": "Roof"}}
    assert ada.get(f"/api/projects/{project}?colour=red").json == whole.json
    assert ada.get(f"/api/projects/{project}?fields=colour").status_code == 422


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
    listed, others = transactions.listed, []

    def beside_others(organization_id, filters, **asked):
        found = listed(organization_id, filters, **asked)
        other = listed(organization_id, TransactionFilters(), after=None, limit=2)
        others.append((len(other.items), other.total()))
        return found

    monkeypatch.setattr(transactions, "listed", beside_others)
    answer = ada.get(f"{LINES}?count=true&updatedSince={quote(changed)}").json
    assert ([each["id"] for each in answer["transactions"]], answer["total"]) == ([lines[0]], 1)
    assert others == [(2, 3)]
