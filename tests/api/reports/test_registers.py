"""An account's register over the API: from either end, with the balance after each posting, at the cost of one page."""

from decimal import Decimal

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both


@pytest.fixture
def account(bank, desk):
    """An account with 23 confirmed lines, several a day, one of them voided; answers the account's id."""
    lines = bank.send_many(
        [(f"2026-{3 + n // 9:02}-{1 + n % 9:02}", f"{n - 8}.50", f"L{n}") for n in range(23)]
    )
    bank.send("2026-03-02", "99.00", "Only a draft")
    desk.confirm(*lines)
    desk.void(desk.line(lines[4])["journalEntryId"])
    return bank.ledger_account()


def pages(person, account, **asked):
    """Walk through a register to its end; answers its pages."""
    found, cursor = [], None
    while cursor is not None or not found:
        query = {"limit": 5, **asked, **({"cursor": cursor} if cursor else {})}
        answer = person.get(f"/api/accounts/{account}/postings", query_string=query)
        assert answer.status_code == 200, answer.json
        found.append(answer.json["postings"])
        cursor = answer.json["nextCursor"]
    return found


def test_both_ends_give_the_same_register_with_running_balances(cleo, account):
    oldest = [line for page in pages(cleo, account, order="OLDEST") for line in page]
    newest = [line for page in pages(cleo, account) for line in page]
    assert newest == oldest[::-1]
    assert len(oldest) == 24
    running = Decimal(0)
    for line in oldest:
        running += Decimal(line["amount"])
        assert Decimal(line["balance"]) == running
    assert oldest[-1]["balance"] == cleo.get(f"/api/accounts/{account}").json["account"]["balance"]


def test_days_are_inclusive_and_balances_stay_those_of_the_whole_account(cleo, account):
    whole = {(line["journalEntryId"], line["balance"]) for page in pages(cleo, account) for line in page}
    april = [
        line for page in pages(cleo, account, **{"from": "2026-04-01", "to": "2026-04-30"}) for line in page
    ]
    assert len(april) == 9
    assert {line["effectiveAt"][:7] for line in april} == {"2026-04"}
    assert {(line["journalEntryId"], line["balance"]) for line in april} <= whole
    as_of = cleo.get(f"/api/accounts/{account}", query_string={"asOf": "2026-04-30"}).json["account"]
    assert as_of["balance"] == april[0]["balance"]


def test_a_page_takes_the_same_statements_however_deep(cleo, account, statements):
    path, query = f"/api/accounts/{account}/postings", {"limit": 3}
    with statements() as first:
        query["cursor"] = cleo.get(path, query_string=query).json["nextCursor"]
    with statements() as deep:
        assert len(cleo.get(path, query_string=query).json["postings"]) == 3
    # Who asks is asked again where anybody has written to the server meanwhile, as other tests do.
    first, deep = ([each for each in seen if "api_tokens" not in each] for seen in (first, deep))
    assert len(deep) == len(first) > 0


@on_sqlite
def test_what_a_register_does_not_take_is_refused(cleo, account):
    for asked in ({"order": "newest"}, {"cursor": "x"}, {"from": "2026-13-01"}, {"sort": "day"}):
        answer = cleo.get(f"/api/accounts/{account}/postings", query_string=asked)
        assert answer.status_code == 422, asked


def test_the_register_of_another_organization_does_not_exist(dan, account):
    assert dan.get(f"/api/accounts/{account}/postings").status_code == 404


def test_the_page_shows_the_register_from_either_end(cleo, account):
    pages = cleo.browser()
    newest = pages.get(f"/accounts/{account}/register?limit=5").text
    oldest = pages.get(f"/accounts/{account}/register?limit=5&order=OLDEST").text
    assert "L22" in newest
    assert "L0" in oldest
    assert "L22" not in oldest
    assert pages.get(f"/accounts/{account}").text.count(f'/accounts/{account}/register"') == 1
