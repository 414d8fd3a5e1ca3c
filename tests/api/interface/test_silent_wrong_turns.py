"""What would go wrong in silence is said: days that run backwards, a new account, a mistaken id, a wrong sign."""

import io

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import proposed

DRAFT = "/api/reconciliations/accounts/{}/draft"


def upload(person, **form):
    file = io.BytesIO(b"Date;Amount;Currency;Text\n2026-03-13;-5.00;EUR;Tea\n2026-03-14;-6.00;EUR;Cake\n")
    data = {"file": (file, "march.csv"), **form}
    return person.post("/api/feeds/imports", data=data, content_type="multipart/form-data").json["import"]


@on_sqlite
@pytest.mark.parametrize(
    "path", ["transactions", "journal-entries", "documents", "reconciliations", "reports/trial-balance"]
)
def test_days_that_run_backwards_are_refused(ada, path):
    refused = ada.get(f"/api/{path}?from=2026-10-02&to=2026-10-01")
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["to"])
    assert "Send the earlier day as from" in refused.json["error"]
    assert ada.get(f"/api/{path}?from=2026-10-01&to=2026-10-01").status_code == 200


def test_a_file_that_names_no_account_says_that_it_opens_one(ada, bank):
    giro = bank.open("Giro")
    (warning,) = upload(ada, dryRun="true")["warnings"]
    assert warning.startswith("The file names no account, so its lines open a new one: Account in EUR.")
    assert f"Giro (faId {giro})" in warning
    assert upload(ada, faId=str(giro))["warnings"] == []
    assert warning in upload(ada)["warnings"]


@on_sqlite
def test_the_first_account_of_all_opens_without_a_warning(ada):
    assert upload(ada)["warnings"] == []


@on_sqlite
def test_the_id_of_a_ledger_account_sent_as_fa_id_is_told_which_is_meant(ada, dan, bank):
    fa_id = bank.open("Main account")
    account_id = bank.ledger_account(fa_id)
    assert account_id != fa_id
    refused = ada.get(f"/api/feeds/accounts/{account_id}")
    assert refused.status_code == 404
    assert refused.json["error"].endswith(f"ledger account of “Main account”: send its faId, {fa_id}.")
    unknown = ada.get("/api/feeds/accounts/987654321").json
    assert "GET /api/feeds/accounts lists those there are." in unknown["error"]
    assert dan.get(f"/api/feeds/accounts/{account_id}").json == unknown
    assert dan.get("/api/feeds/accounts/0").json == unknown == dan.get("/api/feeds/accounts/none").json


@pytest.fixture
def card(bank):
    return bank.open("Card", type_="LIABILITY")


def warnings(person, fa_id, balance):
    answer = person.put(
        DRAFT.format(fa_id), json={"statementDate": "2026-03-31", "statementBalance": balance}
    )
    assert answer.status_code == 200, answer.json
    person.post(f"/api/reconciliations/accounts/{fa_id}/abandon")
    return [each["message"] for each in answer.json["warnings"]]


def test_a_cards_debt_without_a_minus_is_doubted(ada, card):
    (message,) = warnings(ada, card, "684.55")
    assert message.endswith(
        "What you owe is negative. If its sign is wrong, send -684.55 as statementBalance."
    )
    assert warnings(ada, card, "-684.55") == warnings(ada, card, "0.00") == []


@on_sqlite
def test_the_banks_own_figure_decides_what_is_unlikely(ada, bank, card):
    def push(fa_id, balance):
        stated = {"amount": balance, "currency": "EUR", "asOf": "2026-03-31T12:00:00Z"}
        body = {"batchId": f"one of {fa_id}", "added": [], "balance": stated}
        answer = ada.post(f"/api/feeds/accounts/{fa_id}/transactions", json=body)
        assert answer.status_code == 200, answer.json

    push(card, "20.00")
    assert warnings(ada, card, "20.00") == []
    giro = bank.open("Giro")
    push(giro, "-310.00")
    (message,) = warnings(ada, giro, "310.00")
    assert message.startswith("The bank's balance on 31 Mar 2026 is -310.00, and this is 310.00.")
    assert warnings(ada, giro, "12.00") == []


@on_sqlite
@pytest.mark.parametrize("path", ["transaction/1", "v1/transactions", "whoami", "something/entirely/else"])
def test_an_address_that_is_not_there_names_the_documentation(ada, path):
    refused = ada.get(f"/api/{path}")
    assert refused.status_code == 404
    assert refused.json == {
        "error": "There is no such address. GET /api/docs.md lists every address.",
        "code": "not_found",
    }


@on_sqlite
def test_a_refused_method_names_those_that_the_address_takes(ada):
    refused = ada.put("/api/transactions/1", json={})
    assert refused.status_code == 405
    assert refused.json["details"] == {"allowed": ["DELETE", "GET", "PATCH"]}
    assert "takes DELETE, GET and PATCH, not PUT" in refused.json["error"]
    assert refused.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


def owed(balance):
    return {"statementDate": "2026-03-31", "statementBalance": balance}


def test_what_only_waits_warns_before_it_is_approved(ada, card):
    """Whoever proposes gets no answer yet, and whoever approves saw no more than the title."""
    agent = ada.with_scopes("read", "propose")
    sign = "What you owe is negative. If its sign is wrong, send -684.55 as statementBalance."
    waiting = agent.put(DRAFT.format(card), json=owed("684.55")).json["actionRequest"]
    (sentence,) = waiting["effect"]["warnings"]
    assert sentence.endswith(sign)
    assert sentence in ada.browser().get(f"/proposals?id={waiting['id']}").text
    for person, query in ((agent, "view=summary"), (ada, "view=summary&dryRun=true"), (ada, "view=summary")):
        answer = person.put(f"{DRAFT.format(card)}?{query}", json=owed("684.55")).json
        summary = answer.get("summary") or answer["actionRequest"]
        assert (summary["warnings"], summary["counts"]["warnings"]) == ([sentence], 1)


def test_a_file_that_would_open_an_account_says_so_before_it_is_approved(ada, bank):
    bank.open("Giro")
    file = io.BytesIO(b"Date;Amount;Currency;Text\n2026-03-13;-5.00;EUR;Tea\n2026-03-14;-6.00;EUR;Cake\n")
    answer = ada.with_scopes("read", "propose").post(
        "/api/feeds/imports", data={"file": (file, "march.csv")}, content_type="multipart/form-data"
    )
    assert answer.status_code == 202
    (sentence,) = answer.json["actionRequest"]["effect"]["warnings"]
    assert sentence.startswith("The file names no account, so its lines open a new one")


def test_a_plan_warns_of_its_steps(ada, card):
    agent = ada.with_scopes("read", "propose")
    path = DRAFT.format(card).removeprefix("/api")
    effect = proposed(agent, ("POST", "/merchants", {"name": "A"}), ("PUT", path, owed("684.55")))["effect"]
    assert [each["warnings"] for each in effect["steps"]] == [[], effect["warnings"]]
    assert len(effect["warnings"]) == 1


def test_a_warning_is_no_part_of_what_is_approved(ada, bank, card):
    """What the bank states meanwhile changes the sentence, and nothing of what the proposal does."""
    agent = ada.with_scopes("read", "propose")
    before = agent.put(DRAFT.format(card), json=owed("684.55")).json["actionRequest"]
    stated = {"amount": "684.55", "currency": "EUR", "asOf": "2026-03-31T12:00:00Z"}
    body = {"batchId": "one", "added": [], "balance": stated}
    assert ada.post(f"/api/feeds/accounts/{card}/transactions", json=body).status_code == 200
    after = agent.put(DRAFT.format(card), json=owed("684.55")).json["actionRequest"]
    assert (after["id"], after["digest"]) == (before["id"], before["digest"])
    assert (len(before["effect"]["warnings"]), after["effect"]["warnings"]) == (1, [])
