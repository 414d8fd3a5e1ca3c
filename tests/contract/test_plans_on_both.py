"""The digest of a plan is the same on SQLite and on PostgreSQL, and after unrelated acts."""

from dataclasses import replace

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.planning import proposed, ref

pytestmark = pytest.mark.both


@pytest.fixture
def database_kind():
    return "both"


def digests(house):
    """Propose a plan that makes new rows and refers to them, before and after somebody else's acts."""
    house.refresh()
    person = replace(house.people["ben"], app=house.app)
    bank = Bank(house.app, person)
    line, other = bank.send("2026-11-03", "-45.20", "REWE"), bank.send("2026-11-04", "-2.90", "BVG")
    edit = {
        "accountId": bank.account("Food"),
        "orgMerchantId": ref("2#/merchant/id"),
        "projectId": ref("1#/project/id"),
    }
    steps = [
        ("POST", "/projects", {"name": "Kitchen"}),
        ("POST", "/merchants", {"name": "REWE"}),
        ("PATCH", f"/transactions/{line}", edit),
        ("POST", "/transactions/confirm", {"ids": [ref("3#/transaction/id")]}),
    ]
    agent = person.with_scopes("read", "propose")
    before = proposed(agent, *steps)["digest"]
    assert person.post(f"/api/transactions/{other}/confirm").status_code == 200
    assert person.post("/api/projects", json={"name": "Between"}).status_code == 201
    return before, proposed(agent, *steps)["digest"]


def test_a_plan_has_the_same_digest_on_both_engines(_houses):  # noqa: PT019  (a fixture of both)
    found = {digest for kind in ("sqlite", "postgresql") for digest in digests(_houses(kind))}
    assert len(found) == 1
