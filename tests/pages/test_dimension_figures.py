"""The pages of projects, groups and merchants: twelve months of results, and the newest postings."""

from datetime import UTC, datetime, timedelta

import pytest

pytestmark = pytest.mark.both


@pytest.fixture
def fees(ada, books):
    """Fees of a project and a merchant: 300.00 today, 1,000.00 two years ago; and one of 7.00 of nobody."""
    books.post("account Bank ASSET\n")
    group = ada.post("/api/projects/groups", json={"name": "Houses"}).json["group"]["id"]
    project = ada.post("/api/projects", json={"name": "Villa", "groupId": group}).json["project"]["id"]
    merchant = ada.post("/api/merchants", json={"name": "Smith"}).json["merchant"]["id"]
    today = datetime.now(UTC).date()
    bank, sales = books.account_id("Bank"), books.account_id("Sales of services")
    names = {"projectId": project, "orgMerchantId": merchant}
    for day, amount, of in (
        (today, "300.00", names),
        (today - timedelta(days=730), "1000.00", names),
        (today, "7.00", {}),
    ):
        body = {
            "effectiveAt": f"{day}T00:00:00Z",
            "description": f"A fee of {amount}",
            "postings": [
                {"accountId": bank, "amount": amount},
                {"accountId": sales, "amount": f"-{amount}", **of},
            ],
            "post": True,
        }
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    return {"projects": project, "projects/groups": group, "merchants": merchant}


def shown(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


@pytest.mark.parametrize(
    ("noun", "name"),
    [("projects", "projectId"), ("projects/groups", "projectGroupId"), ("merchants", "orgMerchantId")],
)
def test_a_page_shows_twelve_months_and_the_newest_postings(cleo, fees, noun, name):
    page = shown(cleo.browser(), f"/{noun}/{fees[noun]}")
    months, postings = page.split("Newest postings", 1)
    assert 'class="figure total" value="300.00"' in months
    assert months.count('scope="col" class="number desk"') == 12
    assert postings.index("A fee of 300.00") < postings.index("A fee of 1000.00")
    assert "A fee of 7.00" not in page
    assert f"{name}={fees[noun]}" in months
    assert f'href="/journal?{name}={fees[noun]}">All entries' in postings
    assert ("Villa" in months.split("<h2>Twelve months</h2>")[1]) == (noun == "projects/groups")


def test_lists_show_what_each_brought_in_twelve_months_and_drafts_stand_apart(ada, bank, cleo, fees):
    line = bank.send("2026-03-02", "-12.50", "Paint")
    ada.patch(
        f"/api/transactions/{line}", json={"orgMerchantId": fees["merchants"], "projectId": fees["projects"]}
    )
    browser = cleo.browser()
    for noun in ("merchants", "projects"):
        page = shown(browser, f"/{noun}")
        assert 'value="300.00"' in page, "the fee of two years ago is no part of it"
        assert '<td class="number desk">1</td>' in page
        assert "Paint" in shown(browser, f"/{noun}/{fees[noun]}").split("Not confirmed yet", 1)[1]


def test_what_nothing_is_posted_to_says_so(cleo, ada, fees):
    empty = ada.post("/api/projects", json={"name": "Boat"}).json["project"]["id"]
    page = shown(cleo.browser(), f"/projects/{empty}")
    assert "No income and no expense in these months" in page
    assert "Newest postings" not in page
