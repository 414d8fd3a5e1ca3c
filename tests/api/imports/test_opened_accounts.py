"""A file that opens an account beside others says which one, in which currency, and what it may be of."""

import base64
import io

import pytest

from tests.fixtures.bank_files import camt_files, ofx_statements
from tests.fixtures.bank_files.ofx_statements import Line
from tests.mcp.clients import Model

NUMBER, UNKNOWN = "DE89370400440532013000", "NL91ABNA0417164300"


def ofx(number, currency):
    lines = [Line("2026-05-02", "-100.00", "Rent", "F1"), Line("2026-05-09", "-20.00", "Tea", "F2")]
    return ofx_statements.bank_file(*lines, account=number, currency=currency)


def camt(number, currency):
    entries = [
        camt_files.entry("100.00", booked="2026-05-02", currency=currency),
        camt_files.entry("20.00", booked="2026-05-09", reference="A2", currency=currency),
    ]
    return camt_files.message(camt_files.statement(*entries, number=number, currency=currency))


def mt940(number, currency):
    return (
        f":20:X\n:25:{number}\n:28C:1/1\n:60F:C260501{currency}500,\n"
        ":61:2605020502D100,NMSCNONREF\n:86:Rent\n:61:2605090509D20,NMSCNONREF\n:86:Tea\n"
        f":62F:C260531{currency}380,\n-\n"
    ).encode()


def csv(number, currency):
    del number
    return f"Date;Amount;Currency;Text\n2026-05-13;-100.00;{currency};Rent\n2026-05-14;-20.00;{currency};Tea\n".encode()


FORMATS = {"ofx": ofx, "xml": camt, "sta": mt940, "csv": csv}


def uploaded(person, data, name, **form):
    sent = {"file": (io.BytesIO(data), name), **form}
    return person.post("/api/feeds/imports", data=sent, content_type="multipart/form-data")


@pytest.fixture
def giro(ada, bank):
    fa_id = bank.open("Giro")
    answer = ada.patch(f"/api/feeds/accounts/{fa_id}", json={"externalId": NUMBER})
    assert answer.status_code == 200, answer.json
    return fa_id


@pytest.mark.parametrize("name", ["ofx", "xml", "sta"])
@pytest.mark.parametrize(
    ("number", "currency", "told"),
    [
        (NUMBER, "EUR", None),
        (
            NUMBER,
            "CHF",
            f"Account {NUMBER} is Giro (faId {{}}) in EUR. The file is in CHF, so its lines open a new one:",
        ),
        (UNKNOWN, "EUR", f"No account has the number {UNKNOWN}, so its lines open a new one:"),
        (UNKNOWN, "USD", f"No account has the number {UNKNOWN}, so its lines open a new one:"),
    ],
)
def test_each_format_says_which_account_it_opens(ben, giro, name, number, currency, told):
    data, agent = FORMATS[name](number, currency), ben.with_scopes("read", "propose")
    file = {"fileName": f"may.{name}", "content": base64.b64encode(data).decode()}
    tried = uploaded(ben, data, f"may.{name}", dryRun="true").json["import"]["warnings"]
    model = Model(ben).call("import_statement", **file)
    waiting = agent.post("/api/feeds/imports", json=file).json["actionRequest"]
    page = ben.browser().get(f"/proposals?id={waiting['id']}").text
    assert waiting["effect"]["warnings"] == model["warnings"] == tried
    new = f"Import may.{name}: 2 lines of "
    assert waiting["title"].startswith(new)
    assert waiting["title"].endswith(f", 2\N{EN DASH}9 May, −120.00 {currency}")
    if told is None:
        assert tried == []
        return
    (sentence,) = tried
    assert sentence.startswith(told.format(giro))
    assert currency in sentence
    assert f"Giro (faId {giro})" in sentence
    assert sentence.replace(f" (faId {giro})", "") in page
    done = uploaded(ben, data, f"may.{name}").json["import"]
    assert done["warnings"] == tried
    # It is there now, so that the next file of it opens nothing.
    again = uploaded(ben, FORMATS[name](number, currency) + b"\n", "june", dryRun="true").json["import"]
    assert not any("open a new one" in each for each in again["warnings"])


@pytest.mark.parametrize("currency", ["EUR", "USD"])
def test_a_table_without_a_number_says_which_account_it_opens(ben, giro, currency):
    tried = uploaded(ben, csv(None, currency), "may.csv", dryRun="true").json["import"]["warnings"]
    (sentence,) = tried
    assert sentence.startswith("The file names no account, so its lines open a new one: Account in")
    assert f"Giro (faId {giro})" in sentence
    assert (
        uploaded(ben, csv(None, "EUR"), "may.csv", dryRun="true", faId=str(giro)).json["import"]["warnings"]
        == []
    )


@pytest.mark.usefixtures("giro")
def test_a_number_that_nobody_has_may_be_of_an_account_without_one(ada, ben):
    opened = ada.post("/api/feeds/accounts", json={"name": "Purse", "currency": "EUR"})
    purse = opened.json["feedAccount"]["faId"]
    (sentence,) = uploaded(ben, ofx(UNKNOWN, "EUR"), "may.ofx", dryRun="true").json["import"]["warnings"]
    assert sentence.endswith(f"choose it for this file: Purse (faId {purse}).")


def test_the_first_account_of_all_opens_without_a_word(ben):
    assert uploaded(ben, ofx(NUMBER, "EUR"), "may.ofx", dryRun="true").json["import"]["warnings"] == []


def test_accounts_of_one_file_are_proposed_under_names_of_their_own(ada):
    head = (
        "Account Type,Account Number,Transaction Date,Cheque Number,Description 1,Description 2,CAD$,USD$\n"
    )
    rows = "Visa,1-4510,3/2/2026,,Hire,,-4,,\nVisa,1-4510,3/2/2026,,Hire,,,-5,\nVisa,2-4510,3/2/2026,,Hire,,-6,,\n"
    answer = uploaded(ada, f"{head}{rows}".encode(), "rbc.csv")
    assert [each["name"] for each in answer.json["import"]["accounts"]] == [
        "Account ··4510",
        "Account ··4510 in USD",
        "Account ··4510, 2-4510",
    ]
