"""Whether proofs still hold, and by how much one that does not is off."""

from webapp.queries.reconciliation import hub


def prove_two(bank, desk):
    first, second = bank.send_many([("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out")])
    desk.confirm(first, second)
    october = desk.prove("2026-10-31", "60.00")
    desk.confirm(bank.send("2026-11-02", "5.00", "Interest"))
    return second, october, desk.prove("2026-11-20", "65.00")


def off_by(person, bank):
    broken = bank.ask(lambda: hub.account(person.organization_id, bank.fa_id)).broken
    return str(broken.cleared_now), str(broken.off_by)


def test_a_void_breaks_the_proof_that_has_the_line_and_every_later_one(ben, bank, desk):
    second, october, _ = prove_two(bank, desk)
    desk.void(desk.line(second)["journalEntryId"])
    assert desk.proof(october["id"])["holds"] is False
    assert off_by(ben, bank) == ("100.00", "-40.00")
    reopened = desk.reopen().json["account"]
    assert reopened["anchor"]["id"] == october["id"]
    assert off_by(ben, bank) == ("100.00", "-40.00")
    desk.confirm(second)
    assert desk.account()["anchor"]["holds"] is True
    assert desk.complete().status_code == 200
    assert desk.account()["status"] == "reconciled"
