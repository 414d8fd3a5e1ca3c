"""Acts are listed by who did them, what they are about, and since when."""

from urllib.parse import quote

import pytest

from tests.fixtures.helpers.marks import on_sqlite


def listed(person, query):
    answer = person.get(f"/api/action-requests?{query}")
    assert answer.status_code == 200, answer.json
    return [(act["kind"], act["target"]["id"]) for act in answer.json["actionRequests"]]


def test_acts_are_found_by_actor_target_and_instant(ada, ben, bank):
    first, second = bank.send_many([("2026-03-02", "-1.00", "Tea"), ("2026-03-03", "-2.00", "Cake")])
    ada.patch(f"/api/transactions/{first}", json={"description": "Green tea"})
    begun = ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["createdAt"]
    ben.patch(f"/api/transactions/{second}", json={"description": "Carrot cake"})
    ben.post(f"/api/transactions/{first}/confirm")
    assert listed(ben, "actor=me") == [
        ("confirm_transaction", str(first)),
        ("edit_transaction", str(second)),
    ]
    assert listed(ada, f"actor=TOKEN:{ben.token_id}") == listed(ben, "actor=me")
    assert listed(ada, f"target=transaction:{first}") == [
        ("confirm_transaction", str(first)),
        ("edit_transaction", str(first)),
    ]
    assert listed(ada, f"since={quote(begun)}&kind=edit_transaction")[0] == ("edit_transaction", str(second))
    assert listed(ada, "since=2199-01-01T00:00:00Z") == []


@on_sqlite
@pytest.mark.parametrize(
    "query", ["actor=ben", "actor=TOKEN:0", "target=12", "target=transaction", "since=yesterday"]
)
def test_what_names_none_is_refused(ada, query):
    refused = ada.get(f"/api/action-requests?{query}")
    assert (refused.status_code, list(refused.json["fields"])) == (422, [query.partition("=")[0]])
