"""A month of an account, as a model does it: from the bank's file to its proof, with one approval."""

import base64

import pytest

from tests.fixtures.helpers.planning import approve
from tests.mcp.clients import Model
from webapp.mcp.messages import MODERN

MOST_CALLS, MOST_TOKENS = 4, 4000
DAYS = [f"2026-10-{number:02}" for number in range(1, 21)]
SUMS = [f"-{number}.{number:02}" for number in range(1, 21)]


def statement() -> bytes:
    """Twenty-one lines of October."""
    rows = [*zip(DAYS, SUMS, ["Nimbus Hosting"] * 20, strict=True), ("2026-10-30", "800.00", "Client")]
    return "\n".join(["Date;Amount;Text", *(";".join(row) for row in rows)]).encode()


@pytest.fixture
def month(bank):
    rows = [*zip(DAYS, SUMS, ["Hosting"] * 20, strict=True), ("2026-10-30", "800.00", "Client")]
    return bank.send_many(rows)


def test_a_month_takes_four_calls_and_one_approval(ben, bank, month, figure, version):
    model = Model(ben.with_scopes("read", "draft", "propose"), version)
    bank.account("Server rent")
    there = model.call("get_context")
    assert [each["unconfirmed"] for each in there["accounts"]] == [len(month)]
    found = model.call("find_lines", account="Main account", state="uncategorised", limit=50)
    assert found["total"] == len(month)
    lines = [{"id": each["lineId"], "category": "Server rent", "why": "Its text"} for each in found["lines"]]
    done = model.call("categorise_lines", lines=lines, why="October")
    assert (done["status"], done["blockers"]) == ("EXECUTED", [])
    proposed = model.call(
        "reconcile",
        account="Main account",
        statementDate="2026-10-31",
        statementBalance="587.90",
        propose=True,
        why="The statement of October",
    )
    assert (proposed["status"], proposed["difference"], proposed["blockers"]) == ("PENDING", "0.00", [])
    assert model.calls == MOST_CALLS
    assert model.tokens <= MOST_TOKENS
    figure("MCP", f"a month of 21 lines in {version}: 4 calls, {model.tokens} tokens read, 1 approval")
    waiting = ben.get(f"/api/action-requests/{proposed['proposal']}").json["actionRequest"]
    assert waiting["note"] == "The statement of October"
    assert approve(ben, waiting).status_code == 200
    after = model.call("check_proposals", ids=[proposed["proposal"]])
    assert [each["state"] for each in after["proposals"]] == ["done"]
    proof = ben.get(f"/api/reconciliations?faId={bank.fa_id}").json["reconciliations"][0]
    assert (proof["statementBalance"], proof["holds"]) == ("587.90", True)


@pytest.mark.rare
def test_a_key_that_may_only_propose_needs_one_approval_as_well(ben, bank, month):
    model = Model(ben.with_scopes("read", "propose"))
    bank.account("Server rent")
    found = model.call("find_lines", account="Main account", state="uncategorised", limit=50)
    categories = [{"id": each["lineId"], "category": "Server rent"} for each in found["lines"]]
    statement = {"account": "Main account", "statementDate": "2026-10-31", "statementBalance": "587.90"}
    without = model.call("reconcile", **statement)
    assert (without["toCategoriseCount"], len(without["toCategorise"])) == (21, 21)
    assert "categories" in without["next"]
    proposed = model.call("reconcile", **statement, categories=categories, propose=True)
    assert (proposed["status"], proposed["toCategoriseCount"]) == ("PENDING", 0)
    waiting = ben.get(f"/api/action-requests/{proposed['proposal']}").json["actionRequest"]
    assert approve(ben, waiting).status_code == 200
    assert model.call("get_context")["accounts"][0]["provedTo"] == "2026-10-31"


@pytest.mark.rare
def test_the_whole_month_from_its_file_waits_for_nobody_where_the_key_may(ben, bank):
    """The same with a key that may do all of it, from a file."""
    model = Model(ben, MODERN)
    bank.open()
    bank.account("Server rent")
    content = base64.b64encode(statement()).decode()
    asked = {"content": content, "fileName": "october.csv", "account": "Main account"}
    preview = model.call("import_statement", **asked)
    assert (preview["status"], preview["accounts"][0]["new"], len(preview["lines"])) == ("PREVIEW", 21, 21)
    assert ben.get("/api/transactions").json["transactions"] == []
    done = model.call("import_statement", **asked, commit=True)
    assert (done["status"], done["accounts"][0]["new"]) == ("EXECUTED", 21)
    again = model.call("import_statement", **asked)
    assert (again["accounts"][0]["new"], again["accounts"][0]["known"]) == (0, 21)
    lines = [{"id": each["lineId"], "category": "Server rent"} for each in done["lines"]]
    model.call("categorise_lines", lines=lines)
    october = {"account": "Main account", "statementDate": "2026-10-31", "propose": True}
    wrong = model.call("reconcile", **october, statementBalance="587.91")
    assert (wrong["status"], wrong["difference"]) == ("PREVIEW", "0.01")
    assert "Nothing was proposed" in wrong["next"]
    # A person has opened the statement meanwhile.
    opened = {"statementDate": "2026-10-31", "statementBalance": "587.90"}
    desk = f"/api/reconciliations/accounts/{bank.fa_id}"
    assert ben.put(f"{desk}/draft", json=opened).status_code == 200
    right = model.call("reconcile", **october, statementBalance="587.90")
    assert (right["status"], right["next"]) == ("EXECUTED", "It is proved.")
    assert model.call("get_context")["accounts"][0]["provedTo"] == "2026-10-31"


def test_what_is_uncategorised_or_pending_is_named_before_anything_is_proposed(ben, bank):
    model = Model(ben)
    bank.send("2026-10-02", "-10.00", "Nobody knows")
    bank.send("2026-10-03", "-5.00", "Still under way", status="PENDING")
    found = model.call("reconcile", account=bank.fa_id, statementDate="2026-10-31", statementBalance="-10.00")
    assert [each["text"] for each in found["toCategorise"]] == ["Nobody knows"]
    assert (found["toCategoriseCount"], found["toConfirmCount"]) == (1, 0)
    assert [each["text"] for each in found["pending"]] == ["Still under way"]
    assert "with categories" in found["next"]


def test_lines_without_category_are_named_as_left_out_of_the_difference(ben, bank):
    """The difference was that of the plan alone, so that a balance which is right seemed wrong."""
    model = Model(ben)
    food = bank.account("Food")
    ready, *others = bank.send_many(
        [("2026-10-02", "-10.00", "Known"), ("2026-10-03", "-20.00", "Open"), ("2026-10-04", "-7.50", "Open")]
    )
    assert ben.patch(f"/api/transactions/{ready}", json={"accountId": food}).status_code == 200
    october = {"account": bank.fa_id, "statementDate": "2026-10-31", "statementBalance": "-37.50"}
    without = model.call("reconcile", **october, propose=True)
    assert (without["status"], without["difference"]) == ("PREVIEW", "-27.50")
    assert without["leftOut"] == {"count": 2, "sum": "-27.50", "differenceWithThem": "0.00"}
    assert "2 lines, together -27.50. With them it would be 0.00." in without["next"]
    assert "Nothing was proposed." in without["next"]
    assert "with categories" in without["next"]
    some = model.call("reconcile", **october, categories=[{"id": others[0], "category": "Food"}])
    assert some["leftOut"] == {"count": 1, "sum": "-7.50", "differenceWithThem": "0.00"}
    every = model.call(
        "reconcile", **october, categories=[{"id": each, "category": "Food"} for each in others]
    )
    assert (every["leftOut"], every["difference"], every["blockers"]) == (None, "0.00", [])


def test_a_plan_that_ties_out_without_some_lines_says_which_it_leaves_out(ben, bank):
    model = Model(ben)
    food = bank.account("Food")
    ready, *_ = bank.send_many(
        [("2026-10-02", "-10.00", "Known"), ("2026-10-03", "-20.00", "Out"), ("2026-10-04", "20.00", "Back")]
    )
    assert ben.patch(f"/api/transactions/{ready}", json={"accountId": food}).status_code == 200
    october = {"account": bank.fa_id, "statementDate": "2026-10-31", "statementBalance": "-10.00"}
    done = model.call("reconcile", **october, propose=True)
    assert (done["status"], done["leftOut"]["count"], done["leftOut"]["sum"]) == ("EXECUTED", 2, "0.00")
    assert done["next"].startswith("It is proved. Left out of the plan")


def test_each_category_has_its_reason_which_whoever_approves_reads(ben, bank):
    model = Model(ben.with_scopes("read", "propose"))
    bank.account("Food")
    first, second = bank.send_many([("2026-10-02", "-10.00", "Tea"), ("2026-10-03", "-20.00", "Cake")])
    categories = [
        {"id": first, "category": "Food", "why": "3 of 3 before"},
        {"id": second, "category": "Food", "why": "Its text"},
    ]
    proposed = model.call(
        "reconcile",
        account=bank.fa_id,
        statementDate="2026-10-31",
        statementBalance="-30.00",
        categories=categories,
        propose=True,
        why="The statement of October",
    )
    waiting = ben.get(f"/api/action-requests/{proposed['proposal']}").json["actionRequest"]
    assert waiting["note"] == f"The statement of October\n{first}: 3 of 3 before\n{second}: Its text"


def test_a_cards_balance_with_the_wrong_sign_is_named_as_what_may_be_wrong(ben, bank):
    model = Model(ben.with_scopes("read", "propose"))
    card = bank.open("Card", type_="LIABILITY")
    bank.account("Food")
    line = bank.at(card).send("2026-10-02", "-84.55", "Dinner")
    asked = {
        "account": "Card",
        "statementDate": "2026-10-31",
        "categories": [{"id": line, "category": "Food"}],
    }
    wrong = model.call("reconcile", **asked, statementBalance="84.55", propose=True)
    assert (wrong["status"], wrong["difference"]) == ("PREVIEW", "169.10")
    (sign,) = wrong["warnings"]
    assert sign.endswith("If its sign is wrong, send -84.55 as statementBalance.")
    assert model.call("reconcile", **asked, statementBalance="-84.55", propose=True)["status"] == "PENDING"


def test_days_that_the_bank_left_out_are_named_beside_the_statement(ben, bank):
    """The tool read them under other names, and fell over each account with a gap."""
    model = Model(ben)
    bank.open()
    for month, day in (("08", "09"), ("08", "10"), ("10", "03")):
        content = base64.b64encode(f"Date;Amount;Text\n2026-{month}-{day};-5.00;Tea\n".encode()).decode()
        asked = {
            "content": content,
            "fileName": f"{month}{day}.csv",
            "account": "Main account",
            "commit": True,
        }
        mapping = {"dateFormat": "%Y-%m-%d", "invert": False}
        assert model.call("import_statement", **asked, mapping=mapping)["status"] == "EXECUTED"
    october = {"account": "Main account", "statementDate": "2026-10-31", "statementBalance": "-15.00"}
    assert sorted(model.call("reconcile", **october)["missing"]) == [
        "2026-08-11 to 2026-08-31",
        "2026-09-01 to 2026-09-30",
        "2026-10-01 to 2026-10-02",
    ]
