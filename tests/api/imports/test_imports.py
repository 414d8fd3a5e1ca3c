"""Importing bank files over the API: whole, refused or looked at, and never twice."""

import io

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file, ofx, statement
from tests.fixtures.helpers.marks import on_sqlite

PATH = "/api/feeds/imports"
KEYS = [
    "id",
    "fileName",
    "format",
    "status",
    "error",
    "warnings",
    "accounts",
    "chosen",
    "file",
    "transactionIds",
]
MARCH = (
    Line("2026-03-02", "-2.50", "Coffee", "F1"),
    Line("2026-03-02", "-2.50", "Coffee", "F2"),
    Line("2026-03-05", "1000.00", "Invoice 7", "F3"),
)


def send(person, data, name="march.ofx", **fields):
    form = {"file": (io.BytesIO(data), name), **fields}
    return person.post(PATH, data=form, content_type="multipart/form-data")


def imported(person, data, name="march.ofx", **fields):
    answer = send(person, data, name, **fields)
    assert answer.status_code == 201, answer.json
    return answer.json["import"]


def lines_of(person, **asked):
    listed = person.get("/api/transactions", query_string={"limit": 200, **asked}).json["transactions"]
    return sorted((each["bookedOn"], each["amount"], each["status"]) for each in listed)


def counted(answer):
    return [
        (each["added"], each["alreadyThere"], each["pending"], each["skipped"]) for each in answer["accounts"]
    ]


def test_a_file_comes_in_whole(ben):
    answer = imported(ben, bank_file(*MARCH, closing="1200.10"))
    assert list(answer) == KEYS
    assert (answer["status"], answer["error"], answer["format"]) == ("IMPORTED", None, "ofx")
    assert answer["accounts"] == [
        {
            "faId": answer["accounts"][0]["faId"],
            "externalId": "4711",
            "name": "Account ··4711",
            "currency": "EUR",
            "added": 3,
            "alreadyThere": 0,
            "pending": 0,
            "skipped": 0,
            "sum": "995.00",
            "firstDate": "2026-03-02",
            "lastDate": "2026-03-05",
            "openingBalance": None,
            "openingDate": None,
            "closingBalance": "1200.10",
            "closingDate": "2026-03-31",
        }
    ]
    assert ben.get(f"{PATH}/{answer['id']}").json["import"] == answer


def test_each_booked_line_has_a_draft_that_waits_for_its_account(ben, books):
    imported(ben, bank_file(*MARCH))
    assert books.balances() == []
    entry = ben.get("/api/journal-entries", query_string={"limit": 1}).json["entries"][0]
    assert [leg["amount"] for leg in entry["postings"]] == ["1000.00", "-1000.00"]
    assert [leg["isBankLeg"] for leg in entry["postings"]] == [True, False]
    assert entry["postings"][1]["accountName"] == "Uncategorised income"
    assert entry["origin"]["providerTransactionId"] == "F3"


def test_the_same_file_adds_nothing(ben):
    first = imported(ben, bank_file(*MARCH))
    for name in ("again.ofx", "renamed.qfx"):
        again = imported(ben, bank_file(*MARCH), name)
        assert counted(again) == [(0, 3, 0, 0)]
        assert again["accounts"][0]["sum"] == first["accounts"][0]["sum"]
    assert len(lines_of(ben)) == 3


def test_identical_lines_all_survive_a_wider_window(ben):
    coffee = Line("2026-03-02", "-2.50", "Coffee", "NONREF")
    imported(ben, bank_file(coffee, coffee))
    wider = imported(ben, bank_file(coffee, coffee, coffee, Line("2026-03-01", "-2.50")))
    assert counted(wider) == [(2, 2, 0, 0)]
    assert len(lines_of(ben)) == 4


def test_a_deleted_line_stays_deleted(ben):
    imported(ben, bank_file(*MARCH))
    line = ben.get("/api/transactions").json["transactions"][0]
    assert ben.delete(f"/api/transactions/{line['id']}").status_code == 200
    assert counted(imported(ben, bank_file(*MARCH))) == [(0, 3, 0, 0)]
    assert [status for *_, status in lines_of(ben)] == ["BOOKED", "BOOKED", "DELETED"]


def test_a_reference_with_another_amount_is_new_and_warned_of(ben):
    imported(ben, bank_file(*MARCH))
    answer = imported(ben, bank_file(Line("2026-03-05", "1000.01", "Invoice 7", "F3")))
    assert counted(answer) == [(1, 0, 0, 0)]
    assert answer["warnings"][0].startswith("reference_reused: ")


def test_pending_lines_are_those_of_the_last_file(ben):
    hotel, train = (
        Line("2026-03-30", "-90.00", "Hotel", "P1", pending=True),
        Line("2026-03-31", "-20.00", "Train", "P2", pending=True),
    )
    first = imported(ben, bank_file(*MARCH, hotel, train))
    assert counted(first) == [(3, 0, 2, 0)]
    assert first["accounts"][0]["sum"] == "995.00"
    second = imported(ben, bank_file(*MARCH, train, Line("2026-03-31", "-90.00", "Hotel", "B9")))
    assert counted(second) == [(1, 3, 1, 0)]
    states = [status for day, _, status in lines_of(ben) if day >= "2026-03-30"]
    assert sorted(states) == ["BOOKED", "PENDING", "REMOVED"]


def test_pending_lines_have_no_draft(ben):
    imported(ben, bank_file(Line("2026-03-30", "-90.00", "Hotel", "P1", pending=True)))
    line = ben.get("/api/transactions").json["transactions"][0]
    assert line["journalEntryId"] is None
    answer = ben.post(f"/api/transactions/{line['id']}/confirm")
    assert (answer.status_code, answer.json["code"]) == (409, "pending")


def test_several_accounts_and_currencies_in_one_file(ben, ada):
    data = ofx(
        statement(Line("2026-03-02", "5.00"), account="1", closing="5.00"),
        statement(Line("2026-03-02", "7"), account="1", currency="JPY"),
        statement(Line("2026-03-02", "-9.00"), account="2", card=True, closing="-9.00"),
    )
    answer = imported(ben, data)
    assert [(each["externalId"], each["currency"], each["sum"]) for each in answer["accounts"]] == [
        ("1", "EUR", "5.00"),
        ("1", "JPY", "7"),
        ("2", "EUR", "-9.00"),
    ]
    types = [each["accountType"] for each in ada.get("/api/feeds/accounts").json["feedAccounts"]]
    assert types == ["LIABILITY", "ASSET", "ASSET"]


def test_a_foreign_line_is_mirrored_at_the_rate_of_its_day_or_not_at_all(ben, books):
    books.post("price 2026-03-02 USD 1.0842")
    days = ("2026-03-01", "2026-03-12", "2026-03-13")
    imported(ben, bank_file(*(Line(day, "10.84") for day in days), currency="USD"))
    entries = ben.get("/api/journal-entries").json["entries"]
    mirrored = [[leg["amountBase"] for leg in entry["postings"]] for entry in entries]
    assert mirrored == [[None, None], ["10.00", "-10.00"], [None, None]]


def test_only_closing_balances_are_kept(ada):
    imported(ada, bank_file(closing="100.00", closing_day="2026-03-30"))
    imported(ada, bank_file(closing="120.005", closing_day="2026-03-31"))
    account = ada.get("/api/feeds/accounts").json["feedAccounts"][0]
    assert account["feedBalance"] == {"amount": "120.01", "currency": "EUR", "asOf": "2026-03-31"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"<html>Please sign in</html>", "a web page"),
        (b"", "empty"),
        (bank_file(*MARCH, Line("2026-02-31", "1.00")), "not a date"),
        (bank_file(*MARCH, Line("2026-03-01", "1.001")), "EUR has 2 digits"),
        (bank_file(*MARCH, Line("2026-03-01", "99999999999999999999")), "larger than"),
        (bank_file(*(Line("2026-03-01", "90000000000000000.00"),) * 2), "more than the books can hold"),
        (bank_file(*MARCH)[:-30], "cut off"),
    ],
)
def test_a_refused_file_changes_nothing_and_says_why(ben, data, sentence):
    answer = send(ben, data, "bad.ofx")
    assert answer.status_code == 422
    assert sentence in answer.json["error"]
    refused = answer.json["import"]
    assert (refused["status"], refused["error"], refused["accounts"]) == ("REFUSED", answer.json["error"], [])
    assert ben.get(f"{PATH}/{refused['id']}").json["import"] == refused
    assert lines_of(ben) == []
    assert ben.get("/api/feeds/accounts").json["feedAccounts"] == []
    acts = ben.get("/api/action-requests").json["actionRequests"]
    assert (acts[0]["kind"], acts[0]["status"]) == ("import_file", "FAILED")


def test_a_file_with_nothing_to_book_is_taken(ben):
    status = "<SONRS><STATUS><CODE>15500<SEVERITY>ERROR<MESSAGE>Wrong password</STATUS></SONRS>"
    answer = imported(ben, f"OFXHEADER:100\n<OFX><SIGNONMSGSRSV1>{status}</SIGNONMSGSRSV1></OFX>".encode())
    assert answer["accounts"] == []
    assert "Wrong password" in " ".join(answer["warnings"])


def test_a_dry_run_tells_and_writes_nothing(ben):
    answer = send(ben, bank_file(*MARCH, closing="5.00"), dryRun="true")
    assert answer.status_code == 200
    preview = answer.json["import"]
    assert preview["status"] == "PREVIEWED"
    assert counted(preview) == [(3, 0, 0, 0)]
    assert preview["accounts"][0]["faId"] is None
    assert lines_of(ben) == []
    assert ben.get("/api/feeds/accounts").json["feedAccounts"] == []
    rows = ben.get(f"{PATH}/{preview['id']}/lines", query_string={"limit": 2}).json
    assert [(row["row"], row["verdict"], row["amount"]) for row in rows["lines"]] == [
        (1, "NEW", "-2.50"),
        (2, "NEW", "-2.50"),
    ]
    rest = ben.get(f"{PATH}/{preview['id']}/lines", query_string={"cursor": rows["nextCursor"]}).json
    assert [row["row"] for row in rest["lines"]] == [3]


def test_a_preview_is_committed_once(ben):
    preview = send(ben, bank_file(*MARCH), dryRun="true").json["import"]
    first = ben.post(f"{PATH}/{preview['id']}/commit")
    again = ben.post(f"{PATH}/{preview['id']}/commit")
    assert first.status_code == again.status_code == 200
    assert first.json["import"] == again.json["import"]
    assert (first.json["changed"], again.json["changed"]) == (True, False)
    assert first.json["import"]["status"] == "IMPORTED"
    assert first.json["import"]["id"] == preview["id"]
    assert len(lines_of(ben)) == 3


def test_previewed_files_are_closed_to_others_and_gone_after_the_commit(ben, house):
    preview = send(ben, bank_file(*MARCH), dryRun="true").json["import"]
    folder = house.settings.instance_path / "previews"
    newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    assert newest.stat().st_mode & 0o777 == 0o600
    ben.post(f"{PATH}/{preview['id']}/commit")
    assert not newest.exists()


def test_a_list_is_newest_first(ben, cleo):
    names = ["a.ofx", "b.ofx", "c.ofx"]
    for name in names:
        imported(ben, bank_file(*MARCH), name)
    page = cleo.get(PATH, query_string={"limit": 2}).json
    rest = cleo.get(PATH, query_string={"limit": 2, "cursor": page["nextCursor"]}).json
    assert [each["fileName"] for each in page["imports"] + rest["imports"]] == names[::-1]


def test_rows_are_listed_with_their_verdicts(ben):
    imported(ben, bank_file(*MARCH[:1]))
    answer = imported(ben, bank_file(*MARCH, Line("2026-03-30", "-9.00", "Hotel", "P1", pending=True)))
    address = f"{PATH}/{answer['id']}/lines"
    rows = ben.get(address).json["lines"]
    assert [row["verdict"] for row in rows] == ["ALREADY_THERE", "NEW", "NEW", "PENDING"]
    assert all(row["transactionId"] for row in rows)
    only = ben.get(address, query_string={"verdict": "PENDING"}).json["lines"]
    assert [row["description"] for row in only] == ["Hotel"]


@on_sqlite
@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"dryRun": "yes"}, "dryRun"),
        ({"faId": "0"}, "faId"),
        ({"faId": "987654321"}, "faId"),
        ({"mapping": "[]"}, "mapping"),
        ({"mapping": "{"}, "mapping"),
        ({"account": "1"}, "account"),
    ],
)
def test_a_form_with_another_value_is_refused_by_its_name(ben, fields, path):
    answer = send(ben, bank_file(*MARCH), **fields)
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == [path]
    assert "import" not in answer.json


def test_a_form_holds_one_file(ben):
    none = ben.post(PATH, data={"dryRun": "true"}, content_type="multipart/form-data")
    assert (none.status_code, list(none.json["fields"])) == (422, ["file"])
    two = {"file": [(io.BytesIO(b"a"), "a"), (io.BytesIO(b"b"), "b")]}
    assert ben.post(PATH, data=two, content_type="multipart/form-data").status_code == 422
    assert ben.post(PATH, data=b"a", content_type="application/x-ofx").status_code == 415


@on_sqlite
@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\bank\\a.ofx", "a\x00b.ofx", "x" * 300, "\u202exfo.ofx"]
)
def test_a_file_name_is_only_a_name(ben, name):
    answer = imported(ben, bank_file(*MARCH), name)
    assert 0 < len(answer["fileName"]) <= 255
    assert not set(answer["fileName"]) & set("/\\\0")


def test_a_viewer_may_look_and_another_organization_may_not(ben, cleo, dan):
    answer = imported(ben, bank_file(*MARCH))
    assert send(cleo, bank_file(*MARCH)).status_code == 403
    assert cleo.delete(f"{PATH}/{answer['id']}").status_code == 403
    never = dan.get(f"{PATH}/987654321").json
    for method, path in (("GET", ""), ("GET", "/lines"), ("POST", "/commit"), ("DELETE", "")):
        hidden = dan.ask(method, f"{PATH}/{answer['id']}{path}")
        assert (hidden.status_code, hidden.json) == (404, never)
    account = answer["accounts"][0]["faId"]
    assert send(dan, bank_file(*MARCH), faId=str(account)).status_code == 422
    assert dan.get(PATH).json["imports"] == []


def test_what_no_import_takes_is_refused_by_name(ben):
    form = {"file": (io.BytesIO(b""), "a.ofx")}
    asked = ben.post(f"{PATH}?dry=1", data=form, content_type="multipart/form-data")
    assert (asked.status_code, list(asked.json["fields"])) == (422, ["dry"])
    assert ben.post(f"{PATH}/999999/commit", json={"sure": True}).json["fields"].keys() == {"sure"}
    unknown = send(ben, b"", colour="red")
    assert unknown.json["fields"] == {
        "colour": ["This name is unknown; the valid ones are: dryRun, faId, file, mapping."]
    }


def test_a_file_that_comes_as_it_is_is_told_how_to_come(ben):
    answer = ben.post(PATH, data=b"OFXHEADER:100", content_type="application/x-ofx")
    assert answer.status_code == 415
    assert "multipart/form-data form, or to the API as JSON" in answer.json["error"]
    assert ben.post(PATH).json == answer.json
