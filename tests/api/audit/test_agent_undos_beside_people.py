"""What people did since is listed with its reason and left, and only what was looked at is undone."""

import io
import re
from datetime import UTC, datetime

import pytest

from tests.api.audit.test_agent_undos import ok, preview, rule, undo, undone
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.replays import everything
from tests.tree import ROOT
from webapp.database.sessions import db
from webapp.models import Membership
from webapp.services.undo import agent_undos
from webapp.services.undo.inverses import INVERSES, STAYS


@pytest.fixture
def agent(ada):
    return ada.with_scopes("read", "draft", "confirm", "reconcile", "admin")


@pytest.fixture
def rent(bank):
    return bank.account("Rent")


@pytest.fixture
def line(bank):
    return bank.send("2026-03-02", "-5.00", "A line")


def edit(person, line, **changes):
    return ok(person.patch(f"/api/transactions/{line}", json=changes))


def confirm(person, line):
    return ok(person.post(f"/api/transactions/{line}/confirm", json={}))


def of(person, line):
    return ok(person.get(f"/api/transactions/{line}"))["transaction"]


def test_a_draft_that_a_person_confirmed_stays(ada, agent, line, rent):
    edit(agent, line, accountId=rent)
    confirm(ada, line)
    assert undone_with_nothing(ada, agent) == {
        "edit_transaction": "It was posted since; edit the line to correct it."
    }
    assert (of(ada, line)["accountId"], of(ada, line)["entryStatus"]) == (rent, "POSTED")


def test_older_acts_are_reached_though_all_the_newest_stay(ada, agent, line, monkeypatch):
    monkeypatch.setattr(agent_undos, "MOST_AT_ONCE", 1)
    confirm(agent, line)
    project = ok(agent.post("/api/projects", json={"name": "Website"}))["project"]["id"]
    ok(ada.patch(f"/api/projects/{project}", json={"name": "Ours"}))
    newest = preview(ada, agent)
    assert (newest["items"][0]["undo"], newest["left"]) == (None, 1)
    older = preview(ada, agent, before=newest["nextBefore"])
    assert (older["items"][0]["kind"], older["left"], older["nextBefore"]) == ("confirm_transaction", 0, None)
    done = ok(undo(ada, agent, older["digest"], before=newest["nextBefore"]))
    assert [each["status"] for each in done["results"]] == ["EXECUTED"]
    assert of(ada, line)["entryStatus"] == "DRAFT"


def undone_with_nothing(person, token):
    """Look at what undoing would do where there is nothing to do, and give the reasons."""
    seen = preview(person, token)
    assert {each["undo"] for each in seen["items"]} == {None}
    refused = undo(person, token, seen["digest"])
    assert (refused.status_code, refused.json["code"]) == (409, "nothing_to_undo")
    return {each["kind"]: each["why"] for each in seen["items"]}


def test_a_draft_that_a_person_edited_stays(ada, agent, bank, line, rent):
    food = bank.account("Food")
    edit(agent, line, accountId=rent)
    edit(ada, line, accountId=food)
    assert undone_with_nothing(ada, agent)["edit_transaction"].startswith("Somebody changed it since")
    assert of(ada, line)["accountId"] == food


def test_what_an_agent_did_after_a_person_goes_back_to_the_persons(ada, agent, bank, line, rent):
    food, waiting = bank.account("Food"), of(ada, line)["accountId"]
    edit(agent, line, accountId=rent)
    edit(ada, line, accountId=food)
    edit(agent, line, accountId=rent)
    assert list(undone(ada, agent)) == ["edit_transaction"]
    assert of(ada, line)["accountId"] == food != waiting


def test_a_confirmed_line_that_a_person_corrects_stays(ada, agent, line, rent):
    confirm(agent, line)
    edit(ada, line, accountId=rent)
    why = undone_with_nothing(ada, agent)["confirm_transaction"]
    assert why == "Somebody corrected it since, so it is left as it is."
    assert of(ada, line)["correctionMarkerId"]


def test_a_confirmed_line_that_a_person_proved_stays(ada, agent, bank, desk, line):
    confirm(agent, line)
    desk.of(ada).prove("2026-03-31", "-5.00")
    why = undone_with_nothing(ada, agent)["confirm_transaction"]
    assert why == "It is ticked on a statement. Untick it there first."
    assert desk.account()["anchor"]["holds"]


def test_things_that_a_person_uses_stay(ada, agent, bank, line):
    project = ok(agent.post("/api/projects", json={"name": "Made"}))["project"]["id"]
    merchant = ok(agent.post("/api/merchants", json={"name": "Made"}))["merchant"]["id"]
    account = ok(agent.post("/api/accounts", json={"name": "Made", "type": "EXPENSE"}))["account"]["id"]
    made = ok(agent.post("/api/automations/rules", json=rule("Made", account)))["rule"]
    edit(ada, line, accountId=account, projectId=project, orgMerchantId=merchant)
    said = {**rule("Made", account), "name": "Mine"}
    ok(ada.put(f"/api/automations/rules/{made['id']}", json=said))
    assert undone_with_nothing(ada, agent) == {
        "create_rule": "Somebody changed it since, so it is left as it is.",
        "create_account": "Made is used, so it stays.",
        "create_merchant": "“Made” is used by 1 posting. Remove it there first.",
        "create_project": "Made is used by 1 posting. Remove it there first.",
    }


def test_an_import_stays_whose_lines_were_posted(ada, agent):
    form = {"file": (io.BytesIO(bank_file(Line("2026-03-02", "-9.00"))), "march.ofx")}
    ok(agent.post("/api/feeds/imports", data=form, content_type="multipart/form-data"))
    (line,) = everything(ada, "transactions", "transactions")
    confirm(agent, line["id"])
    assert undone(ada, agent)["import_file"].startswith("Lines of this import are or were confirmed")
    assert of(ada, line["id"])["entryStatus"] == "DRAFT"


def test_what_has_no_way_back_says_why(ada, agent):
    form = {"file": (io.BytesIO(bank_file(Line("2026-03-02", "-9.00"))), "march.ofx")}
    made = ok(agent.post("/api/feeds/imports", data=form, content_type="multipart/form-data"))
    ok(agent.delete(f"/api/feeds/imports/{made['import']['id']}"))
    reasons = undone_with_nothing(ada, agent)
    assert reasons["take_back_import"] == "The file is not kept once it is imported; import it again."
    assert reasons["import_file"] == "There is nothing here."


def test_only_what_was_done_since_then(ada, agent, line, rent):
    edit(agent, line, accountId=rent)
    since = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    edit(agent, line, description="Later")
    seen = preview(ada, agent, since)
    assert [each["kind"] for each in seen["items"]] == ["edit_transaction"]
    ok(undo(ada, agent, seen["digest"], since))
    entry = ok(ada.get(f"/api/journal-entries/{of(ada, line)['journalEntryId']}"))["entry"]
    assert (entry["description"], of(ada, line)["accountId"]) == ("A line", rent)


def test_a_preview_writes_nothing(ada, agent, line, rent):
    edit(agent, line, accountId=rent)
    confirm(agent, line)
    acts = everything(ada, "action-requests", "actionRequests")
    entries = everything(ada, "journal-entries", "entries")
    assert [each["undo"]["kind"] for each in preview(ada, agent)["items"]] == ["VOID", "PUT_BACK"]
    assert everything(ada, "action-requests", "actionRequests") == acts
    assert everything(ada, "journal-entries", "entries") == entries


def test_books_that_moved_are_looked_at_again(ada, agent, bank, line, rent):
    other = bank.send("2026-03-03", "-6.00")
    edit(agent, line, accountId=rent)
    edit(agent, other, accountId=rent)
    seen = preview(ada, agent)
    confirm(ada, line)
    moved = undo(ada, agent, seen["digest"])
    assert (moved.status_code, moved.json["code"]) == (409, "moved")
    assert [each["undo"] is None for each in moved.json["details"]["preview"]["items"]] == [False, True]
    assert of(ada, other)["accountId"] == rent
    assert ok(undo(ada, agent, moved.json["details"]["digest"]))["results"][0]["status"] == "EXECUTED"
    assert of(ada, other)["accountId"] != rent


def test_the_batch_names_its_parts_and_is_undone_once(ada, agent, line, rent):
    edit(agent, line, accountId=rent)
    seen = preview(ada, agent)
    done = ok(undo(ada, agent, seen["digest"]))
    assert done["results"][0]["undoneBy"]
    (act,) = ok(ada.get("/api/action-requests?kind=undo_agent"))["actionRequests"]
    assert (act["id"], act["actor"]["kind"], act["title"]) == (
        done["actionRequestId"],
        "PERSON",
        "Undid 1 act of limited",
    )
    again = undo(ada, agent, seen["digest"])
    assert (again.status_code, again.json["code"]) == (409, "moved")


def test_what_people_approved_of_it_is_undone_too(ada, line, rent):
    agent = ada.with_scopes("read", "propose")
    asked = agent.patch(f"/api/transactions/{line}", json={"accountId": rent})
    assert asked.status_code == 202, asked.json
    request = asked.json["actionRequest"]
    path = f"/api/action-requests/{request['id']}/approve"
    ok(ada.browser().post(path, json={"digest": request["digest"]}))
    assert of(ada, line)["accountId"] == rent
    assert undone(ada, agent) == {}
    assert of(ada, line)["accountId"] != rent


def test_a_scope_that_one_lacks_leaves_the_act(ada, agent, bank, line, rent):
    ok(agent.post("/api/accounts", json={"name": "Made", "type": "EXPENSE"}))
    edit(agent, line, accountId=rent)

    def demote():
        db.session.get_one(Membership, (ada.organization_id, ada.user_id)).role = "bookkeeper"

    bank.ask(demote)
    assert undone(ada, agent) == {"create_account": "Undoing this needs the scope admin."}


def test_nobody_undoes_by_a_token_or_for_others(ada, ben, cleo, dan, agent, line, rent):
    edit(agent, line, accountId=rent)
    path = "/api/action-requests/undo/preview"
    asked = {"tokenId": agent.token_id, "since": "2026-01-02T00:00:00Z"}
    assert agent.post(path, json=asked).status_code == 403
    assert cleo.browser().post(path, json=asked).status_code == 403
    assert ben.browser().post(path, json=asked).status_code == 404
    assert dan.browser().post(path, json=asked).status_code == 404


@on_sqlite
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tokenId": 1},
        {"tokenId": "1", "since": "2026-01-02T00:00:00Z"},
        {"tokenId": 1, "since": "yesterday"},
    ],
)
def test_another_shape_is_refused(ada, asked):
    assert ada.browser().post("/api/action-requests/undo/preview", json=asked).status_code == 422


def test_more_than_one_batch_holds_is_left_for_another(ada, agent, line, rent, monkeypatch):
    edit(agent, line, accountId=rent)
    edit(agent, line, description="Later")
    monkeypatch.setattr(agent_undos, "MOST_AT_ONCE", 1)
    seen = preview(ada, agent)
    assert (len(seen["items"]), seen["left"]) == (1, 1)
    ok(undo(ada, agent, seen["digest"]))
    assert undone(ada, agent) == {}
    assert preview(ada, agent)["items"] == []
    assert of(ada, line)["accountId"] != rent


# No token does these: they ask for a session, or are the batch itself and what belongs to it.
BY_PEOPLE = {
    "accept_invitation",
    "add_authenticator",
    "add_passkey",
    "change_password",
    "change_person",
    "change_role",
    "change_token",
    "create_organization",
    "create_token",
    "delete_merchant",
    "end_membership",
    "remove_authenticator",
    "remove_member",
    "remove_passkey",
    "remove_transaction_again",
    "create_webhook",
    "change_webhook",
    "end_webhook",
    "rotate_webhook",
    "switch_webhook",
    "link_identity",
    "unlink_identity",
    "invite_member",
    "renew_invitation",
    "renew_recovery_codes",
    "reset_second_factor",
    "withdraw_invitation",
    "revoke_token",
    "undo_correction",
    "undo_discard",
    "undo_edit",
    "undo_agent",
    "update_organization",
}


@on_sqlite
def test_every_kind_of_act_has_a_way_back_or_a_reason(database_kind):
    """A new kind belongs into INVERSES or STAYS of services/inverses, for a reader of the preview."""
    kinds = {
        match[1]
        for module in (ROOT / "webapp/services").rglob("*.py")
        for match in re.finditer(
            r'\bact\(\s*(?:actor,\s*now|\*\*undoing\.by),\s*(?:kind=)?"(\w+)"', module.read_text()
        )
    }
    assert len(kinds) > 50
    assert kinds - INVERSES.keys() - STAYS.keys() - BY_PEOPLE == set()
    assert (INVERSES.keys() | STAYS.keys()) - kinds == set()
