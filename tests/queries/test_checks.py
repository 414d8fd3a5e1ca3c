"""`tieout check` finds every damage that is done to a copy of the books, and nothing in the books themselves."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.tenancy import shape, unnamed
from tests.tree import ROOT
from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.queries import checks

DAMAGE = re.compile(r"-- (?P<code>\w+)(?: without (?P<loosened>\w+))?\n(?P<statement>[^;]+);")
DAMAGES = DAMAGE.findall((ROOT / "tests/queries/damages.sql").read_text(encoding="utf-8"))
# What judging the proofs of one organization asks, and naming what broke some, however many there are; the fresh books
# have none.
JUDGING = 12
# What is asked of each organization: three of its items, four of its parties, one of the files beside its books, one of
# what binds its rows and one of each kind of these, less what those of the demo have in four parts. The fresh books
# have one organization more than those of the demo.
OF_EACH_ORGANIZATION = 3 + 4 + 1 + 1 + len(FIELDS) - 4
# What is asked of each of the latest days on which items were settled, and how many such days the demo has.
OF_A_SETTLEMENT_DAY, SETTLEMENT_DAYS = 4, 4


def test_every_damage_is_found_and_nothing_in_sound_books(copy, subtests, portion):
    copy.refresh()
    assert copy.ask(lambda: list(checks.violations())) == []
    # The short run takes other ones on each kind of database.
    for code, loosened, statement in portion(40, DAMAGES, 0 if copy.is_sqlite else 20):
        with subtests.test(code=code, damage=statement):
            copy.refresh()
            copy.damage(statement, loosened)
            assert code in copy.found()
    with subtests.test("a proof rewritten so that document, digest and row agree"):
        copy.refresh()
        rewrite_proof(copy)
        assert "proof_equation" in copy.found()


def test_the_log_says_where_a_check_could_not_read_its_rows(monkeypatch, caplog):
    def boxes():
        yield {}["boxes"]

    monkeypatch.setattr(checks, "OF_BOOKS", (boxes,))
    (found,) = checks.of_organization()
    assert (found.code, found.message) == (
        "unreadable_rows",
        "Some of the test checks cannot be read ('boxes').",
    )
    assert "in boxes" in caplog.text


def rewrite_proof(copy):
    def newest():
        return db.session.execute(
            sa.text(
                "SELECT id, frozen FROM reconciliations WHERE status = 'COMPLETED' ORDER BY id DESC LIMIT 1"
            )
        ).one()

    proof_id, frozen = copy.ask(newest)
    document = json.loads(frozen)
    document["ledgerBalance"] = "1.00"
    text = canonical_json(document)
    values = f"frozen = '{text}', digest = '{sha256_hex(text)}'"
    copy.damage(f"UPDATE reconciliations SET {values} WHERE id = {proof_id}")  # noqa: S608  (our own text)


@pytest.mark.rare
def test_the_number_of_questions_does_not_depend_on_how_much_there_is(house, demo_books, statements):
    def asked():
        with house.app.app_context(), statements() as seen:
            list(checks.violations())
        return len(seen)

    house.refresh()
    few = asked()
    demo_books.refresh()
    assert asked() == few + JUDGING + OF_A_SETTLEMENT_DAY * SETTLEMENT_DAYS - OF_EACH_ORGANIZATION


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_what_is_asked_of_the_books_on_a_node_names_their_organization(house, statements):
    house.refresh()
    with house.app.app_context(), statements() as seen:
        assert list(checks.of_each_organization()) == []
    # The first lists the organizations.
    _, *asked = (each for each in seen if not each.startswith(("BEGIN", "SET")))
    assert asked
    assert {each: tables for each in asked if (tables := unnamed(shape(each)))} == {}


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_row_of_another_organization_is_found_where_each_is_asked_alone(ada, dan, bank):
    bank.open()
    theirs = bank.of(dan).account("Theirs")
    bank.ask(lambda: name_account(ada.organization_id, theirs))
    found = bank.ask(lambda: list(checks.of_each_organization()))
    # What is not as it was bound is found as such, too.
    others = [(each.code, each.organization_id) for each in found if each.code != "row_differs"]
    assert others == [("other_organization", ada.organization_id)]


def name_account(organization_id, account_id):
    """Let an account be below one that is not of its organization, as nobody can with the keys in place."""
    db.session.execute(sa.text("SET LOCAL session_replication_role = replica"))
    db.session.execute(
        sa.text("UPDATE feed_accounts SET account_id = :account WHERE organization_id = :organization"),
        {"account": account_id, "organization": organization_id},
    )


def write(ada, bank, day, **facts):
    body = {
        "effectiveAt": day,
        "postings": [
            {"accountId": bank.account(f"Fees {day}"), "amount": "1.00"},
            {"accountId": bank.account(f"Owed {day}", "LIABILITY"), "amount": "-1.00"},
        ],
        "post": True,
        **facts,
    }
    answer = ada.post("/api/journal-entries", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


def lock(ada, day):
    answer = ada.browser().put("/api/lock-date", json={"lockDate": day, "reason": "Why not"})
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


def test_an_adjusting_entry_is_held_by_the_lock_of_its_own(ada, bank):
    lock(ada, "2026-02-28")
    write(ada, bank, "2025-12-31", isAdjusting=True)
    assert found(bank) == []
    assert ada.put("/api/locks", json={"ADJUSTMENTS": "2025-12-31"}).status_code == 200
    bank.lock(None, "adjustments_lock_date")
    behind = write(ada, bank, "2025-12-31", isAdjusting=True)
    assert found(bank) == [("posted_behind_lock", behind)]


def test_an_exception_lets_in_what_is_dated_from_its_day_on(ada, bank):
    lock(ada, "2026-02-28")
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    body = {"userId": ada.user_id, "from": "2026-02-10", "until": until, "note": "A late bill"}
    assert ada.browser().post("/api/lock-exceptions", json=body).status_code == 201
    inside = write(ada.browser(), bank, "2026-02-20")
    assert found(bank) == []
    bank.lock(None)
    outside = write(ada, bank, "2026-02-09")
    assert found(bank) == [("posted_behind_lock", outside)]
    assert ada.get("/api/lock-exceptions").json["exceptions"][0]["journalEntryIds"] == [inside]
