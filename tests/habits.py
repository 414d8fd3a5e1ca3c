"""Confirmed lines of a few texts, for the tests of what is suggested from them."""

from itertools import count

COUNTER = count(1)


def decide(person, bank, account_id, *texts, amount="-5.00", **chosen):
    """Send lines of these counterparties and confirm them on an account; answers their ids."""
    ids = [send(bank, text, amount=amount) for text in texts]
    for transaction_id in ids:
        answer = person.patch(f"/api/transactions/{transaction_id}", json={"accountId": account_id, **chosen})
        assert answer.status_code == 200, answer.json
        confirm(person, transaction_id)
    return ids


def send(bank, counterparty, *, amount="-5.00", description="", **facts):
    """Send one line, each a day after the one before; answers its id."""
    day = next(COUNTER) % 28 + 1
    return bank.send(f"2026-03-{day:02}", amount, description, counterparty=counterparty, **facts)


def confirm(person, transaction_id):
    answer = person.post(f"/api/transactions/{transaction_id}/confirm", json={})
    assert answer.status_code == 200, answer.json


def suggested(person, **asked):
    answer = person.get("/api/automations/suggestions", query_string=asked)
    assert answer.status_code == 200, answer.json
    return answer.json["suggestions"]


def likely(person, transaction_id):
    answer = person.get(f"/api/transactions/{transaction_id}/suggestions")
    assert answer.status_code == 200, answer.json
    return answer.json["likelyAccount"]
