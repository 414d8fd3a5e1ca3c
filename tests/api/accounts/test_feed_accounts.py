"""Feed accounts over the API: opened with a ledger account, changed, and held to their currency."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.queries.accounts import accounts

PATH = "/api/feeds/accounts"
KEYS = [
    "faId", "accountId", "accountName", "accountEmoji", "accountType", "mask", "currency", "institutionName",
    "institutionLogo", "institutionUrl", "unreconciledCount", "unconfirmedCount", "lastFeedAt", "feedBalance",
    "externalId", "provider", "isActive", "splitsBatches",
]  # fmt: skip


def opened(person, **facts):
    answer = person.post(PATH, json={"name": "Current account", "currency": "EUR", **facts})
    assert answer.status_code == 201, answer.json
    return answer.json["feedAccount"]


def test_a_feed_account_makes_its_ledger_account(ada):
    made = opened(ada, externalId="DE89370400440532013000", institutionName="Lantern Bank")
    assert list(made) == KEYS
    assert made["accountName"] == "Current account"
    assert made["accountType"] == "ASSET"
    assert made["mask"] == "3000"
    assert made["institutionName"] == "Lantern Bank"
    assert made["feedBalance"] is None
    assert made["unreconciledCount"] == made["unconfirmedCount"] == 0
    assert made["isActive"] is True
    assert ada.get(f"{PATH}/{made['faId']}").json["feedAccount"] == made


def test_new_ledger_accounts_take_the_first_free_codes(ada, session):
    made = [
        opened(ada, name=name, type=type_)
        for name, type_ in (("A", "ASSET"), ("B", None), ("C", "LIABILITY"))
    ]
    codes = [accounts.get(ada.organization_id, each["accountId"]).code for each in made]
    assert codes == ["1000", "1001", "2000"]


def test_a_list_is_newest_first_and_paged(ada, cleo):
    names = [opened(ada, name=name)["accountName"] for name in ("First", "Second", "Third")]
    page = cleo.get(PATH, query_string={"limit": 2}).json
    rest = cleo.get(PATH, query_string={"limit": 2, "cursor": page["nextCursor"]}).json
    listed = [each["accountName"] for each in page["feedAccounts"] + rest["feedAccounts"]]
    assert listed == names[::-1]
    assert rest["nextCursor"] is None


def test_a_ledger_account_stands_behind_one_feed_only(ada, books):
    equipment = books.account_id("Equipment")
    made = opened(ada, accountId=equipment)
    answer = ada.post(PATH, json={"name": "Another", "currency": "EUR", "accountId": equipment})
    assert answer.status_code == 409
    assert answer.json["code"] == "already_backed"
    assert answer.json["details"] == {"faId": made["faId"]}


@pytest.mark.parametrize("name", ["Rent", "Transfers between own accounts", "Opening balances"])
def test_only_an_own_asset_or_liability_stands_behind_a_feed(ada, books, name):
    answer = ada.post(PATH, json={"name": "A", "currency": "EUR", "accountId": books.account_id(name)})
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == ["accountId"]


def test_a_ledger_account_takes_its_feeds_currency(ada, books):
    made = opened(ada, accountId=books.account_id("Equipment"), currency="usd")
    assert made["currency"] == "USD"
    other = ada.patch(f"{PATH}/{opened(ada)['faId']}", json={"accountId": made["accountId"]})
    assert other.status_code == 409
    freed = ada.patch(f"{PATH}/{made['faId']}", json={"accountId": books.account_id("Petty cash")})
    assert freed.status_code == 200
    answer = ada.post(PATH, json={"name": "A", "currency": "EUR", "accountId": made["accountId"]})
    assert answer.status_code == 422
    assert "kept in USD" in answer.json["error"]


def test_an_account_with_postings_in_another_currency_is_refused(ada, books):
    books.post(
        """
        price 2026-03-01 USD 1.0842

        2026-03-02 Laptop
          Equipment                     1084.00 USD
          Owner's contributions        -1084.00 USD
        """
    )
    answer = ada.post(PATH, json={"name": "A", "currency": "EUR", "accountId": books.account_id("Equipment")})
    assert answer.status_code == 422
    assert "postings in USD" in answer.json["error"]


def test_an_asset_becomes_a_liability_and_back(ada):
    address = f"{PATH}/{opened(ada)['faId']}"
    for type_ in ("LIABILITY", "ASSET"):
        assert ada.patch(address, json={"type": type_}).json["feedAccount"]["accountType"] == type_


def test_changes_are_told_back_and_nothing_else_changes(ada):
    made = opened(ada, externalId="7")
    changes = {"name": "Main account", "isActive": False, "mask": "42", "institutionName": "Harbour Bank"}
    answer = ada.patch(f"{PATH}/{made['faId']}", json=changes).json["feedAccount"]
    told = {"accountName": "Main account", "isActive": False, "mask": "42", "institutionName": "Harbour Bank"}
    assert answer == {**made, **told}


def test_a_number_is_there_once_in_each_currency(ada):
    opened(ada, externalId="7")
    opened(ada, externalId="7", currency="USD")
    answer = ada.post(PATH, json={"name": "Again", "currency": "EUR", "externalId": "7"})
    assert answer.status_code == 409
    assert answer.json["code"] == "external_id_taken"


@on_sqlite
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "A"},
        {"name": " ", "currency": "EUR"},
        {"name": "A", "currency": "XAU"},
        {"name": "A", "currency": "EUR", "type": "INCOME"},
        {"name": "A", "currency": "EUR", "accountId": "7"},
        {"name": "A", "currency": "EUR", "accountId": True},
        {"name": "A", "currency": "EUR", "accountId": 2**63 - 1},
        {"name": "A", "currency": "EUR", "institutionUrl": "javascript:alert(1)"},
        {"name": "A", "currency": "EUR", "provider": "file"},
    ],
)
def test_what_makes_no_account_is_refused(ada, body):
    answer = ada.post(PATH, json=body)
    assert answer.status_code == 422
    assert answer.json["fields"]


def test_nothing_to_change_is_refused(ada):
    address = f"{PATH}/{opened(ada)['faId']}"
    assert ada.patch(address, json={}).status_code == 422
    assert ada.patch(address, json={"currency": "USD"}).status_code == 422


def test_only_an_owner_opens_accounts(ben, cleo):
    for person in (ben, cleo):
        assert person.post(PATH, json={"name": "A", "currency": "EUR"}).status_code == 403


def test_another_organizations_account_does_not_exist(ada, dan, books):
    made = opened(ada)
    never = dan.get(f"{PATH}/987654321").json
    assert dan.get(f"{PATH}/{made['faId']}").json == never
    assert dan.patch(f"{PATH}/{made['faId']}", json={"name": "Mine"}).json == never
    answer = dan.post(PATH, json={"name": "A", "currency": "EUR", "accountId": books.account_id("Equipment")})
    assert answer.status_code == 422
    assert dan.get(PATH).json == {"feedAccounts": [], "nextCursor": None}
