"""Two locks: of all entries and of adjusting ones; and exceptions that let single people in."""

from datetime import UTC, datetime, timedelta

import pytest

MARCH = "2026-03-31"
YEAR_END = "2025-12-31"


def put(person, **locks):
    return person.put("/api/locks", json=locks)


def grant(person, user_id, hours=2, **facts):
    until = (datetime.now(UTC) + timedelta(hours=hours)).isoformat()
    body = {"userId": user_id, "from": "2026-03-05", "until": until, "note": "A late bill", **facts}
    return person.post("/api/lock-exceptions", json=body)


@pytest.fixture
def enter(books):
    """Post an entry of rent, as somebody, on a day."""

    def post(person, day, *, other="Petty cash", **facts):
        legs = [
            {"accountId": books.account_id("Rent"), "amount": "30.00", **facts.pop("tax", {})},
            {"accountId": books.account_id(other), "amount": "-30.00"},
        ]
        body = {"effectiveAt": day, "postings": legs, "post": True, **facts}
        return person.post("/api/journal-entries", json=body)

    return post


def test_locks_move_each_by_itself_and_back_by_a_person_with_a_note(ada, bank):
    assert put(ada, ALL=MARCH).status_code == 200
    assert put(ada, ADJUSTMENTS=YEAR_END).json["ADJUSTMENTS"] == YEAR_END
    assert ada.get("/api/locks").json == {"ALL": MARCH, "ADJUSTMENTS": YEAR_END}
    assert ada.get("/api/lock-date").json["lockDate"] == MARCH
    assert put(ada, ALL="2026-02-28").json["code"] == "reason_needed"
    for name in ("ALL", "ADJUSTMENTS"):
        assert put(ada, **{name: None}, note="Wrong").json["code"] == "person_needed"
        tomorrow = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
        assert put(ada, **{name: tomorrow}).json["code"] == "lock_ahead"
    again = put(ada, ALL=MARCH, ADJUSTMENTS=YEAR_END)
    assert again.json["changed"] is False
    opened = put(ada.browser(), ALL=None, ADJUSTMENTS=None, note="Begun anew")
    assert (opened.json["ALL"], opened.json["ADJUSTMENTS"]) == (None, None)
    assert bank.broken() == []


def test_an_exception_lets_one_person_in_by_hand_until_it_ends(ada, ben, bank, enter):
    bank.lock(MARCH)
    assert grant(ada, ben.user_id).json["code"] == "person_needed"
    made = grant(ada.browser(), ben.user_id).json["exception"]
    assert (made["user"], made["isActive"], made["journalEntryIds"]) == ("Ben", True, [])
    assert enter(ben, "2026-03-20").json["code"] == "period_locked"
    assert enter(ada.browser(), "2026-03-20").json["code"] == "period_locked"
    assert enter(ben.browser(), "2026-03-04").json["code"] == "period_locked"
    let_in = enter(ben.browser(), "2026-03-20")
    assert let_in.status_code == 201, let_in.json
    entry = let_in.json["entry"]["id"]
    (listed,) = ada.get("/api/lock-exceptions").json["exceptions"]
    assert (listed["journalEntryIds"], listed["grantedBy"]) == ([entry], "Ada")
    # A computed day never uses it: the reversal goes to the first open day, unless a person names another one.
    address = f"/api/journal-entries/{entry}/void"
    voided = ben.browser().post(address, json={"reason": "Twice", "effectiveAt": "2026-03-25"})
    assert voided.status_code == 200, voided.json
    other = enter(ben.browser(), "2026-03-21").json["entry"]["id"]
    ben.browser().post(f"/api/journal-entries/{other}/void", json={"reason": "Twice"})
    days = [each["effectiveAt"][:10] for each in ada.get("/api/journal-entries?source=void").json["entries"]]
    assert days == ["2026-04-01", "2026-03-25"]
    assert bank.broken() == []
    ended = ada.delete(f"/api/lock-exceptions/{made['id']}")
    assert (ended.status_code, ended.json["exception"]["isActive"]) == (200, False)
    assert ada.delete(f"/api/lock-exceptions/{made['id']}").json["code"] == "ended"
    assert enter(ben.browser(), "2026-03-22").json["code"] == "period_locked"


@pytest.mark.parametrize(
    ("hours", "facts", "field"),
    [(721, {}, "until"), (-1, {}, "until"), (2, {"note": "  "}, "note")],
)
def test_an_exception_has_an_end_within_thirty_days_and_a_note(ada, ben, hours, facts, field):
    answer = grant(ada.browser(), ben.user_id, hours, **facts)
    assert (answer.status_code, list(answer.json["fields"])) == (422, [field])


def test_adjusting_entries_pass_the_lock_until_their_own(ada, bank, enter):
    bank.account("Accruals", "LIABILITY")
    bank.lock("2026-01-31")
    facts = {"other": "Accruals", "isAdjusting": True}
    made = enter(ada, YEAR_END, **facts)
    assert made.status_code == 201, made.json
    assert enter(ada, "2025-12-30", **facts).json["code"] == "not_year_end"
    wrong = enter(ada, YEAR_END, other="Trade payables", isAdjusting=True)
    assert (wrong.json["code"], wrong.json["details"]["accounts"]) == (
        "adjusting_account",
        ["Trade payables"],
    )
    (listed,) = ada.get("/api/journal-entries").json["entries"]
    assert (listed["isAdjusting"], listed["effectiveAt"][:10]) == (True, YEAR_END)
    # Its void is of the same day, as long as the year can be adjusted.
    entry = made.json["entry"]["id"]
    ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
    kept = enter(ada, YEAR_END, **facts).json["entry"]["id"]
    assert put(ada, ADJUSTMENTS=YEAR_END).status_code == 200
    assert enter(ada, YEAR_END, **facts).json["code"] == "period_locked"
    assert ada.post(f"/api/journal-entries/{kept}/void", json={"reason": "Wrong"}).status_code == 200
    found = ada.get("/api/journal-entries?source=void").json["entries"]
    assert [(each["effectiveAt"][:10], each["isAdjusting"]) for each in found] == [
        ("2026-02-01", False),
        (YEAR_END, True),
    ]
    assert bank.broken() == []


def test_an_adjusting_entry_bears_no_tax_code(ada, bank, enter):
    assert ada.post("/api/tax/packs/generic-vat/install", json={"from": "2025-01-01"}).status_code == 201
    codes = ada.get("/api/tax/codes?limit=200").json["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "P20")
    bank.account("Accruals", "LIABILITY")
    facts = {"other": "Accruals", "isAdjusting": True, "tax": {"taxCodeId": code}}
    assert enter(ada, YEAR_END, **facts).json["code"] == "no_tax_here"


@pytest.mark.parametrize(
    ("scopes", "status"), [(("read", "admin", "propose"), 403), (("read", "propose"), 200)]
)
def test_a_dry_run_by_a_key_is_refused_where_its_call_is(ada, ben, scopes, status):
    key = ada.with_scopes(*scopes)
    until = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    body = {"userId": ben.user_id, "from": "2026-03-05", "until": until, "note": "A late bill"}
    assert key.post("/api/lock-exceptions?dryRun=true", json=body).status_code == status
    assert key.post("/api/lock-exceptions", json=body).status_code == (202 if status == 200 else status)
