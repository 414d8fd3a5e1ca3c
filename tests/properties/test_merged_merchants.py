"""Over random merges and separations, what merchants come to together stays, and each is what the forest makes it."""

from collections import Counter
from datetime import UTC, datetime
from random import Random

import pytest

from tests.fixtures.helpers.replays import everything

pytestmark = [pytest.mark.both, pytest.mark.usefixtures("sound")]

REPORT = "/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31"
STEPS = 25


class Forest:
    """Merchants as they were merged: each below the one that somebody chose, counting as the root."""

    def __init__(self, ids):
        self.above = dict.fromkeys(ids)

    def root(self, one):
        while self.above[one] is not None:
            one = self.above[one]
        return one

    def figures(self, own):
        """What each merchant that counts comes to, of what each has of its own."""
        found = Counter()
        for one, amount in own.items():
            found[self.root(one)] += amount
        return {one: amount for one, amount in found.items() if amount}


@pytest.fixture
def own(ada, books, bank):
    """What is posted to each of five merchants, in cents; no two sets of them come to the same."""
    books.post("account Bank ASSET\n")
    found = {bank.merchant(f"Shop {number}"): 3**number for number in range(1, 6)}
    for merchant, cents in found.items():
        legs = [
            {"accountId": books.account_id("Bank"), "amount": f"-{cents / 100:.2f}"},
            {
                "accountId": books.account_id("Rent"),
                "amount": f"{cents / 100:.2f}",
                "orgMerchantId": merchant,
            },
        ]
        body = {"effectiveAt": "2026-03-02T00:00:00Z", "postings": legs, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    return found


def shown(person):
    lines = person.get(f"{REPORT}&groupBy=merchant").json["profitAndLoss"]["lines"]
    return {
        part["id"]: round(float(part["amount"]) * 100)
        for line in lines
        for part in line["parts"]
        if part["id"]
    }


def act(person, chance, forest):
    one, other = chance.sample(sorted(forest.above), 2)
    if chance.random() < 0.4:
        assert person.post(f"/api/merchants/{one}/separate").status_code == 200
        forest.above[one] = None
        return
    answer = person.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": other})
    if forest.above[one] is None and forest.above[other] is None:
        assert answer.status_code == 200
        forest.above[one] = other
    else:
        assert answer.status_code == (200 if forest.root(one) == other else 409)


@pytest.mark.rare
def test_sums_follow_the_merges_and_separating_all_restores_them(ada, own, rounds):
    for number in range(rounds(1, 10)):
        chance, forest, before = Random(number), Forest(own), shown(ada)  # noqa: S311
        assert before == own
        for _ in range(STEPS):
            act(ada, chance, forest)
            assert shown(ada) == forest.figures(own)
            assert {each["id"] for each in everything(ada, "merchants", "merchants")} == {
                one for one, above in forest.above.items() if above is None
            }
            asked = chance.choice(sorted(own))
            amount = ada.get(f"{REPORT}&orgMerchantId={asked}").json["profitAndLoss"]["result"]["amount"]
            assert round(float(amount) * -100) == forest.figures(own)[forest.root(asked)]
        for one in sorted(own):
            ada.post(f"/api/merchants/{one}/separate")
        assert shown(ada) == before, datetime.now(UTC)
