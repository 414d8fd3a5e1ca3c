"""Keys that only approve: where an owner allows them, within their caps, and never what a person has to look at."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.fixtures.helpers.planning import proposed
from webapp.database.sessions import db
from webapp.ledger.codes import ACT_KINDS
from webapp.ledger.scopes import SIGNED_IN_KINDS
from webapp.models import ApiToken, Membership
from webapp.services.access.tokens import ApprovingOffError

# The ordinary work of bookkeeping: lines, entries, documents, names, schedules.
APPROVED_BY_KEYS = {
    "abandon_reconciliation",
    "accrue",
    "add_document_file",
    "bind_rows",
    "change_journal_entry",
    "change_schedule",
    "clear_reconciliation_items",
    "complete_reconciliation",
    "confirm_transaction",
    "correct_journal_entry",
    "create_account",
    "create_document",
    "create_journal_entry",
    "create_merchant",
    "create_project",
    "create_project_group",
    "create_schedule",
    "decline_document",
    "delete_document",
    "delete_from_inbox",
    "delete_journal_entry",
    "delete_merchant",
    "delete_project",
    "delete_project_group",
    "delete_transaction",
    "discard_correction",
    "dismiss_suggestion",
    "dismiss_transfer",
    "dispose_schedule",
    "draft_schedule_part",
    "edit_item",
    "edit_transaction",
    "end_lock_exception",
    "forget_columns",
    "import_file",
    "join_transactions",
    "keep_in_inbox",
    "offer_document_again",
    "pair_transfer",
    "plan",
    "post_journal_entry",
    "post_schedule_part",
    "push_feed",
    "put_exchange_rates",
    "put_reconciliation_draft",
    "relate_document",
    "remove_document_file",
    "remove_transaction_again",
    "restore_transaction",
    "resume_feed",
    "revalue",
    "settle_items",
    "skip_schedule_part",
    "stop_schedule",
    "sync_bank_connection",
    "undismiss_suggestion",
    "undo_transfer",
    "unjoin_transactions",
    "unrelate_document",
    "update_document",
    "update_merchant",
    "update_project",
    "update_project_group",
    "withdraw_balance_note",
    "write_balance_note",
}


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


@pytest.fixture
def key(ada, bank):
    """Ada's key that approves, with these caps."""

    def make(**caps):
        bank.allow_approving()
        return ada.with_scopes("approve", **caps)

    return make


def waiting(agent, path, **options):
    answer = agent.post(path, **options)
    assert answer.status_code == 202, answer.json
    return answer.json["actionRequest"]


def approve(key, request):
    return key.post(f"/api/action-requests/{request['id']}/approve", json={"digest": request["digest"]})


def test_a_key_approves_what_others_propose_and_is_shown_as_who_did(ada, key, agent, line, bank):
    phone, request = key(), waiting(agent, f"/api/transactions/{line}/confirm")
    unseen = phone.post(f"/api/action-requests/{request['id']}/approve", json={"digest": "0" * 64})
    assert unseen.json["code"] == "unknown_digest"
    done = approve(phone, request)
    assert done.status_code == 200, done.json
    assert done.json["actionRequest"]["decidedBy"] == {
        "kind": "TOKEN",
        "id": phone.token_id,
        "name": "limited",
    }
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"
    page = ada.browser().get(f"/proposals?id={request['id']}&show=decided")
    assert "limited, an API key" in page.text
    assert bank.broken() == []


def test_a_key_decides_on_several_and_does_nothing_else(key, agent, bank):
    phone, lines = key(), bank.send_many([("2026-03-02", "-1.00", "A line")] * 3)
    first, second, third = (waiting(agent, f"/api/transactions/{each}/confirm") for each in lines)
    reviewed = [{"id": each["id"], "digest": each["digest"]} for each in (first, second)]
    answer = phone.post("/api/action-requests/approve", json={"proposals": reviewed})
    assert [each["status"] for each in answer.json["results"]] == ["EXECUTED", "EXECUTED"]
    rejected = phone.post("/api/action-requests/reject", json={"ids": [third["id"]], "reason": "Not ours"})
    assert [each["status"] for each in rejected.json["results"]] == ["REJECTED"]
    for path in ("/api/me", "/api/transactions", f"/api/action-requests/{first['id']}"):
        assert phone.get(path).status_code == 403
    assert phone.post(f"/api/transactions/{lines[0]}/confirm").status_code == 403
    step = ("POST", f"/action-requests/{third['id']}/reject", {"reason": "No"})
    assert phone.post("/api/plans", json={"title": "A plan", "steps": [step]}).status_code in {403, 422}


def test_no_key_approves_what_a_key_of_the_same_person_proposed(ada, key, line):
    request = waiting(ada.with_scopes("read", "propose"), f"/api/transactions/{line}/confirm")
    phone = key()
    refused = approve(phone, request)
    assert (refused.status_code, refused.json["code"]) == (403, "own_proposal")
    reviewed = [{"id": request["id"], "digest": request["digest"]}]
    several = phone.post("/api/action-requests/approve", json={"proposals": reviewed})
    assert [each["code"] for each in several.json["results"]] == ["own_proposal"]
    assert approved_in_browser(ada, request).status_code == 200


@pytest.mark.parametrize("act", ["void", "merge", "lock", "part of a plan", "closing entry"])
def test_no_key_approves_what_a_person_has_to_look_at(ada, ben, key, agent, bank, line, act):
    bank.ask(lambda: setattr(_membership(ben), "role", "owner"))
    one, other = bank.merchant("One"), bank.merchant("Other")
    merge = ("POST", f"/merchants/{one}/merge", {"mergedIntoId": other})
    legs = [("Travel", "5.00"), ("Petty cash", "-5.00")]
    postings = [{"accountId": bank.account(name), "amount": said} for name, said in legs]
    closing = {"effectiveAt": "2026-03-02", "description": "Year", "postings": postings, "post": True}
    entry_id = ada.post("/api/journal-entries", json=closing).json["entry"]["id"]
    steps = {
        "void": [("POST", f"/journal-entries/{entry_id}/void", {"reason": "Twice"})],
        "merge": [merge],
        "lock": [("PUT", "/lock-date", {"lockDate": "2026-01-31"})],
        "part of a plan": [("POST", f"/transactions/{line}/confirm"), merge],
        "closing entry": [
            ("POST", "/journal-entries", {**closing, "source": "closing", "effectiveAt": "2025-12-31"})
        ],
    }[act]
    request = proposed(agent, *steps)
    refused = approve(key(), request)
    assert (refused.status_code, refused.json["code"]) == (403, "sign_in_to_approve"), refused.json
    assert approved_in_browser(ada, request).status_code == 200


def test_its_caps_count_what_it_approves(ada, key, agent, bank):
    phone, lines = key(max_entries_a_day=1), bank.send_many([("2026-03-02", "-1.00", "A line")] * 3)
    first, second, third = (waiting(agent, f"/api/transactions/{each}/confirm") for each in lines)
    assert approve(phone, first).status_code == 200
    for request in (second, third):
        refused = approve(phone, request)
        assert (refused.status_code, refused.json["code"]) == (403, "cap_reached")
        assert "with this call it would be 2 or more. Sign in to approve it." in refused.json["error"]
    # It waits as it was, and the caps of the key are nobody else's.
    told = ada.get(f"/api/action-requests/{second['id']}").json["actionRequest"]
    assert (told["status"], told["blockers"], told["digest"]) == ("PENDING", [], second["digest"])
    assert approved_in_browser(ada, second).status_code == 200
    assert approve(phone, third).json["code"] == "cap_reached"


def test_it_may_no_more_than_its_owner_and_ends_with_the_permission(ada, ben, key, agent, bank, line):
    phone = key()
    request = waiting(agent, f"/api/transactions/{line}/confirm")
    bank.allow_approving(is_allowed=False)
    assert approve(phone, request).status_code == 403
    bank.allow_approving()
    of_owner = waiting(
        ada.with_scopes("read", "propose"), "/api/accounts", json={"name": "Tea", "type": "EXPENSE"}
    )
    assert approve(ben.with_scopes("approve"), of_owner).json["code"] == "forbidden"
    assert approve(phone, request).status_code == 200


def test_it_is_off_at_first_and_ends_after_90_days(ada, bank):
    with pytest.raises(ApprovingOffError):
        ada.with_scopes("approve")
    off = ada.browser().post("/settings/keys", data={"name": "Phone", "preset": "approve"})
    assert "an owner can allow it in the settings" in off.text
    form = {"name": "Lantern", "timeZone": "UTC", "locale": "en-GB", "hasApprovingKeys": "true"}
    assert ada.browser().post("/settings/organization", data=form).status_code == 303
    assert "Approve only" in ada.browser().get("/settings/keys").text
    phone = ada.with_scopes("approve")
    last = (datetime.now(UTC) + timedelta(days=90)).date()
    assert str(last) in bank.ask(lambda: str(_token(phone).expires_at - timedelta(microseconds=1)))
    fields = {"name": "Phone", "scopes": ["approve"], "expiresOn": str(last + timedelta(days=1))}
    longer = ada.browser().post(f"/settings/keys/{phone.token_id}", data=fields)
    assert f"ends on {last} at the latest" in longer.text
    assert bank.broken() == []


def approved_in_browser(person, request):
    return approve(person.browser(), request)


def _token(person):
    return db.session.get_one(ApiToken, (person.organization_id, person.token_id))


def _membership(person):
    return db.session.get_one(Membership, (person.organization_id, person.user_id))


def test_every_kind_of_act_says_whether_a_key_approves_it():
    """A new kind is one or the other by somebody's decision."""
    assert set(ACT_KINDS) - SIGNED_IN_KINDS == APPROVED_BY_KEYS
