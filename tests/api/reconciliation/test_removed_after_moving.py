"""A posted line that the bank moved past a statement, and then takes away."""

from tests.fixtures.feeds import line


def test_the_proof_before_its_day_breaks_with_the_books(ada, bank, feed):
    early, late = (
        each["transactionId"]
        for each in feed.results(added=[line("A1", "10.00", "2026-03-05"), line("A2", "40.00", "2026-03-04")])
    )
    for each in (early, late):
        ada.post(f"/api/transactions/{each}/confirm")
    feed.results(modified=[line("A2", "40.00", "2026-03-09")])
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-08", "statementBalance": "10.00"})
    ada.put(f"{path}/draft/lines", json={"cleared": [early]})
    assert ada.post(f"{path}/complete", json={}).status_code == 200

    def state():
        (found,) = ada.get("/api/reconciliations/accounts").json["accounts"]
        return found["anchor"]["holds"], bank.broken()

    assert state() == (True, [])
    feed.results(removed=["A2"])
    assert state() == (False, [])
    feed.results(added=[line("A2", "40.00", "2026-03-09")])
    assert state() == (True, [])
