"""Lists of lines: every filter, the search, what they add up to, and a cursor that neither loses nor repeats."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both
# What is typed into the search, and the names of the lines that it finds.
SEARCHES = {
    "ice": "train",
    "CAFÉ": "train",
    "東京": "yen",
    "rf18": "yen",
    "de8937": "yen",
    "%": "rent",
    "50%_o": "rent",
    "_": "rent",
    "\\": "",
    "1284.60": "sale rent",
    "1,284.60": "sale rent",
    "-1284.6": "sale rent",
    "\u22121,284.60": "sale rent",
    "1284": "yen",
    "100": "train",
    "9" * 255: "",
    "' OR 1=1 --": "",
    "1.2.3": "",
}
MEANINGLESS = [
    ("limit", "0"),
    ("limit", "201"),
    ("limit", "ten"),
    ("limit", ""),
    ("limit", "1.0"),
    ("cursor", ""),
    ("cursor", "bm90aGluZw"),
    ("cursor", "é"),
    ("cursor", "WyIyMDI2LTAzLTAyIiw5OTk5OTk5OTk5OTk5OTk5OTk5OTk5XQ"),
    ("cursor", "W1tbW1tbW1tbW1tb"),
    ("faId", "0"),
    ("faId", "-1"),
    ("faId", "9223372036854775808"),
    ("accountId", "x"),
    ("status", "booked"),
    ("entryStatus", "OPEN"),
    ("reconciled", "yes"),
    ("from", "2026-02-30"),
    ("from", ""),
    ("to", "02.03.2026"),
    ("q", ""),
    ("q", "a\0b"),
    ("q", "x" * 256),
    ("organizationId", "org_x"),
    ("sort", "amount"),
]
LINES = "/api/transactions"


@pytest.fixture
def statement(bank):
    """Lines by the names that tests call them."""
    bank.open("Main account")
    rows = {
        "train": ("2026-03-02", "-100.00", "DB ICE 571 Café"),
        "rent": ("2026-03-01", "-1284.60", "Rent 50%_off"),
        "sale": ("2026-03-03", "1284.60", "A sale"),
        "gone": ("2026-03-04", "-5.00", "Gone"),
        "soon": ("2026-03-05", "-6.00", "Soon"),
    }
    ids = dict(zip(rows, bank.send_many(list(rows.values())), strict=True))
    bank.set_state(ids["gone"], "REMOVED")
    bank.set_state(ids["soon"], "PENDING")
    bank.open("Yen account", "JPY")
    ids["yen"] = bank.send(
        "2026-03-02",
        "-1284",
        "Ramen",
        counterparty="東京 STORE",
        reference="RF18",
        iban="DE89370400440532013000",
    )
    return ids


@pytest.fixture
def asked(ada, statement):
    names = {line_id: name for name, line_id in statement.items()}

    def ask(**query):
        answer = ada.get("/api/transactions", query_string=query)
        assert answer.status_code == 200, answer.json
        return " ".join(names[line["id"]] for line in answer.json["transactions"])

    return ask


def test_newest_first_then_by_id(asked):
    assert asked() == "soon gone sale yen train rent"


def test_by_feed_account(ada, bank, asked):
    assert asked(faId=bank.fa_id) == "yen"


def test_by_state(asked):
    assert asked(status="PENDING") == "soon"
    assert asked(status="BOOKED") == "sale yen train rent"
    assert asked(status="DELETED") == ""


def test_by_the_state_of_the_entry(ada, statement, asked):
    ada.post(f"/api/transactions/{statement['train']}/confirm")
    assert asked(entryStatus="POSTED") == "train"
    assert asked(entryStatus="DRAFT", status="BOOKED") == "sale yen rent"


def test_by_days_inclusive(asked):
    assert asked(**{"from": "2026-03-02", "to": "2026-03-03"}) == "sale yen train"
    assert asked(to="2026-03-01") == "rent"
    assert asked(**{"from": "2026-03-06"}) == ""


def test_by_the_account_that_is_in_force(ada, bank, books, statement, asked):
    travel, old = books.account_id("Travel"), bank.role("uncategorised_expenses")
    ada.patch(f"/api/transactions/{statement['train']}", json={"accountId": travel})
    assert asked(accountId=travel) == "train"
    ada.post(f"/api/transactions/{statement['train']}/confirm")
    software = books.account_id("Software")
    ada.patch(f"/api/transactions/{statement['train']}", json={"accountId": software})
    assert asked(accountId=software) == ""
    assert asked(accountId=old, status="BOOKED") == "yen rent"
    ada.post(f"/api/transactions/{statement['train']}/confirm")
    assert asked(accountId=software) == "train"
    assert asked(accountId=travel) == ""


def test_by_the_project_and_the_merchant_in_force(ada, bank, statement, asked):
    villa, boat = bank.project("Villa"), bank.project("Boat")
    smith = ada.post("/api/merchants", json={"name": "Smith"}).json["merchant"]["id"]
    ada.patch(f"/api/transactions/{statement['train']}", json={"projectId": villa, "orgMerchantId": smith})
    ada.patch(f"/api/transactions/{statement['rent']}", json={"orgMerchantId": smith})
    assert asked(projectId=villa) == "train"
    assert asked(orgMerchantId=smith) == "train rent"
    assert asked(orgMerchantId=smith, projectId=boat) == ""
    for project in (villa, boat):
        ada.patch(f"/api/transactions/{statement['train']}", json={"projectId": project})
        ada.post(f"/api/transactions/{statement['train']}/confirm")
    assert asked(projectId=villa) == ""
    assert asked(projectId=boat, orgMerchantId=smith) == "train"
    train = ada.get(f"/api/transactions/{statement['train']}").json["transaction"]
    page = ada.browser().get(f"/feeds/{train['faId']}?projectId={boat}").text
    assert f'id="line-{statement["train"]}"' in page
    assert f'id="line-{statement["rent"]}"' not in page


def test_by_a_group_of_projects(ada, bank, statement, asked):
    villa, boat, attic = bank.project("Villa"), bank.project("Boat"), bank.project("Attic")
    houses = ada.post("/api/projects/groups", json={"name": "Houses"}).json["group"]["id"]
    for project in (villa, attic):
        ada.patch(f"/api/projects/{project}", json={"groupId": houses})
    for line, project in (("train", villa), ("rent", attic), ("yen", boat)):
        ada.patch(f"/api/transactions/{statement[line]}", json={"projectId": project})
    assert asked(projectGroupId=houses) == "train rent"
    assert asked(projectGroupId=houses, projectId=attic) == "rent"
    ada.post(f"/api/transactions/{statement['train']}/confirm")
    ada.patch(f"/api/transactions/{statement['train']}", json={"projectId": boat})
    ada.post(f"/api/transactions/{statement['train']}/confirm")
    assert asked(projectGroupId=houses) == "rent"
    rent = ada.get(f"/api/transactions/{statement['rent']}").json["transaction"]
    page = ada.browser().get(f"/feeds/{rent['faId']}?projectGroupId={houses}").text
    assert f'id="line-{statement["rent"]}"' in page
    assert f'id="line-{statement["train"]}"' not in page
    assert f'<option value="{houses}" selected' in page


def test_by_what_is_reconciled(asked):
    assert asked(reconciled="true") == ""
    assert asked(reconciled="false", status="BOOKED") == "sale yen train rent"


def test_search_by_text_and_amount(asked):
    assert {typed: asked(q=typed) for typed in SEARCHES} == SEARCHES


def test_filters_together(asked):
    assert asked(q="1284.60", **{"from": "2026-03-02"}) == "sale"


@on_sqlite
def test_a_value_that_means_nothing_is_refused_by_name(ada):
    told = {}
    for name, value in MEANINGLESS:
        answer = ada.get("/api/transactions", query_string={name: value})
        told[name, value] = answer.status_code, answer.json.get("code"), list(answer.json.get("fields", ()))
    assert told == {(name, value): (422, "validation", [name]) for name, value in MEANINGLESS}


@on_sqlite
def test_an_unknown_parameter_is_told_the_valid_ones(ada):
    answer = ada.get("/api/transactions?sort=amount")
    valid = (
        "accountId count cursor entryStatus faId fields from ids include limit "
        "orgMerchantId projectGroupId projectId q reconciled status sums to uncategorised"
    )
    assert ", ".join(valid.split()) in answer.json["error"]


def test_a_cursor_neither_loses_nor_repeats(ada, bank):
    bank.send_many(
        [(f"2026-03-{day:02}", f"{day}.00", "same day") for day in (3, 1, 3, 2, 3, 1, 9) for _ in range(3)]
    )
    for line in range(1, 6):
        ada.post(f"/api/transactions/{line}/confirm")
    lists = {
        "transactions": "transactions",
        "journal-entries": "entries",
        "action-requests": "actionRequests",
    }
    for path, key in lists.items():
        whole = [item["id"] for item in ada.get(f"/api/{path}?limit=200").json[key]]
        assert len(set(whole)) == len(whole) >= 5
        for limit in (1, 2, 7):
            assert walked(ada, path, key, limit) == whole, (path, limit)


def walked(person, path, key, limit):
    """Go from page to page, each as long as asked but the last, and give the ids."""
    found, cursor = [], None
    while True:
        query = {"limit": limit, **({"cursor": cursor} if cursor else {})}
        page = person.get(f"/api/{path}", query_string=query).json
        found += [item["id"] for item in page[key]]
        cursor = page["nextCursor"]
        if cursor is None:
            return found
        assert len(page[key]) == limit


def test_a_line_that_arrives_meanwhile_disturbs_no_walk(ada, bank):
    bank.send_many([(f"2026-03-{day:02}", "1.00", "") for day in range(1, 11)])
    first = ada.get("/api/transactions?limit=5").json
    bank.send("2026-03-20", "1.00", "new")
    second = ada.get("/api/transactions", query_string={"limit": 5, "cursor": first["nextCursor"]}).json
    days = [line["bookedOn"] for line in first["transactions"] + second["transactions"]]
    assert days == [f"2026-03-{day:02}" for day in range(10, 0, -1)]


def test_a_list_costs_the_same_however_long(ada, bank, books, at_most):
    lines = bank.send_many([(f"2026-03-{day:02}", f"{day}.00", "x") for day in range(1, 29)])
    for line in lines[:9]:
        ada.post(f"/api/transactions/{line}/confirm")
        ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
        ada.post(f"/api/transactions/{line}/confirm")
    for path in ("transactions", "journal-entries"):
        ada.get(f"/api/{path}")
        with at_most(13):
            assert ada.get(f"/api/{path}?limit=200").status_code == 200


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
