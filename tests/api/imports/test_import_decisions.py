"""Lines of a file that another source may have given: decided one by one as the file is imported, and remembered."""

import re

import pytest

from tests.api.imports.test_imports import MARCH, PATH, counted, imported, lines_of, send
from tests.fixtures.bank_files.ofx_statements import bank_file

HEADER = "Date;Amount;Text\n"
ROWS = (
    "2026-03-02;-2,50;COFFEE BAR 1\n",
    "2026-03-02;-2,50;COFFEE BAR 2\n",
    "2026-03-05;1000,00;INVOICE NO 7\n",
)
MAPPING = '{"delimiter": ";", "date": "Date", "amount": "Amount", "description": "Text", "decimal": ","}'


@pytest.fixture
def fa_id(ben):
    return imported(ben, bank_file(*MARCH))["accounts"][0]["faId"]


def counting(ben):
    """The lines that count: another report of one of them is kept, and stands as REMOVED."""
    return [line for line in lines_of(ben) if line[-1] != "REMOVED"]


def csv(*rows):
    return (HEADER + "".join(rows)).encode()


def previewed(ben, fa_id, data=None):
    data = data or csv(*ROWS)
    answer = send(ben, data, "march.csv", faId=str(fa_id), mapping=MAPPING, dryRun="true")
    assert answer.status_code == 200, answer.json
    return answer.json["import"]["id"]


def doubtful(ben, import_id):
    lines = ben.get(f"{PATH}/{import_id}/lines").json["lines"]
    return [
        (each["position"], each["possibleTransactionIds"]) for each in lines if each["possibleTransactionIds"]
    ]


def commit(ben, import_id, *decisions):
    named = [{"position": position, "transactionId": line} for position, line in decisions]
    return ben.post(f"{PATH}/{import_id}/commit", json={"decisions": named})


def test_a_doubtful_line_names_the_lines_that_it_may_be(ben, fa_id):
    coffees, invoice = lines_of_ids(ben)
    assert doubtful(ben, previewed(ben, fa_id)) == [(0, coffees), (1, coffees), (2, invoice)]


def lines_of_ids(ben):
    listed = ben.get("/api/transactions", query_string={"limit": 200}).json["transactions"]
    coffees = sorted(each["id"] for each in listed if each["amount"] == "-2.50")
    return coffees, [each["id"] for each in listed if each["amount"] == "1000.00"]


def test_a_line_that_is_the_same_adds_nothing_and_is_known_from_then_on(ben, fa_id):
    import_id = previewed(ben, fa_id)
    (first, coffees), (second, _), (third, invoice) = doubtful(ben, import_id)
    done = commit(ben, import_id, (first, coffees[1]), (second, coffees[0]), (third, invoice[0]))
    assert done.status_code == 200, done.json
    assert counted(done.json["import"]) == [(0, 3, 0, 0)]
    assert not any("may be there" in each for each in done.json["import"]["warnings"])
    lines = ben.get(f"{PATH}/{import_id}/lines").json["lines"]
    assert [each["transactionId"] for each in lines] == [coffees[1], coffees[0], invoice[0]]
    again = imported(ben, csv(*ROWS), "again.csv", faId=str(fa_id))
    assert counted(again) == [(0, 3, 0, 0)]
    assert len(counting(ben)) == 3


def test_one_more_line_of_the_same_day_and_amount_is_new_then(ben, fa_id):
    import_id = previewed(ben, fa_id)
    doubts = enumerate(doubtful(ben, import_id))
    commit(ben, import_id, *((position, ids[number % len(ids)]) for number, (position, ids) in doubts))
    wider = imported(ben, csv(*ROWS, "2026-03-02;-2,50;COFFEE BAR 3\n"), "wider.csv", faId=str(fa_id))
    assert counted(wider) == [(1, 3, 0, 0)]
    assert not any("may be there" in each for each in wider["warnings"])


def test_a_line_that_is_a_new_one_is_added_without_a_warning(ben, fa_id):
    import_id = previewed(ben, fa_id)
    done = commit(ben, import_id, *((position, None) for position, _ in doubtful(ben, import_id)))
    assert counted(done.json["import"]) == [(3, 0, 0, 0)]
    assert not any("may be there" in each for each in done.json["import"]["warnings"])


def test_without_a_decision_a_doubtful_line_is_added_and_warned_of(ben, fa_id):
    done = ben.post(f"{PATH}/{previewed(ben, fa_id)}/commit")
    assert counted(done.json["import"]) == [(3, 0, 0, 0)]
    assert any(each.startswith("3 of the lines may be") for each in done.json["import"]["warnings"])


def test_a_decision_that_fits_no_line_is_refused_and_nothing_is_imported(ben, fa_id):
    import_id = previewed(ben, fa_id)
    (first, coffees), (second, _), (third, invoice) = doubtful(ben, import_id)
    for wrong in [
        [(first, invoice[0])],
        [(99, coffees[0])],
        [(first, coffees[0]), (second, coffees[0])],
        [(third, 10**9)],
    ]:
        answer = commit(ben, import_id, *wrong)
        assert (answer.status_code, answer.json["code"]) == (422, "not_doubtful"), wrong
    assert ben.get(f"{PATH}/{import_id}").json["import"]["status"] == "PREVIEWED"
    assert len(counting(ben)) == 3


def test_taking_the_import_back_takes_its_decisions_back(ben, fa_id):
    import_id = previewed(ben, fa_id)
    decided = [(position, ids[0]) for position, ids in doubtful(ben, import_id)[1:]]
    assert counted(commit(ben, import_id, *decided).json["import"]) == [(1, 2, 0, 0)]
    assert ben.delete(f"{PATH}/{import_id}").status_code == 200
    assert len(counting(ben)) == 3
    assert len(doubtful(ben, previewed(ben, fa_id))) == 3


def test_the_lines_of_an_import_that_goes_stay_with_the_file_that_was_decided_to_have_them(ben, fa_id):
    first = ben.get(PATH).json["imports"][0]["id"]
    import_id = previewed(ben, fa_id)
    (one, coffees), (two, _), (three, invoice) = doubtful(ben, import_id)
    commit(ben, import_id, (one, coffees[0]), (two, coffees[1]), (three, invoice[0]))
    assert ben.delete(f"{PATH}/{first}").status_code == 200
    assert len(counting(ben)) == 3
    assert counted(imported(ben, csv(*ROWS), "again.csv", faId=str(fa_id))) == [(0, 3, 0, 0)]
    for each in ben.get(PATH).json["imports"]:
        assert ben.delete(f"{PATH}/{each['id']}").status_code == 200
    assert lines_of(ben) == []


def test_an_imported_file_takes_no_decision(ben, fa_id):
    import_id = previewed(ben, fa_id)
    position, ids = doubtful(ben, import_id)[0]
    ben.post(f"{PATH}/{import_id}/commit")
    answer = commit(ben, import_id, (position, ids[0]))
    assert (answer.status_code, answer.json["code"]) == (409, "imported")


def choose(ben, import_id, **choice):
    named = {"externalId": None, "currency": None, **choice}
    return ben.post(f"{PATH}/{import_id}/commit", json={"accounts": [named]})


def test_an_account_without_a_number_is_the_one_that_was_chosen(ben, bank):
    bank.open("Savings")
    import_id = send(ben, csv(*ROWS), "march.csv", mapping=MAPPING, dryRun="true").json["import"]["id"]
    done = choose(ben, import_id, faId=bank.fa_id)
    assert done.status_code == 200, done.json
    assert [account["faId"] for account in done.json["import"]["accounts"]] == [bank.fa_id]


def test_a_new_account_is_named_and_typed_as_it_was_said(ben, bank):
    import_id = send(ben, csv(*ROWS), "march.csv", mapping=MAPPING, dryRun="true").json["import"]["id"]
    done = choose(ben, import_id, name="Company card", type="LIABILITY")
    (account,) = done.json["import"]["accounts"]
    opened = ben.get(f"/api/feeds/accounts/{account['faId']}").json["feedAccount"]
    assert (opened["accountName"], opened["accountType"]) == ("Company card", "LIABILITY")


def test_a_new_account_is_in_the_currency_that_was_said_where_the_file_names_none(ben):
    first = send(ben, csv(*ROWS), "march.csv", mapping=MAPPING, dryRun="true")
    page = ben.browser().get(f"/imports/{first.json['import']['id']}").text
    assert re.search(r'no currency. Read as EUR.*?href="#accounts.0-currency">Change', page, re.DOTALL)
    done = choose(ben, first.json["import"]["id"], opensIn="USD")
    assert [each["currency"] for each in done.json["import"]["accounts"]] == ["USD"]


def test_an_account_of_another_currency_or_number_is_refused_and_the_file_waits(ben, bank):
    bank.open("Dollars", "USD")
    dollars = bank.fa_id
    numbered = imported(ben, bank_file(*MARCH))["accounts"][0]["faId"]
    other = bank_file(*MARCH).replace(b"4711", b"4712") if b"4711" in bank_file(*MARCH) else bank_file(*MARCH)
    preview = send(ben, other, "other.ofx", dryRun="true").json["import"]
    (account,) = preview["accounts"]
    named = {"externalId": account["externalId"], "currency": account["currency"]}
    for fa_id, said in ((dollars, "Choose another account"), (numbered, "has the number")):
        answer = ben.post(f"{PATH}/{preview['id']}/commit", json={"accounts": [{**named, "faId": fa_id}]})
        assert (answer.status_code, answer.json["code"]) == (422, "account_choice"), answer.json
        assert said in answer.json["error"]
    assert ben.get(f"{PATH}/{preview['id']}").json["import"]["status"] == "PREVIEWED"
