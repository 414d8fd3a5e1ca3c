"""`tieout check` holds every posted entry against the lock that was in force when it was posted."""

from webapp.queries import checks


def write(ada, bank, day):
    body = {
        "effectiveAt": day,
        "postings": [
            {"accountId": bank.account(f"Fees {day}"), "amount": "1.00"},
            {"accountId": bank.account(f"Owed {day}", "LIABILITY"), "amount": "-1.00"},
        ],
        "post": True,
    }
    answer = ada.post("/api/journal-entries", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


def lock(ada, day):
    answer = ada.put("/api/lock-date", json={"lockDate": day, "reason": "Why not"})
    assert answer.status_code == 200, answer.json


def found(bank):
    return bank.ask(
        lambda: [(each.code, each.as_json().get("journalEntryId")) for each in checks.violations()]
    )


def test_what_was_posted_before_the_lock_or_while_it_was_open_is_sound(ada, bank):
    write(ada, bank, "2026-02-03")
    lock(ada, "2026-02-28")
    write(ada, bank, "2026-03-01")
    lock(ada, None)
    write(ada, bank, "2026-02-04")
    lock(ada, "2026-02-28")
    assert found(bank) == []


def test_what_was_posted_while_the_trail_says_closed_is_found(ada, bank):
    lock(ada, "2026-02-28")
    bank.lock(None)
    behind = write(ada, bank, "2026-02-28")
    write(ada, bank, "2026-03-01")
    assert found(bank) == [("posted_behind_lock", behind)]
