"""What a lock date moves is said by the act that does it, and counted by the reports of the locked day."""

from io import BytesIO

import pytest

from tests.fixtures.helpers.documents import filed
from tests.fixtures.helpers.owed import items, owe, settle

LOCK, FIRST_OPEN = "2024-12-31", "2025-01-01"


@pytest.fixture
def sheet(ada):
    """Read what the reports of a day warn of."""

    def warnings(day=LOCK):
        found = {}
        for report in ("balance-sheet", "profit-and-loss"):
            answer = ada.get(f"/api/reports/{report}?from=2024-01-01&to={day}")
            body = next(iter(answer.json.values()))
            found[report] = [
                (each["code"], each["count"], each["sum"])
                for each in body["warnings"]
                if each["code"] == "cut_off"
            ]
        assert found["balance-sheet"] == found["profit-and-loss"]
        return found["balance-sheet"]

    return warnings


@pytest.fixture
def moved(ada):
    """List what a lock moved: the day that it is about, and the day of its entry."""

    def listed():
        entries = ada.get("/api/journal-entries?movedByLock=true").json["entries"]
        return [(each["bookedOn"], each["effectiveAt"][:10]) for each in entries]

    return listed


def code_of(answer):
    assert answer.status_code in (200, 201), answer.json
    return answer.json.get("warningCodes", [])


def confirmed(ada, bank, line, account="Rent"):
    ada.patch(f"/api/transactions/{line}", json={"accountId": bank.account(account)})
    return ada.post(f"/api/transactions/{line}/confirm")


def test_a_late_line_is_told_of_by_every_door(ada, bank, sheet, moved, desk):
    bank.open()
    bank.lock(LOCK)
    line = bank.send("2024-12-29", "-45.00", "Late")
    account = bank.account("Rent of us")
    ada.patch(f"/api/transactions/{line}", json={"accountId": account})
    address = f"/api/transactions/{line}/confirm"
    sentence = "45.00 EUR of 29 Dec 2024 goes into 2025: the day is locked."
    assert sentence in ada.post(f"{address}?dryRun=true").json["effect"]["warnings"]
    proposal = ada.with_scopes("read", "propose").post(address)
    assert (proposal.status_code, sentence in str(proposal.json)) == (202, True)
    (row,) = ada.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert (row["warnings"], row["warningCodes"]) == ([sentence], ["moved_by_lock"])

    assert sheet() == [("cut_off", 1, "-45.00")]
    assert sheet("2024-11-30") == []
    assert sheet("2025-01-31") == []
    assert moved() == [("2024-12-29", FIRST_OPEN)]
    page = ada.browser().get(f"/reports/balance-sheet?from=2024-01-01&to={LOCK}").text
    assert "in the books after it" in page
    assert "movedByLock=true" in page
    assert ada.browser().get("/journal?movedByLock=true").status_code == 200

    desk.put(LOCK, "-45.00")
    desk.clear(cleared=[line])
    answer = desk.complete()
    (warning,) = answer.json["warnings"]
    assert (warning["code"], warning["count"], warning["sum"]) == ("in_transit", 1, "-45.00")
    assert sheet() == [("cut_off", 1, "-45.00")]


@pytest.mark.parametrize("is_locked", [True, False])
def test_each_path_behind_a_lock_warns_and_none_in_an_open_period(ada, bank, books, sheet, moved, is_locked):
    bank.open()
    line = bank.send("2024-12-28", "-30.00", "Shop")
    confirmed(ada, bank, line)
    owe(ada, books, "120.00", bank.merchant("Halden"), day="2024-12-20")
    void = ada.post("/api/journal-entries", json={
        "effectiveAt": "2024-12-05", "post": True,
        "postings": [
            {"accountId": books.account_id("Petty cash"), "amount": "99.00"},
            {"accountId": books.account_id("Sales of services"), "amount": "-99.00"},
        ],
    }).json["entry"]["id"]  # fmt: skip
    if is_locked:
        bank.lock(LOCK)
    expected = ["moved_by_lock"] if is_locked else []
    rest = bank.account("Others")

    ada.patch(f"/api/transactions/{line}", json={"accountId": rest})
    assert code_of(ada.post(f"/api/transactions/{line}/confirm")) == expected
    assert code_of(ada.post(f"/api/journal-entries/{void}/void", json={"reason": "Wrong"})) == expected
    bill = filed(ada, documentType="BILL", sender="Mill", issuedOn="2024-12-27", total="80.00")
    body = {"accountId": rest, "post": True}
    assert code_of(ada.post(f"/api/documents/{bill['id']}/entry", json=body)) == expected
    # A payment of 31 December, with a discount of 20.00 that its settlement posts.
    (item,) = [each for each in items(ada) if each["amount"] == "120.00"]
    paid = bank.send("2024-12-31", "100.00", "Halden")
    short = {"amount": "20.00", "as": "DISCOUNT", "accountId": books.account_id("Other income")}
    answer = ada.patch(
        f"/api/transactions/{paid}", json={"settles": [{"itemId": item["id"]}], "short": short}
    )
    assert answer.status_code == 200, answer.json
    assert code_of(ada.post(f"/api/transactions/{paid}/confirm")) == expected
    # The correction, the void, the bill, the payment and its discount.
    if is_locked:
        days = [("2024-12-31", FIRST_OPEN), ("2024-12-27", FIRST_OPEN)]
        days += [("2024-12-05", FIRST_OPEN), ("2024-12-28", FIRST_OPEN)]
        assert moved() == days
        # The discount is about the latest of what its settlement joins, which a lock had moved already. The void takes
        # back a sale that no bank and no item has, so that it counts as the loss that it is.
        assert sheet() == [("cut_off", 5, f"{30 - 99 - 80 + 100 - 20}.00")]
    else:
        assert (moved(), sheet()) == ([], [])


def test_a_day_that_somebody_chose_is_in_the_cut_off_and_no_lock_moved_it(ada, bank, books, sheet, moved):
    entry = owe(ada, books, "60.00", day="2024-12-20")
    bank.lock(LOCK)
    body = {"reason": "Wrong", "effectiveAt": "2025-01-20"}
    assert code_of(ada.post(f"/api/journal-entries/{entry}/void", json=body)) == []
    assert (moved(), sheet()) == ([], [("cut_off", 1, "-60.00")])


def test_a_settlement_of_open_days_behind_a_lock_warns(ada, bank, books):
    party = bank.merchant("Halden")
    owe(ada, books, "120.00", party, day="2024-12-20", currency="EUR")
    owe(ada, books, "-120.00", party, day="2024-12-22")
    bank.lock(LOCK)
    settle(ada, *items(ada))
    # It posts nothing, so that no figure moves.
    assert ada.get("/api/journal-entries?movedByLock=true").json["entries"] == []


def test_an_import_into_a_locked_period_warns(ada, bank):
    bank.open()
    bank.lock(LOCK)
    table = b"Date;Text;Amount\n2024-12-29;Late;-45.00\n2025-01-03;Early;-5.00\n"
    mapping = (
        '{"delimiter": ";", "header": 0, "date": "Date", "dateFormat": "%Y-%m-%d", "amount": "Amount",'
        ' "description": "Text", "currency": "EUR"}'
    )
    form = {"file": (BytesIO(table), "a.csv"), "mapping": mapping, "faId": str(bank.fa_id)}
    answer = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    (warning,) = [each for each in answer.json["import"]["warnings"] if "locked" in each]
    assert "1 line over −45.00 EUR" in warning
    assert "1 Jan 2025" in warning
