"""A token with caps posts so many entries, and so much, in a day, whatever posts them; then it waits until midnight."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.replays import everything
from webapp.database.sessions import db
from webapp.models import ActionRequest, Organization, TokenDay
from webapp.services.access import token_caps
from webapp.services.audit.act import Actor
from webapp.services.transactions import lifecycle

DAY = "2026-03-02"
SCOPES = ("read", "draft", "confirm", "reconcile", "admin")


@pytest.fixture
def agent(ada):
    """Ada's program, with a token that has these caps."""
    return lambda **caps: ada.with_scopes(*SCOPES, **caps)


def confirm(person, line):
    return person.post(f"/api/transactions/{line}/confirm")


def by_hand(books, amount="5.00", **facts):
    legs = [("Travel", amount), ("Petty cash", f"-{amount}")]
    postings = [{"accountId": books.account_id(name), "amount": said} for name, said in legs]
    return {"effectiveAt": DAY, "description": "By hand", "postings": postings, **facts}


def posted(person):
    return [each for each in everything(person, "journal-entries", "entries") if each["status"] == "POSTED"]


def test_the_cap_of_entries_is_the_last_one_that_posts(agent, ada, bank):
    program = agent(max_entries_a_day=2)
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 3)
    answers = [confirm(program, line) for line in lines]
    assert [answer.status_code for answer in answers] == [200, 200, 403]
    refused = answers[-1].json
    assert refused["code"] == "cap_reached"
    assert refused["error"].startswith(
        "This key posts at most 2 entries a day; with this call it would be 3 or more. Propose it: sent with a key that"
        " has the scope propose, the whole call waits until a person approves it."
    )
    assert refused["details"]["cap"] == "entries"
    assert len(posted(ada)) == 2
    # Another key and a person go on; a repeat posts nothing, and is no entry more.
    assert confirm(ada, lines[-1]).json["changed"] is True
    assert confirm(program, lines[0]).json["changed"] is False


def test_the_caps_are_asked_for_by_a_question_of_their_own(agent, bank, statements):
    """Nodes take no question of another table in what a statement returns."""
    program = agent(max_entries_a_day=1)
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 2)
    with statements() as asked:
        answers = [confirm(program, line).status_code for line in lines]
    assert answers == [200, 403]
    counting = [each for each in asked if "INSERT INTO token_days" in each]
    assert counting
    assert not any("api_tokens" in each for each in counting)


def test_it_says_when_the_day_of_the_organization_ends(agent, ada, bank):
    zone = ZoneInfo("Pacific/Auckland")

    def move():
        db.session.get_one(Organization, ada.organization_id).time_zone = zone.key

    bank.ask(move)
    answer = confirm(agent(max_entries_a_day=0), bank.send(DAY, "-1.00")).json
    resets_at = datetime.fromisoformat(answer["details"]["resetsAt"]).astimezone(zone)
    assert (resets_at.hour, resets_at.minute, resets_at.second) == (0, 0, 0)
    assert timedelta() < resets_at - datetime.now(UTC) <= timedelta(hours=25)
    assert answer["details"]["resetsInSeconds"] <= 25 * 3600
    assert "midnight (Pacific/Auckland)" in answer["error"]


def test_the_cap_of_an_amount_is_exact_and_a_smaller_entry_still_fits(agent, bank):
    program = agent(max_amount_a_day_minor=100_00)
    lines = bank.send_many(
        [(DAY, amount, "A line") for amount in ("-60.00", "50.00", "40.00", "-0.01", "0.00")]
    )
    answers = [confirm(program, line) for line in lines]
    assert [answer.status_code for answer in answers] == [200, 403, 200, 403, 200]
    assert (
        answers[1]
        .json["error"]
        .startswith("This key posts at most 100.00 EUR a day; with this call it would be 110.00 EUR or more.")
    )
    assert answers[1].json["details"]["cap"] == "amount"


def test_an_amount_is_counted_in_the_base_currency(agent, bank):
    bank.open("Dollars", "USD")
    bank.quote(DAY, "USD", "2.00")
    program = agent(max_amount_a_day_minor=50_00)
    fits, exceeds = bank.send_many([(DAY, "-100.00", "A line"), (DAY, "-0.04", "A line")])
    assert [confirm(program, line).status_code for line in (fits, exceeds)] == [200, 403]


def test_what_is_refused_for_another_reason_is_not_counted(agent, bank, books):
    program = agent(max_entries_a_day=1)
    account = bank.account("Meals with names", requires_counterparty=True)
    line = bank.send(DAY, "-1.00")
    program.patch(f"/api/transactions/{line}", json={"accountId": account})
    assert confirm(program, line).status_code == 409
    assert confirm(program, bank.send(DAY, "-1.00")).status_code == 200


def test_a_bulk_call_beyond_the_cap_is_refused_whole(agent, ada, bank, state_of_books):
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 4)
    program, before = agent(max_entries_a_day=3), state_of_books()
    for path in ("/api/transactions/confirm", "/api/transactions/confirm?dryRun=true"):
        answer = program.post(path, json={"ids": [10**12, *lines]})
        assert (answer.status_code, answer.json["code"]) == (403, "cap_reached")
    assert state_of_books() == before
    acts = everything(ada, "action-requests", "actionRequests")
    assert [each for each in acts if each["status"] == "FAILED"] == []
    results = program.post("/api/transactions/confirm", json={"ids": lines[:3]}).json["results"]
    assert [result["status"] for result in results] == ["EXECUTED"] * 3
    assert len(posted(ada)) == 3


def corrected(ada, bank, books):
    line = bank.send(DAY, "-1.00")
    confirm(ada, line)
    ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    return "POST", f"/api/transactions/{line}/confirm", {}


def voided(ada, bank, _books):
    entry = confirm(ada, bank.send(DAY, "-1.00")).json["result"]["journalEntryIds"][0]
    return "POST", f"/api/journal-entries/{entry}/void", {"reason": "Wrong"}


def written_and_posted(_ada, _bank, books):
    return "POST", "/api/journal-entries", by_hand(books, post=True)


def draft_posted(ada, _bank, books):
    entry = ada.post("/api/journal-entries", json=by_hand(books)).json["entry"]["id"]
    return "POST", f"/api/journal-entries/{entry}/post", {}


def opened(ada, bank, _books):
    bank.send(DAY, "10.00")
    draft = {
        "statementDate": "2026-03-31",
        "statementBalance": "100.00",
        "keepAsNew": True,
        "openingBalance": "100.00",
        "openingDate": "2026-03-05",
    }
    ada.put(f"/api/reconciliations/accounts/{bank.fa_id}/draft", json=draft)
    return "POST", f"/api/reconciliations/accounts/{bank.fa_id}/complete", {}


@pytest.mark.parametrize("way", [corrected, voided, written_and_posted, draft_posted, opened])
def test_whatever_posts_an_entry_counts(agent, ada, bank, books, state_of_books, way):
    method, path, body = way(ada, bank, books)
    before = state_of_books()
    answer = agent(max_entries_a_day=0).ask(method, path, json=body)
    assert (answer.status_code, answer.json["code"]) == (403, "cap_reached")
    assert state_of_books() == before
    assert agent(max_entries_a_day=1).ask(method, path, json=body).status_code in (200, 201)
    assert state_of_books() != before


@pytest.fixture
def state_of_books(ada, books):
    return lambda: (
        books.balances(),
        [(each["id"], each["status"]) for each in everything(ada, "journal-entries", "entries")],
    )


def test_drafts_are_not_counted(agent, bank, books):
    program = agent(max_entries_a_day=0)
    line = bank.send(DAY, "-1.00")
    travel = {"accountId": books.account_id("Travel")}
    assert program.patch(f"/api/transactions/{line}", json=travel).status_code == 200
    assert program.post("/api/journal-entries", json=by_hand(books)).status_code == 201


def test_the_next_day_counts_anew(agent, ada, bank, session):
    program = agent(max_entries_a_day=1)
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 3)
    actor = Actor(
        ada.organization_id, "TOKEN", program.token_id, "limited", ada.user_id, counts_for=program.token_id
    )

    def confirmed(line, now):
        key = ada.organization_id, line
        lifecycle.confirm(session.get(lifecycle.Transaction, key), actor=actor, now=now)

    evening = datetime(2026, 3, 2, 23, 59, 59, tzinfo=UTC)
    confirmed(lines[0], evening)
    with pytest.raises(token_caps.CapReachedError), session.begin_nested():
        confirmed(lines[1], evening)
    confirmed(lines[2], evening + timedelta(seconds=1))
    days = session.execute(
        sa.select(TokenDay.day, TokenDay.entry_count, TokenDay.amount_base_minor).order_by(TokenDay.day)
    ).all()
    assert [tuple(each) for each in days] == [(date(2026, 3, 2), 1, 100), (date(2026, 3, 3), 1, 100)]


def test_a_sum_beyond_64_bits_stays_at_its_end(agent, ada, bank, books):
    program = agent()
    large = "50000000000000000.00"
    for amount in (large, large, "1.00"):
        answer = program.post("/api/journal-entries", json=by_hand(books, amount, post=True))
        assert answer.status_code == 201
        program.post(f"/api/journal-entries/{answer.json['entry']['id']}/void", json={"reason": "Too much"})
    kept = bank.ask(
        lambda: db.session.scalar(sa.select(TokenDay).where(TokenDay.token_id == program.token_id))
    )
    assert (kept.entry_count, kept.amount_base_minor) == (6, 2**63 - 1)


def test_a_lowered_cap_holds_from_the_next_entry_on(agent, ada, bank):
    program = agent()
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 3)
    assert confirm(program, lines[0]).status_code == 200
    form = {"name": "Agent", "scopes": list(SCOPES), "maxEntriesADay": "1"}
    browser = ada.browser()
    assert browser.post(f"/settings/keys/{program.token_id}", data=form).status_code == 303
    assert confirm(program, lines[1]).status_code == 403
    browser.post(f"/settings/keys/{program.token_id}", data={**form, "maxEntriesADay": ""})
    assert confirm(program, lines[1]).status_code == 200


def test_a_cap_that_is_reached_leaves_no_act(agent, bank):
    program = agent(max_entries_a_day=0)
    count = lambda: bank.ask(lambda: db.session.query(ActionRequest).count())  # noqa: E731
    line = bank.send(DAY, "-1.00")
    before = count()
    assert confirm(program, line).status_code == 403
    assert count() == before


def test_with_propose_what_is_beyond_the_cap_waits_for_a_person_and_counts_no_more(ada, bank):
    program = ada.with_scopes("read", "confirm", "propose", max_entries_a_day=1)
    lines = bank.send_many([(DAY, "-1.00", "A line")] * 2)
    assert confirm(program, lines[0]).status_code == 200
    tried = program.post(f"/api/transactions/{lines[1]}/confirm?dryRun=true")
    assert (tried.status_code, tried.json["status"]) == (200, 200)
    waits = confirm(program, lines[1])
    assert (waits.status_code, waits.json["actionRequest"]["status"]) == (202, "PENDING")
    assert len(posted(ada)) == 1
    request = waits.json["actionRequest"]
    approve = f"/api/action-requests/{request['id']}/approve"
    approved = ada.browser().post(approve, json={"digest": request["digest"]})
    assert (approved.status_code, approved.json["actionRequest"]["status"]) == (200, "EXECUTED")
    assert len(posted(ada)) == 2
    kept = bank.ask(
        lambda: db.session.scalar(sa.select(TokenDay).where(TokenDay.token_id == program.token_id))
    )
    assert kept.entry_count == 1


def test_a_bulk_call_beyond_the_cap_waits_as_one_proposal_of_all_that_the_books_allow(ada, bank):
    program = ada.with_scopes("read", "confirm", "propose", max_entries_a_day=1)
    lines = bank.send_many([(DAY, f"-{number}.00", f"Line {number}") for number in (1, 2, 3)])
    asked = {"ids": [lines[0], 10**12, *lines[1:]], "note": "March"}
    waits = program.post("/api/transactions/confirm", json=asked)
    again = program.post("/api/transactions/confirm", json=asked)
    assert (waits.status_code, again.json["actionRequest"]["id"]) == (202, waits.json["actionRequest"]["id"])
    assert posted(ada) == []
    (request,) = program.get("/api/action-requests?status=PENDING").json["actionRequests"]
    assert request["title"] == "Confirm Line 1 −1.00 EUR of 2 Mar as Uncategorised expenses, and 2 more"
    assert (request["note"], request["effect"]["entryCount"]) == ("March", 3)
    assert [(each["id"], each["code"]) for each in waits.json["refused"]] == [(10**12, "not_found")]
    assert (request["blockers"], request["payload"]["body"]["ids"]) == ([], lines)
    approve = f"/api/action-requests/{request['id']}/approve"
    approved = ada.browser().post(approve, json={"digest": request["digest"]})
    assert approved.json["actionRequest"]["status"] == "EXECUTED"
    assert len(posted(ada)) == 3
    failed = everything(ada, "action-requests", "actionRequests")
    assert [each for each in failed if each["status"] == "FAILED"] == []


def test_without_propose_a_dry_run_beyond_the_cap_says_so(agent, bank):
    program = agent(max_entries_a_day=0)
    line = bank.send(DAY, "-1.00")
    answer = program.post(f"/api/transactions/{line}/confirm?dryRun=true")
    assert (answer.status_code, answer.json["code"]) == (403, "cap_reached")


def test_trying_counts_nothing(agent, bank):
    program = agent(max_entries_a_day=1)
    line = bank.send(DAY, "-1.00")
    for _ in range(3):
        assert program.post(f"/api/transactions/{line}/confirm?dryRun=true").status_code == 200
    assert confirm(program, line).status_code == 200
