"""A cursor goes on with the list and the filters that it is from, and with nothing else."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.trial_calls import calls
from tests.mcp.clients import Model
from tests.security.addresses import addresses_of
from webapp.web.access import selections

# A filter of each list that has one, which lets all or some of its records through.
FILTERS = {
    "/api/accounts": "type=EXPENSE",
    "/api/action-requests": "actor=me",
    "/api/documents": "q=a",
    "/api/exchange-rates": "currency=USD",
    "/api/items": "side=RECEIVABLES",
    "/api/journal-entries": "status=POSTED",
    "/api/merchants": "q=Paper",
    "/api/reconciliations": "holds=true",
    "/api/transactions": "status=BOOKED",
}


@pytest.fixture
def lists(app, ada, bank):
    """The first pages of all lists that have a second one, by their address."""
    calls(ada, bank)
    found = {}
    for each in addresses_of(app):
        view = app.view_functions[each.endpoint]
        record = selections.record_of(view) if each.is_api and each.name.startswith("GET ") else None
        path = each.name.removeprefix("GET ")
        if record is None or not record.is_page or "<" in path:
            continue
        answer = ada.get(f"{path}?limit=1")
        if answer.status_code == 200 and answer.json.get("nextCursor"):
            found[path] = answer.json["nextCursor"]
    return found


@on_sqlite
def test_a_cursor_of_one_list_is_taken_by_no_other_nor_under_other_filters(ada, lists):
    assert len(lists) >= 10, sorted(lists)
    for path, cursor in lists.items():
        for other in lists:
            answer = ada.get(f"{other}?cursor={cursor}")
            assert answer.status_code == (200 if other == path else 422), (path, other, answer.json)
            if other != path:
                assert "start again without one" in answer.json["fields"]["cursor"][0]
        # How much of each record, and how many of them, is no filter.
        for beside in ("limit=3", "count=true", "fields=id"):
            answer = ada.get(f"{path}?cursor={cursor}&{beside}")
            assert answer.status_code == 200 or "fields" in answer.json["error"], (path, beside, answer.json)
        if path in FILTERS:
            assert ada.get(f"{path}?{FILTERS[path]}").status_code == 200, path
            assert ada.get(f"{path}?{FILTERS[path]}&cursor={cursor}").status_code == 422, path
    assert len(FILTERS.keys() & lists.keys()) >= 6, sorted(lists)


@on_sqlite
def test_a_cursor_of_a_tool_is_of_its_filters(ben, bank):
    model = Model(ben)
    bank.send_many([(f"2026-10-{day:02}", "-1.00", f"Shop {day}") for day in range(1, 5)])
    lines = model.call("find_lines", limit=2)["cursor"]
    assert len(model.call("find_lines", limit=1, cursor=lines)["lines"]) == 1
    assert "start again" in model.refusal("find_lines", limit=2, cursor=lines, text="Shop")
    accounts = model.call("list_accounts", limit=2)["cursor"]
    assert model.call("list_accounts", limit=2, cursor=accounts)["accounts"]
    assert "cursor: " in model.refusal("list_accounts", limit=2, cursor=accounts, type="EXPENSE")
    assert "cursor: " in model.refusal("list_accounts", cursor="2")
