"""Pages of closes: proofs of balances, what closes ask for, owners and the appropriation of a year."""

from tests.fixtures.helpers.marks import on_sqlite


def sent(page, address, status=303, **form):
    answer = page.post(address, data=form)
    assert answer.status_code == status, answer.text
    return answer


def rows(person, address, name):
    answer = person.get(address)
    assert answer.status_code == 200, answer.json
    return answer.json[name]


@on_sqlite
def test_a_balance_is_explained_attested_and_taken_back_on_its_page(ada, books):
    books.post("""
    2026-03-02 Start
        Petty cash   900.00 EUR
        Owner's contributions

    2026-03-30 On its way
        Transfers between own accounts   340.00 EUR
        Petty cash
    """)
    page, address = ada.browser(), "/month-end/2026-03/balances"

    def states():
        found = rows(ada, "/api/balance-proofs?asOf=2026-03-31", "balanceProofs")["accounts"]
        return {each["accountName"]: each["state"] for each in found}

    def step():
        steps = rows(ada, "/api/closes/2026-03", "close")["steps"]
        return next(
            (each["state"], each["count"], each["amount"]) for each in steps if each["code"] == "balances"
        )

    assert step() == ("TO_DO", 2, "900.00")
    assert "Balances of 31" in page.get(address).text
    why = {"kind": "TIMING", "text": "Came in April", "owner": "Ben", "reversesBy": "2026-04-20"}
    cash, moving = (books.account_id(each) for each in ("Petty cash", "Transfers between own accounts"))
    sent(page, f"{address}/notes", 422, accountId=moving, amount="340.00", **{**why, "owner": ""})
    sent(page, f"{address}/notes", accountId=moving, amount="340.00", **why)
    assert (states()["Transfers between own accounts"], step()[:2]) == ("NEEDS_APPROVER", ("TO_DO", 2))
    sent(page, "/settings/month-end/materiality", materiality="400.00")
    assert (states()["Transfers between own accounts"], step()) == ("EXPLAINED", ("TO_DO", 1, "560.00"))
    count = ada.post("/api/documents", json={"documentType": "OTHER", "number": "Cash count"}).json[
        "document"
    ]
    attested = {"kind": "ATTESTED", "amount": "560.00", "text": "Counted", "documentId": count["id"]}
    sent(page, f"{address}/notes", accountId=cash, **attested)
    assert (states()["Petty cash"], step()[:2]) == ("PROVED", ("DONE", 0))
    assert "Counted" in page.get(address).text
    found = rows(ada, "/api/balance-proofs?asOf=2026-03-31", "balanceProofs")["accounts"]
    (note,) = next(each["notes"] for each in found if each["accountId"] == moving)
    sent(page, f"{address}/notes/{note['id']}/withdraw")
    assert states()["Transfers between own accounts"] == "OPEN"


@on_sqlite
def test_an_owner_says_on_a_page_what_closes_ask_for(ada, ben, bank):
    page, address = ada.browser(), "/settings/month-end"
    rent = bank.account("Rent of us")
    sent(
        page,
        f"{address}/policy",
        needsTwo="true",
        expensesFrom="100.00",
        exemptAccountIds=[rent],
        fluxPercent="10",
    )
    policy = ada.get("/api/close-steps/policy").json
    assert (policy["needsTwo"], policy["expensesFrom"], policy["exemptAccountIds"]) == (
        True,
        "100.00",
        [rent],
    )
    assert (policy["fluxAmount"], policy["fluxPercent"]) == (None, 10)
    sent(page, f"{address}/policy", 422, fluxPercent="much")
    sent(page, f"{address}/steps", name="Count the cash", ownerId=ben.user_id, dueAfter="3", every="QUARTER")
    (step,) = rows(ada, "/api/close-steps", "closeSteps")
    assert (step["name"], step["ownerId"], step["dueAfter"], step["every"]) == (
        "Count the cash", ben.user_id, 3, "QUARTER",
    )  # fmt: skip
    sent(page, f"{address}/steps/{step['id']}", name="Count it", every="MONTH", isArchived="true")
    (step,) = rows(ada, "/api/close-steps", "closeSteps")
    assert (step["name"], step["ownerId"], step["isArchived"]) == ("Count it", None, True)
    sent(page, f"{address}/steps", 422, name="")
    assert "Count it" in page.get(address).text
    assert ben.browser().post(f"{address}/steps", data={"name": "No"}).status_code == 403


@on_sqlite
def test_a_result_is_put_to_owners_on_their_page_and_taken_back(ada, books, bank):
    bank.account("Takings", "INCOME")
    books.post("""
    2025-06-01 A sale
        Petty cash   300.00 EUR
        Takings
    """)
    page = ada.browser()
    capital = [bank.account(f"Capital of {name}", "EQUITY") for name in ("Ada", "Ben")]
    for name, account, share in zip(("Ada", "Ben"), capital, ("1", "2"), strict=True):
        sent(page, "/owners", name=name, capitalAccountId=account, drawingsAccountId="", share=share)
    sent(page, "/owners", 422, name="Eve", capitalAccountId=books.account_id("Rent"), share="1")
    owners = rows(ada, "/api/owners", "owners")
    ben = owners[1]["id"]
    sent(page, f"/owners/{ben}", name="Ben", capitalAccountId=capital[1], drawingsAccountId="", share="")
    sent(page, f"/owners/{ben}", name="Ben", capitalAccountId=capital[1], share="3", **{"from": "2026-01-01"})
    assert [each["share"] for each in rows(ada, "/api/owners", "owners")[1]["shares"]] == ["2", "3"]
    first = {
        "first.0.ownerId": owners[0]["id"],
        "first.0.amount": "60.00",
        "first.1.ownerId": ben,
        "first.1.amount": "",
    }
    none = {"fixed.0.accountId": "", "fixed.0.amount": "", "fixed.0.orgMerchantId": "", "decidedOn": ""}
    sent(page, "/owners/appropriation", year="2025", keep="60.00", post="true", **first, **none)
    found = rows(ada, "/api/appropriations?year=2025", "appropriation")
    (entry,) = found["journalEntryIds"]
    legs = {
        each["accountId"]: each["amount"]
        for each in ada.get(f"/api/journal-entries/{entry}").json["entry"]["postings"]
    }
    assert [legs[each] for each in capital] == ["-120.00", "-120.00"]
    assert found["notYetAppropriated"] == "60.00"
    assert f"/journal/{entry}" in page.get("/owners?year=2025").text
    ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Decided anew"})
    assert rows(ada, "/api/appropriations?year=2025", "appropriation")["journalEntryIds"] == []
    sent(page, "/owners/appropriation", 422, year="2025", keep="much")
