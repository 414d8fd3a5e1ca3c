"""What the lines of a list add up to, and lists of lines of which some have a correction."""

import pytest

pytestmark = pytest.mark.both
LINES = "/api/transactions"


@pytest.fixture
def corrected(ada, bank, books):
    """Five payments for food, of which the second and the fourth were posted and then went to travel."""
    food, travel = bank.account("Food"), books.account_id("Travel")
    lines = bank.send_many([(f"2026-03-0{day}", f"-{day}.00", f"Line {day}") for day in range(1, 6)])
    for account, some in ((food, lines), (travel, [lines[1], lines[3]])):
        for line in some:
            assert ada.patch(f"{LINES}/{line}", json={"accountId": account}).status_code == 200
            assert ada.post(f"{LINES}/{line}/confirm").status_code == 200
    return food, travel, lines


def listed(ada, **asked):
    """The texts of all pages of a list, each page a line long."""
    texts, cursor = [], None
    while True:
        query = {"limit": 1, "count": "true", **asked, **({"cursor": cursor} if cursor else {})}
        answer = ada.get(LINES, query_string=query).json
        texts += [each["description"] for each in answer["transactions"]]
        cursor = answer["nextCursor"]
        if cursor is None:
            assert answer["total"] == len(texts)
            return texts


def test_pages_go_through_lines_with_and_without_correction_by_day(ada, bank, corrected):
    food, travel, _ = corrected
    assert listed(ada, accountId=food) == ["Line 5", "Line 3", "Line 1"]
    assert listed(ada, accountId=travel) == ["Line 4", "Line 2"]
    assert listed(ada, uncategorised="false") == [f"Line {day}" for day in (5, 4, 3, 2, 1)]
    bank.send("2026-03-03", "-7.00", "New")
    assert listed(ada, uncategorised="true") == ["New"]
    assert listed(ada, uncategorised="false", **{"from": "2026-03-03"}) == ["Line 5", "Line 4", "Line 3"]


def test_the_lines_of_all_pages_are_added_up_by_currency(ada, bank, corrected):
    food, travel, _ = corrected
    dollars = bank.open("Dollars", "USD")
    bank.at(dollars).send("2026-03-09", "12.50", "Refund")
    answer = ada.get(f"{LINES}?sums=true&limit=1").json
    assert (len(answer["transactions"]), answer["sums"]) == (
        1,
        [
            {"currency": "EUR", "count": 5, "sum": "-15.00"},
            {"currency": "USD", "count": 1, "sum": "12.50"},
        ],
    )
    assert ada.get(f"{LINES}?sums=true&accountId={food}").json["sums"] == [
        {"currency": "EUR", "count": 3, "sum": "-9.00"}
    ]
    assert ada.get(f"{LINES}?sums=true&accountId={travel}").json["sums"] == [
        {"currency": "EUR", "count": 2, "sum": "-6.00"}
    ]
    assert ada.get(f"{LINES}?sums=true&q=nothing").json["sums"] == []
    assert "sums" not in ada.get(LINES).json
