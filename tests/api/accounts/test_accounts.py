"""The chart of accounts over the API."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite

PATH = "/api/accounts"


def make(person, name="Studio", type="EXPENSE", **more):  # noqa: A002  (the trade's word)
    return person.post(PATH, json={"name": name, "type": type, **more}).json["account"]


def named(person, name):
    return next(one for one in person.get(f"{PATH}?limit=200").json["accounts"] if one["name"] == name)


def change(person, account, **changes):
    return person.patch(f"{PATH}/{account['id']}", json=changes)


def refusal(answer):
    return answer.status_code, answer.json["code"]


def test_an_account_is_opened_and_read_with_every_key(ada):
    answer = ada.post(PATH, json={"code": "6105", "name": "Studio rent", "type": "EXPENSE", "emoji": "🏢"})
    assert answer.status_code == 201
    account = answer.json["account"]
    assert account == {
        "id": account["id"],
        "code": "6105",
        "name": "Studio rent",
        "type": "EXPENSE",
        "group": "OVERHEADS",
        "taxCodeId": None,
        "emoji": "🏢",
        "currency": None,
        "currencyFrom": None,
        "parentId": None,
        "inScope": True,
        "requiresCounterparty": False,
        "isWatched": False,
        "isRevalued": False,
        "keepsItems": False,
        "itemsFrom": None,
        "isSystem": False,
        "isArchived": False,
        "balance": "0.00",
        "balanceBase": "0.00",
    }
    assert ada.get(f"{PATH}/{account['id']}").json["account"] == account


@on_sqlite
def test_name_and_type_are_required_and_types_are_strict(ada):
    good = {"name": "x", "type": "ASSET"}
    assert set(ada.post(PATH, json={}).json["fields"]) == {"name", "type"}
    for key, value in (
        ("type", "asset"),
        ("code", 1000),
        ("code", ""),
        ("code", "a" * 21),
        ("code", "6-1"),
        ("code", "٣"),
        ("code", "a\n"),
        ("currency", "XXQ"),
        ("parentId", "5"),
        ("inScope", 1),
        ("isWatched", "true"),
        ("isRevalued", 1),
        ("isSystem", True),
    ):
        answer = ada.post(PATH, json={**good, key: value})
        assert answer.status_code == 422, (key, value)
        assert list(answer.json["fields"]) == [key]


def test_a_code_is_unique_within_an_organization(ada, dan):
    make(ada, code="A" * 20)
    assert refusal(ada.post(PATH, json={"name": "x", "type": "ASSET", "code": "A" * 20})) == (
        409,
        "code_taken",
    )
    assert refusal(change(ada, make(ada), code="1100")) == (409, "code_taken")
    assert make(dan, code="A" * 20)["code"] == "A" * 20
    assert change(ada, named(ada, "Rent"), code="6100").status_code == 200


@pytest.mark.both
def test_an_account_without_a_code_gets_the_next_one_of_its_type(ada):
    made = [
        make(ada, name, type_)["code"] for name, type_ in (("a", "EXPENSE"), ("b", "EXPENSE"), ("c", "ASSET"))
    ]
    assert made == ["6910", "6920", "1910"]
    assert make(ada, "Chosen null", "EQUITY", code=None)["code"] == "3310"
    after_last = [make(ada, code="6990"), make(ada), make(ada)]
    assert [one["code"] for one in after_last] == ["6990", "6001", "6002"]


def test_accounts_are_listed_by_code_those_without_one_last(ada):
    for name in ("Zebra", "apple"):
        change(ada, make(ada, name), code=None)
    make(ada, "First", code="0001")
    names = [one["name"] for one in ada.get(f"{PATH}?limit=200").json["accounts"]]
    assert names[0] == "First"
    assert names[-2:] == ["apple", "Zebra"]
    paged, cursor = [], ""
    while cursor is not None:
        page = ada.get(f"{PATH}?limit=20{cursor and '&cursor='}{cursor}").json
        paged += [one["name"] for one in page["accounts"]]
        cursor = page["nextCursor"]
    assert paged == names


def test_accounts_are_listed_by_type_and_without_the_archived(ada):
    account = make(ada, "Old", "EQUITY")
    change(ada, account, isArchived=True)
    equity = ada.get(f"{PATH}?type=EQUITY&archived=false").json["accounts"]
    assert {one["type"] for one in equity} == {"EQUITY"}
    assert "Old" not in {one["name"] for one in equity}
    assert [one["name"] for one in ada.get(f"{PATH}?archived=true").json["accounts"]] == ["Old"]


def test_balances_count_posted_and_voided_entries_and_no_drafts(ada, books):
    books.post(
        """
        account Dollars ASSET USD
        price 2026-10-01 USD 1.2500

        2026-10-01 Sold
            Dollars             125.00 USD
            Sales of services  -125.00 USD

        2026-10-01 Rent
            Rent         300.00 EUR
            Petty cash  -300.00 EUR

        2026-10-02 ! Not yet
            Rent         50.00 EUR
            Petty cash  -50.00 EUR
        """
    )
    dollars = named(ada, "Dollars")
    assert (dollars["balance"], dollars["balanceBase"]) == ("125.00", "100.00")
    sales = named(ada, "Sales of services")
    assert (sales["balance"], sales["balanceBase"]) == ("-100.00", "-100.00")
    assert named(ada, "Rent")["balance"] == "300.00"
    posted = next(
        entry for entry in ada.get("/api/journal-entries").json["entries"] if entry["description"] == "Rent"
    )
    ada.post(f"/api/journal-entries/{posted['id']}/void", json={"reason": "twice"})
    assert named(ada, "Rent")["balance"] == "0.00"


def test_an_account_cannot_stand_under_itself(ada):
    top = make(ada, "Top")
    middle = make(ada, "Middle", parentId=top["id"])
    bottom = make(ada, "Bottom", parentId=middle["id"])
    for parent in (top, middle, bottom):
        assert refusal(change(ada, top, parentId=parent["id"])) == (422, "parent_cycle")
    assert change(ada, bottom, parentId=top["id"]).json["account"]["parentId"] == top["id"]
    assert change(ada, middle, parentId=None).json["account"]["parentId"] is None


def test_another_organizations_account_is_no_parent_and_not_found(ada, dan):
    theirs = make(dan)
    answer = ada.post(PATH, json={"name": "x", "type": "ASSET", "parentId": theirs["id"]})
    assert refusal(answer) == (422, "unknown_reference")
    assert answer.json["fields"] == {"parentId": ["There is nothing under this id."]}
    assert refusal(change(ada, theirs, name="Mine")) == (404, "not_found")
    assert ada.get(f"{PATH}/{theirs['id']}").status_code == 404


def test_what_the_books_themselves_post_to_stays(ada):
    transfers = named(ada, "Transfers between own accounts")
    assert transfers["isSystem"]
    for changes in (
        {"type": "LIABILITY"},
        {"currency": "EUR"},
        {"isArchived": True},
        {"requiresCounterparty": True},
        {"isRevalued": True},
    ):
        assert refusal(change(ada, transfers, **changes)) == (409, "system_account")
    assert change(ada, transfers, name="In transit", isWatched=False, code="1999").status_code == 200


def test_a_type_changes_while_nothing_is_posted_and_assets_and_debts_always(ada, books):
    books.post("2026-10-01 Rent\n    Rent  300.00 EUR\n    Loans  -300.00 EUR\n")
    assert refusal(change(ada, named(ada, "Rent"), type="INCOME")) == (409, "posted")
    assert change(ada, named(ada, "Loans"), type="ASSET").json["account"]["balance"] == "-300.00"
    assert change(ada, make(ada), type="INCOME").json["account"]["type"] == "INCOME"


def test_money_and_debts_are_revalued_unless_somebody_decides_otherwise(ada, bank):
    kinds = [("LIABILITY", None), ("ASSET", None), ("ASSET", "USD"), ("EXPENSE", "USD")]
    made = [
        make(ada, f"Account {place}", type=each, currency=code) for place, (each, code) in enumerate(kinds)
    ]
    assert [each["isRevalued"] for each in made] == [True, False, True, False]
    assert make(ada, "Provision", type="LIABILITY", isRevalued=False)["isRevalued"] is False
    revalued = {each["name"] for each in ada.get(f"{PATH}?limit=200").json["accounts"] if each["isRevalued"]}
    assert revalued >= {"Petty cash", "Trade receivables", "Trade payables", "Loans"}
    assert not revalued & {
        "Equipment",
        "Prepaid expenses",
        "Transfers between own accounts",
        "Deferred income",
    }
    feed = ada.post("/api/feeds/accounts", json={"name": "Dollars", "currency": "USD"}).json["feedAccount"]
    assert ada.get(f"{PATH}/{feed['accountId']}").json["account"]["isRevalued"] is True
    backed = {"name": "Till", "currency": "EUR", "accountId": named(ada, "Equipment")["id"]}
    assert ada.post("/api/feeds/accounts", json=backed).status_code == 201
    assert named(ada, "Equipment")["isRevalued"] is True


def test_only_assets_and_debts_are_revalued(ada):
    rent = named(ada, "Rent")
    refused = change(ada, rent, isRevalued=True)
    assert refusal(refused) == (422, "not_revalued")
    assert refused.json["fields"] == {
        "isRevalued": ["Only assets and liabilities are revalued; switch it off for this account."]
    }
    new = {"name": "Sales abroad", "type": "INCOME", "isRevalued": True}
    assert refusal(ada.post(PATH, json=new)) == (422, "not_revalued")
    assert change(ada, rent, type="LIABILITY", isRevalued=True).json["account"]["isRevalued"] is True
    moved = change(ada, rent, type="EXPENSE").json["account"]
    assert (moved["type"], moved["isRevalued"]) == ("EXPENSE", False)


def test_a_currency_is_set_where_no_posting_contradicts_it(ada, books):
    books.post("2026-10-01 Rent\n    Rent  300.00 EUR\n    Loans  -300.00 EUR\n")
    rent = named(ada, "Rent")
    assert refusal(change(ada, rent, currency="USD")) == (409, "posted")
    assert change(ada, rent, currency="eur").json["account"]["currency"] == "EUR"


def test_an_account_is_archived_and_brought_back(ada):
    account = make(ada)
    assert change(ada, account, isArchived=True).json["account"]["isArchived"] is True
    assert change(ada, account, isArchived=False).json["account"]["isArchived"] is False


def test_what_a_bank_posts_to_stays(ada, bank):
    bank.open()
    account = ada.get(f"{PATH}/{bank.ledger_account()}").json["account"]
    for changes in (
        {"type": "INCOME"},
        {"currency": None},
        {"isArchived": True},
        {"requiresCounterparty": True},
    ):
        assert refusal(change(ada, account, **changes)) == (409, "feed_backed")
    assert change(ada, account, type="LIABILITY").json["account"]["type"] == "LIABILITY"


def test_a_change_that_changes_nothing_is_not_recorded_and_an_empty_one_refused(ada):
    account = make(ada)
    assert refusal(change(ada, account)) == (422, "nothing_to_change")
    change(ada, account, name="Studio")
    assert ada.get("/api/action-requests").json["actionRequests"][1]["kind"] == "create_account"


@on_sqlite
def test_only_an_owner_administers_accounts(ada, ben, cleo):
    account = make(ada)
    for person in (ben, cleo):
        assert person.get(f"{PATH}/{account['id']}").status_code == 200
        assert refusal(change(person, account, name="x")) == (403, "forbidden")
        assert person.post(PATH, json={"name": "x", "type": "ASSET"}).status_code == 403
