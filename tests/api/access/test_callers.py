"""Who asks: a key learns whose it is, where it is, what day it is there, and what is left of its caps."""

from tests.fixtures.helpers.marks import on_sqlite
from webapp.config import version
from webapp.database.sessions import db
from webapp.models import Organization


def me(person):
    answer = person.get("/api/me")
    assert answer.status_code == 200, answer.json
    return answer.json["me"]


def test_a_key_learns_what_it_may_do_and_what_is_left_of_its_caps(ada, bank):
    program = ada.with_scopes("read", "confirm", max_entries_a_day=2, max_amount_a_day_minor=5000)
    line = bank.send("2026-03-02", "-12.50", "Tea")
    assert program.post(f"/api/transactions/{line}/confirm").status_code == 200
    found = me(program)
    assert (found["kind"], found["owner"], found["role"]) == ("TOKEN", "Ada", "owner")
    assert found["scopes"] == ["confirm", "read"]
    assert found["caps"]["entriesADay"] == {"most": 2, "posted": 1, "left": 1}
    assert found["caps"]["amountADay"] == {"most": "50.00", "posted": "12.50", "left": "37.50"}
    assert found["caps"]["resetsAt"].endswith("Z")
    assert found["version"] == version()
    assert me(ada)["caps"]["entriesADay"] == {"most": None, "posted": 0, "left": None}


@on_sqlite
def test_it_learns_where_it_is_and_what_day_it_is_there(ada, bank):
    def move():
        organization = db.session.get_one(Organization, ada.organization_id)
        organization.time_zone = "Pacific/Kiritimati"
        db.session.commit()

    bank.ask(move)
    assert ada.put("/api/lock-date", json={"lockDate": "2026-02-28"}).status_code == 200
    books = me(ada)["organization"]
    assert books["id"] == ada.organization_id
    assert (books["baseCurrency"], books["timeZone"]) == ("EUR", "Pacific/Kiritimati")
    assert books["lockDate"] == "2026-02-28"
    reset = me(ada)["caps"]["resetsAt"]
    assert reset.startswith(f"{books['today']}T10:00:00")


@on_sqlite
def test_it_counts_its_own_proposals_and_a_person_those_to_decide_on(ada, ben, bank):
    lines = bank.send_many([("2026-03-02", "-1.00", "Tea"), ("2026-03-02", "-2.00", "Cake")])
    agent, other = (ben.with_scopes("read", "propose") for _ in range(2))
    assert agent.post(f"/api/transactions/{lines[0]}/confirm").status_code == 202
    assert other.post(f"/api/transactions/{lines[1]}/confirm").status_code == 202
    assert me(agent)["waitingProposals"] == 1
    person = me(ada.browser())
    assert (person["kind"], person["waitingProposals"], person["caps"]) == ("PERSON", 2, None)


@on_sqlite
def test_everybody_may_ask(cleo, ben):
    assert (me(cleo)["role"], me(ben)["role"]) == ("viewer", "bookkeeper")
