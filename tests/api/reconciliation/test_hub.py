"""The hub: every bank account at a glance, in a number of statements that does not grow."""

import pytest

from tests.fixtures.feeds import Feed, line


def hub(person, **asked):
    answer = person.get("/api/reconciliations/accounts", query_string=asked)
    assert answer.status_code == 200
    return answer.json


def furnish(bank, desk, name):
    """Give an account a broken proof, an open draft and a stated balance's worth of lines."""
    bank.open(name)
    first, second = bank.send_many([("2026-10-02", "10.00", "A"), ("2026-10-03", "20.00", "B")])
    desk.confirm(first, second)
    desk.prove("2026-10-31", "30.00")
    desk.void(desk.line(second)["journalEntryId"])
    third = bank.send("2026-11-03", "20.00", "C")
    desk.put("2026-11-20", "50.00")
    desk.clear(cleared=[third])


def test_the_hub_takes_as_many_statements_for_three_accounts_as_for_one(ben, bank, desk, statements):
    furnish(bank, desk, "Account 0")
    with statements() as one:
        hub(ben, providerBalanceAsOf="2026-10-15")
    for number in range(1, 3):
        furnish(bank, desk, f"Account {number}")
    with statements() as several:
        found = hub(ben, providerBalanceAsOf="2026-10-15")
    assert len(found["accounts"]) == 3
    assert {account["status"] for account in found["accounts"]} == {"needs"}
    assert {account["anchor"]["holds"] for account in found["accounts"]} == {False}
    assert len(several) == len(one)


def test_only_active_accounts_are_in_the_hub(ben, ada, bank):
    first = bank.open("First")
    second = bank.open("Second")
    ada.patch(f"/api/feeds/accounts/{first}", json={"isActive": False})
    assert [account["faId"] for account in hub(ben)["accounts"]] == [second]


def test_an_organization_without_accounts_has_an_empty_hub(dan):
    assert hub(dan)["accounts"] == []


def test_another_organizations_accounts_are_not_in_the_hub(dan, bank):
    bank.open("Of Ada")
    assert hub(dan)["accounts"] == []


@pytest.fixture
def watched(ben):
    """How many items stand open on a watched account, and its balance."""

    def of(name):
        found = {each["accountName"]: each for each in hub(ben)["watched"]}[name]
        return found["openItems"], found["balanceBase"]

    return of


def test_what_nobody_categorised_is_watched_until_it_is_corrected(ben, bank, desk, watched):
    assert watched("Uncategorised expenses") == (0, "0.00")
    first, second = bank.send_many([("2026-10-02", "-10.00", "A"), ("2026-10-03", "-20.00", "B")])
    assert watched("Uncategorised expenses") == (0, "0.00")
    desk.confirm(first, second)
    assert watched("Uncategorised expenses") == (2, "30.00")
    ben.patch(f"/api/transactions/{first}", json={"accountId": bank.account("Travel")})
    desk.confirm(first)
    assert watched("Uncategorised expenses") == (1, "20.00")
    desk.void(desk.line(second)["journalEntryId"])
    assert watched("Uncategorised expenses") == (0, "0.00")


def test_each_side_of_a_transfer_waits_for_its_link(ben, bank, desk, watched):
    transfers = bank.role("transfers")
    lines = bank.send_many([("2026-10-02", "-10.00", "To savings")])
    bank.open("Savings")
    lines += bank.send_many([("2026-10-02", "10.00", "From main")])
    for each in lines:
        ben.patch(f"/api/transactions/{each}", json={"accountId": transfers})
    desk.confirm(*lines)
    assert watched("Transfers between own accounts") == (2, "0.00")


def test_lines_that_wait_for_their_confirmation_are_counted(ben, bank, desk):
    first, _ = bank.send_many([("2026-10-02", "-10.00", "A"), ("2026-10-03", "-20.00", "B")])
    bank.send("2026-10-04", "-1.00", "Pending", status="PENDING")
    desk.confirm(first)
    (account,) = hub(ben)["accounts"]
    assert (account["unconfirmedCount"], account["unreconciledCount"]) == (1, 2)
    ben.patch(f"/api/transactions/{first}", json={"accountId": bank.account("Travel")})
    assert hub(ben)["accounts"][0]["unconfirmedCount"] == 2


def test_the_hub_names_a_broken_proof_before_the_last(ada, bank, desk):
    feed = Feed(ada, bank.open("Main account"))
    feed.push(added=[line("a", "10.00", "2026-09-02"), line("b", "20.00", "2026-10-03")])
    desk.confirm(*(each["id"] for each in feed.lines()))
    september = desk.prove("2026-09-30", "10.00")
    desk.prove("2026-10-31", "30.00")
    assert desk.account()["brokenProof"] is None
    feed.push(modified=[line("a", "10.00", "2026-09-05")])
    found = desk.account()
    assert (found["status"], found["anchor"]["holds"], found["draft"]) == ("needs", True, None)
    assert (found["unreconciledCount"], found["anchor"]["brokenBy"]) == (0, None)
    broken = found["brokenProof"]
    shown = {key: broken[key] for key in ("id", "statementDate", "statementBalance", "clearedNow", "offBy")}
    assert shown == {
        "id": september["id"],
        "statementDate": "2026-09-30",
        "statementBalance": "10.00",
        "clearedNow": "10.00",
        "offBy": "0.00",
    }
    assert broken["brokenBy"] == desk.proof(september["id"])["brokenBy"]
    assert [broken["brokenBy"][key] for key in ("field", "before", "after")] == [
        "bookedOn",
        "2026-09-02",
        "2026-09-05",
    ]
    assert hub(ada)["accounts"][0]["brokenProof"] == broken
    feed.push(modified=[line("a", "10.00", "2026-09-02")])
    assert (desk.account()["status"], desk.account()["brokenProof"]) == ("reconciled", None)
