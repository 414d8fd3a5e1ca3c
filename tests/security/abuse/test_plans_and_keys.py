"""Plans that lean on what is refused or not theirs, and keys that ask for more than they have."""

import pytest

from tests.fixtures.helpers.planning import approve, proposed, ref, send
from webapp.ledger.scopes import ScopeNotHeldError


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


def dependent(victim):
    """Plans with a step that the books or the interface refuse, and a later one that would do harm without it."""
    confirm = ("POST", f"/transactions/{victim.line}/confirm")
    made = ("POST", "/merchants", {"name": "Mallory"})
    edit = f"/transactions/{victim.line}"
    return {
        "a refused step": [("POST", f"/journal-entries/{victim.entry}/post"), confirm],
        "a step on a posted line": [("DELETE", f"/transactions/{victim.posted}"), confirm],
        "a failed item of a bulk step": [("POST", "/transactions/confirm", {"ids": [999999]}), confirm],
        "a refused step at the end": [confirm, ("DELETE", f"/transactions/{victim.posted}")],
        "a reference to a later step": [("PATCH", edit, {"orgMerchantId": ref("2#/merchant/id")}), made],
        "a reference to itself": [("PATCH", edit, {"orgMerchantId": ref("1#/merchant/id")})],
        "a reference to nothing": [made, ("PATCH", edit, {"orgMerchantId": ref("1#/nobody/id")})],
        "a reference to what is no scalar": [made, ("PATCH", edit, {"orgMerchantId": ref("1#/merchant")})],
        "a reference of another kind": [made, ("PATCH", edit, {"accountId": ref("1#/merchant/name")})],
        "a path made of a text": [
            ("POST", "/merchants", {"name": f"{victim.line}/confirm"}),
            ("POST", "/transactions/{1#/merchant/name}"),
        ],
        "an approval": [confirm, ("POST", "/action-requests/approve", {"proposals": []})],
        "an undo": [confirm, ("POST", "/action-requests/undo", {"tokenId": 1})],
        "a plan": [confirm, ("POST", "/plans", {"title": "x", "steps": []})],
        "a dry run that hides": [("POST", f"/transactions/{victim.line}/confirm?dryRun=true"), confirm],
        "a page": [confirm, ("POST", "/../settings/keys", {"name": "Mallory"})],
        "a file": [confirm, ("POST", "/feeds/imports", {})],
    }


def test_plans_upon_what_is_refused(victim, agent, cases):
    """Neither the plan nor any step of it is done or waits."""
    told = cases("plans upon what is refused")
    for name, steps in dependent(victim).items():
        answer = told.attempt(send(agent, *steps), 409, 422)
        assert "step" in answer.json["details"], name
    assert agent.get("/api/action-requests?status=PENDING").json["actionRequests"] == []
    told.end()


def test_plans_upon_what_another_plan_would_make(victim, ada, ben, agent, cases):
    """What waits is in no books: nobody can name it, and `new-1` is a word of one plan."""
    other = ada.with_scopes("read", "propose")
    theirs = proposed(
        agent, ("POST", "/merchants", {"name": "Mallory"}), ("POST", "/projects", {"name": "Fraud"})
    )
    edit = f"/transactions/{victim.line}"
    told = cases("plans upon what another plan would make")
    # The first merchant is Acme, whom the victim knows.
    for made in (2, 3, 999999):
        told.attempt(send(other, ("PATCH", edit, {"orgMerchantId": made})), 404, 409, 422)
        told.attempt(send(other, ("PATCH", edit, {"projectId": made})), 404, 409, 422)
    for word in ("new-1", f"{theirs['id']}#/merchant/id"):
        told.attempt(send(other, ("PATCH", edit, {"orgMerchantId": word})), 422)
        told.attempt(send(other, ("PATCH", edit, {"orgMerchantId": ref(word)})), 422)
    told.attempt(send(other, ("POST", "/projects", {"name": "x"}), replaces=theirs["id"]), 422)
    told.attempt(send(other, ("PATCH", f"/projects/{{{theirs['id']}#/project/id}}", {"name": "x"})), 422)
    told.end()
    assert [each["id"] for each in ben.get("/api/action-requests?status=PENDING").json["actionRequests"]] == [
        theirs["id"]
    ]


def test_plans_whose_ground_another_plan_takes_away(victim, ada, agent, cases):
    """Two plans on the same lines: approving one moves the other, which is done no more as it was shown."""
    other = ada.with_scopes("read", "propose")
    account = victim.account
    mine = proposed(
        agent,
        ("PATCH", f"/transactions/{victim.line}", {"accountId": account}),
        ("POST", f"/transactions/{victim.line}/confirm"),
    )
    theirs = proposed(
        other,
        ("POST", f"/transactions/{victim.line}/confirm"),
        ("POST", f"/transactions/{victim.other_line}/confirm"),
    )
    assert approve(ada, mine).status_code == 200
    told = cases("plans whose ground is taken away")
    answer = told.attempt(approve(ada, theirs), 409)
    assert answer.json["code"] in ("moved", "blocked", "posted"), answer.json
    told.attempt(approve(ada, theirs), 409)
    told.end()
    assert victim.get(f"/transactions/{victim.other_line}")["transaction"]["entryStatus"] == "DRAFT"


WRITES = [
    ("confirm", "POST", "/transactions/{line}/confirm", None),
    ("confirm", "POST", "/journal-entries/{entry}/void", {"reason": "x"}),
    ("reconcile", "POST", "/reconciliations/accounts/{fa_id}/reopen", {"reason": "x"}),
    ("admin", "PUT", "/lock-date", {"lockDate": "2026-11-20", "moveDrafts": True}),
    ("admin", "PATCH", "/accounts/{account}", {"name": "Mallory"}),
    ("admin", "POST", "/feeds/accounts", {"name": "Mallory", "currency": "EUR"}),
]


@pytest.mark.parametrize("scopes", [("read",), ("read", "draft")], ids="+".join)
def test_keys_without_the_scope(victim, ben, cases, scopes):
    key = ben.with_scopes(*scopes)
    told = cases(f"keys with {' and '.join(scopes)} alone")
    for _, method, path, body in WRITES:
        place = f"/api{path.format(**vars(victim))}"
        asked = {} if body is None else {"json": body}
        told.attempt(key.ask(method, place, **asked), 403)
        told.attempt(key.ask(method, f"{place}?dryRun=true", **asked), 403)
        told.attempt(send(key, (method, path.format(**vars(victim)), *([] if body is None else [body]))), 403)
    told.end()


def test_no_key_is_broader_than_its_owner(victim, cleo, ben, cases):
    """Cleo may only look, and Ben has no admin: neither makes a key that may more, nor proposes beyond the role."""
    for person, scope in ((cleo, "draft"), (cleo, "confirm"), (ben, "admin")):
        with pytest.raises(ScopeNotHeldError):
            person.with_scopes("read", scope)
    weak = cleo.with_scopes("read")
    bookkeeper = ben.with_scopes("read", "propose")
    told = cases("keys that propose beyond their owner's role")
    for scope, method, path, body in WRITES:
        asked = {} if body is None else {"json": body}
        place = f"/api{path.format(**vars(victim))}"
        told.attempt(weak.ask(method, place, **asked), 403)
        if scope == "admin":
            told.attempt(bookkeeper.ask(method, place, **asked), 403)
    told.end()


def test_a_cap_holds_whatever_way_is_taken(victim, ben, cases):
    """A key that may confirm nothing today: alone, in bulk, at once, in a plan, and by dry runs in between."""
    key = ben.with_scopes("read", "draft", "confirm", max_entries_a_day=0)
    legs = [
        {"accountId": victim.account, "amount": "5.00"},
        {"accountId": victim.other_account, "amount": "-5.00"},
    ]
    told = cases("ways around a cap")
    confirm = f"/transactions/{victim.line}/confirm"
    told.attempt(key.post(f"/api{confirm}"), 403)
    told.attempt(
        key.post("/api/journal-entries", json={"effectiveAt": "2026-11-02", "postings": legs, "post": True}),
        403,
    )
    told.attempt(send(key, ("POST", confirm)), 403)
    told.attempt(key.post(f"/api{confirm}?view=summary"), 403)
    told.attempt(key.post(f"/api{confirm}", headers={"Idempotency-Key": "k"}), 403)
    bulk = told.attempt(
        key.post("/api/transactions/confirm", json={"ids": [victim.line, victim.other_line]}), 403
    )
    assert bulk.json["code"] == "cap_reached"
    told.end()


def test_what_no_key_may_whatever_its_scopes(victim, ada, agent, cases):
    """A key with every scope of an owner approves nothing, undoes nothing, makes no key and no member."""
    key = ada.with_scopes("read", "draft", "confirm", "reconcile", "admin", "propose")
    request = agent.post(f"/api/transactions/{victim.line}/confirm").json["actionRequest"]
    path, decision = f"/api/action-requests/{request['id']}", {"digest": request["digest"]}
    told = cases("what no key may")
    told.attempt(key.post(f"{path}/approve", json=decision), 403)
    told.attempt(key.post(f"{path}/approve", json=decision, headers={"If-Match": "*"}), 403)
    told.attempt(key.post(f"{path}/reject", json={"reason": "x"}), 403)
    told.attempt(
        key.post("/api/action-requests/approve", json={"proposals": [{"id": request["id"], **decision}]}), 403
    )
    told.attempt(
        key.post("/api/action-requests/undo", json={"tokenId": 1, "since": "2026-01-01T00:00:00Z"}), 403
    )
    told.attempt(key.post("/api/action-requests/undo/preview", json={"tokenId": 1}), 403)
    for place in (
        "/settings/keys",
        "/settings/members",
        "/books/choose",
        f"/proposals/{request['id']}/approve",
    ):
        told.attempt(key.post(place, data={"name": "Mallory"}), 303, 401, 403)
    told.end()
