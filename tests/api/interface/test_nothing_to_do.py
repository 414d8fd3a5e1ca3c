"""Writes that would change nothing: 200 with `changed: false`, no act, and never a proposal."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.trial_calls import calls
from tests.security.addresses import addresses_of
from webapp.web.access.selections import answer_schema

# What a call does when it is made a second time, by its name in second_calls.txt.
REPEATS, MAKES, ENDS = "repeats", "makes", "ends"
LISTED = Path(__file__).with_name("second_calls.txt").read_text(encoding="utf-8").splitlines()
ROWS = [line.partition("#")[0].split(maxsplit=2) for line in LISTED]
SIDES = {f"{method} {path}": side.strip() for method, path, side in filter(None, ROWS)}
# The interface document's calls answer as ever: that of abandoning has no place to say it.
# A key only proposes this.
BY_PERSONS = {"POST /api/lock-exceptions"}
WITHOUT_WORD = {"POST /api/reconciliations/accounts/<id:fa_id>/abandon"}


@pytest.fixture
def again(house, ada, bank):
    """Fill the books once, and begin with them for each call."""
    listed = calls(ada, bank)
    house.leave()
    house.store.copy("books", "filled")

    def begin():
        house.leave()
        house.store.copy("filled", "books")

    yield listed, begin
    house.leave()
    house.store.drop("filled")


def acts(person):
    path = "/api/action-requests?fields=id,status&count=true&limit=1"
    return person.get(path).json["total"]


def asked(call, person):
    if call.name in BY_PERSONS:
        return person.browser().post(call.path, **call.options)
    return call.ask(person)


def with_present_version(call, answer):
    """Send the version that the first answer has: whoever repeats a change has read it."""
    body = call.options.get("json", {})
    if not call.name.startswith("PUT") or "version" not in body:
        return call
    present = answer.get("version") or answer["account"]["draft"]["version"]
    return replace(call, options={**call.options, "json": {**body, "version": present}})


def test_every_write_takes_a_side(app):
    written = {
        each.name
        for each in addresses_of(app)
        if each.is_api
        and not (each.session_only or each.is_secret)
        and app.view_functions[each.endpoint].writes
    }
    assert {each for each in written if not each.startswith("GET")} == SIDES.keys()


def test_every_write_that_can_be_repeated_has_a_place_to_say_it(app):
    for each in addresses_of(app):
        if SIDES.get(each.name) == REPEATS and each.name not in WITHOUT_WORD:
            schema = answer_schema(app.view_functions[each.endpoint])
            assert "changed" in schema.dump_fields, each.name


@on_sqlite
def test_what_a_second_call_does(ada, agent, again, figure, portion):
    listed, begin = again
    counts = Counter()
    for call in portion(9, listed):
        begin()
        first = asked(call, ada)
        assert first.status_code in (200, 201, 202), (call.name, first.json)
        assert first.json.get("changed", True) is True, call.name
        before = acts(ada)
        repeated = with_present_version(call, first.json)
        second = asked(repeated, ada)
        side = SIDES[call.name]
        counts[side] += 1
        if side == REPEATS:
            assert second.status_code == 200, (call.name, second.json)
            assert second.json.get("changed", False) is False, call.name
            assert acts(ada) == before, call.name
            proposed = repeated.ask(agent)
            assert (proposed.status_code, acts(ada)) == (200, before), (call.name, proposed.json)
            summary = repeated.ask(ada, view="summary")
            assert (summary.status_code, summary.json["changed"]) == (200, False), call.name
        elif side == ENDS:
            assert second.status_code in (404, 409), (call.name, second.json)
        elif side == MAKES:
            is_new = second.status_code in (200, 201, 202) and acts(ada) > before
            assert is_new or second.status_code in (409, 422), (call.name, second.json)
        else:
            assert second.data == first.data, call.name
    figure("Nothing to do", f"{dict(counts)}")


def test_what_changes_nothing_names_the_proposals_that_wait(ada, agent, desk, bank):
    """The statement of a proposal is not there yet, so that there is nothing to clear: 200, and why."""
    line = bank.send("2026-10-02", "850.00")
    desk.confirm(line)
    path = f"/api/reconciliations/accounts/{bank.fa_id}/draft"
    assert desk.put("2026-10-01", "0.00").status_code == 200
    version = desk.account()["draft"]["version"]
    later = {"statementDate": "2026-10-31", "statementBalance": "850.00", "version": version}
    waiting = agent.put(path, json=later)
    assert waiting.status_code == 202
    cleared = agent.put(f"{path}/lines", json={"auto": True, "version": version})
    assert (cleared.status_code, cleared.json["changed"]) == (200, False)
    assert cleared.json["waiting"] == [waiting.json["actionRequest"]["id"]]
    elsewhere = bank.merchant("REWE")
    same = agent.patch(f"/api/merchants/{elsewhere}", json={"name": "REWE"})
    assert (same.json["changed"], same.json["waiting"]) == (False, [])


def test_what_would_change_a_record_among_others_is_named_too(ada, agent, bank):
    rent, tea = bank.send_many([("2026-10-05", "-50.00", "Rent"), ("2026-10-06", "-5.00", "Tea")])
    trips = bank.account("Trips")
    changes = [{"id": each, "accountId": trips} for each in (rent, tea)]
    steps = [{"method": "POST", "path": "/api/transactions/confirm", "body": {"ids": [rent]}}]
    proposals = [
        agent.patch("/api/transactions", json={"changes": changes}),
        agent.post("/api/transactions/confirm", json={"ids": [rent, tea]}),
        agent.post("/api/plans", json={"title": "October", "note": "", "steps": steps}),
    ]
    edit, confirmation, plan = [each.json["actionRequest"]["id"] for each in proposals]

    def waiting(line):
        """Set the account that a line is on, which changes nothing."""
        account = ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"]
        same = agent.patch(f"/api/transactions/{line}", json={"accountId": account})
        assert (same.status_code, same.json["changed"]) == (200, False)
        return same.json["waiting"]

    assert waiting(rent) == [edit, confirmation, plan]
    assert waiting(tea) == [edit, confirmation]


def test_what_changes_something_names_none(ada, agent, bank):
    merchant = bank.merchant("REWE")
    assert agent.patch(f"/api/merchants/{merchant}", json={"name": "Edeka"}).status_code == 202
    changed = ada.patch(f"/api/merchants/{merchant}", json={"name": "Aldi"}).json
    assert changed["changed"] is True
    assert "waiting" not in changed
