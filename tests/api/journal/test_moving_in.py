"""Books of two other programs move in by file in the middle of their year, and their next month is closed."""

import csv
from collections import defaultdict
from decimal import Decimal
from io import BytesIO, StringIO

import pytest

pytestmark = pytest.mark.usefixtures("sound")

TABLES = "/api/tables"
# As a German office exports them: semicolons, Windows-1252, decimal commas, and the side in a column of its own.
GERMAN_CHART = """Kontenplan
Konto;Kontobezeichnung;Kontoart
70420;Büroeinrichtung;Anlagevermögen
71000;Kasse Laden;Kasse
71200;Hausbank;Bank
71400;Forderungen a. LL;Forderungen
71600;Verbindlichkeiten a. LL;Verbindlichkeiten
70630;Darlehen KfW;Darlehen
70800;Gezeichnetes Kapital;Eigenkapital
78400;Erlöse Werkstatt;Erlöse
73400;Wareneingang;Wareneinkauf
74100;Löhne und Gehälter;Aufwand
74210;Miete Werkstatt;Aufwand
74830;Abschreibung Einrichtung;Abschreibungen
"""
GERMAN_BALANCES = """Summen- und Saldenliste zum 30.06.2026
Konto;Beschriftung;Soll;Haben;Saldo;S/H
70420;Büroeinrichtung;12.000,00;0,00;12.000,00;S
71000;Kasse Laden;3.210,50;2.900,10;310,40;S
71200;Hausbank;48.000,00;33.549,60;14.450,40;S
71400;Forderungen a. LL;30.000,00;26.430,00;3.570,00;S
71600;Verbindlichkeiten a. LL;9.000,00;10.190,00;1.190,00;H
70630;Darlehen KfW;0,00;10.000,00;10.000,00;H
70800;Gezeichnetes Kapital;0,00;15.000,00;15.000,00;H
78400;Erlöse Werkstatt;0,00;41.230,80;41.230,80;H
73400;Wareneingang;14.000,00;0,00;14.000,00;S
74100;Löhne und Gehälter;19.090,00;0,00;19.090,00;S
74210;Miete Werkstatt;4.000,00;0,00;4.000,00;S
Summe;;139.300,50;139.300,50;;
"""
GERMAN_ITEMS = """Kunde;Rechnungsnummer;Rechnungsdatum;Fällig am;Offener Betrag;Sammelkonto
Gärtnerei Öhler;R-117;12.05.2026;11.06.2026;2.380,00;71400
Müller & Söhne;R-121;20.06.2026;20.07.2026;1.190,00;71400
Holzhandel Brandt;4711;25.06.2026;25.07.2026;-1.190,00;71600
"""
GERMAN_JOURNAL = """"EXTF";700;21;"Buchungsstapel"
Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;Konto;Gegenkonto;Belegdatum;Belegfeld 1;Name;Buchungstext
1.190,00;S;71200;71400;03.07.2026;R-121;Müller & Söhne;Zahlung R-121
2.500,00;H;71200;74100;31.07.2026;;;Löhne Juli
800,00;S;74210;71200;01.07.2026;;;Miete Juli
3.400,75;S;71200;78400;15.07.2026;;;Tageskasse Werkstatt
100,00;S;74830;70420;31.07.2026;;;AfA Juli
"""
# As an American shop exports them: titles above, months first, blank cells for the same entry, and sums between.
AMERICAN_CHART = """Account List,,
Account,Type,Accnt. #
Harbor Checking,Bank,9010
Receivables of shop,Accounts receivable (A/R),9020
Vendors to pay,Accounts payable (A/P),9030
Espresso machine,Fixed Assets,9040
Owner's investment,Equity,9050
Coffee Sales,Income,9060
Beans,Cost of Goods Sold,9070
Rent of the shop,Expenses,9080
"""
AMERICAN_BALANCES = """Harbor Coffee,,
Trial Balance,,
"As of June 30, 2026",,
,Debit,Credit
9010 Harbor Checking,"21,450.25",
9020 Receivables of shop,640.00,
9030 Vendors to pay,,315.50
9040 Espresso machine,"8,900.00",
9050 Owner's investment,,"20,000.00"
9060 Coffee Sales,,"31,774.75"
9070 Beans,"9,100.00",
9080 Rent of the shop,"12,000.00",
TOTAL,"52,090.25","52,090.25"
"""
AMERICAN_BILLS = """Vendor,Num,Date,Due Date,Open Balance
Bean Importers,88,06/14/2026,07/14/2026,315.50
"""
AMERICAN_INVOICES = """Customer,Num,Date,Due Date,Open Balance
Pier Hotel,1042,06/20/2026,07/20/2026,400.00
Ferry Company,1043,06/28/2026,07/28/2026,240.00
"""
AMERICAN_JOURNAL = """Date,Transaction Type,Num,Name,Memo/Description,Account,Debit,Credit
07/03/2026,Sales Receipt,501,,Week 27,Harbor Checking,"2,310.40",
,,,,,Coffee Sales,,"2,310.40"
,,,,,,"2,310.40","2,310.40"
07/09/2026,Payment,502,Pier Hotel,Paid 1042,Harbor Checking,400.00,
,,,Pier Hotel,Paid 1042,Receivables of shop,,400.00
07/31/2026,Check,503,,July,Rent of the shop,"2,000.00",
,,,,July,Beans,512.35,
,,,,July,Harbor Checking,,"2,512.35"
TOTAL,,,,,,"5,222.75","5,222.75"
"""


def send(person, kind, text, *, expect=201, encoding="utf-8", **form):
    parts = {"file": (BytesIO(text.encode(encoding)), f"{kind.lower()}.csv"), "kind": kind, **form}
    answer = person.post(TABLES, data=parts, content_type="multipart/form-data")
    assert answer.status_code == expect, answer.json
    return answer.json["movedTable"] if expect < 400 else answer.json


def figure(text):
    return Decimal(text.replace(".", "").replace(",", ".")) if text else Decimal(0)


def dollars(text):
    return Decimal(text.replace(",", "")) if text else Decimal(0)


def closing(person, day):
    """Give the closing balance of each account by its code, as the trial balance has it."""
    query = {"from": f"{day[:7]}-01", "to": day}
    lines = person.get("/api/reports/trial-balance", query_string=query).json["trialBalance"]["lines"]
    return {each["code"]: Decimal(each["closing"]) for each in lines if Decimal(each["closing"])}


def close(person, period):
    """Close a month in the browser's session, with a word on each step that is left."""
    signed_in = person.browser()
    steps = person.get(f"/api/closes/{period}").json["close"]["steps"]
    left = [{"step": each["code"], "note": "Moved in"} for each in steps if each["state"] == "TO_DO"]
    answer = signed_in.post(f"/api/closes/{period}/complete", json={"accept": left})
    assert answer.status_code == 200, answer.json
    return answer.json["close"]


def test_german_books_move_in_and_their_month_is_closed(ada):
    ansi = {"encoding": "cp1252"}
    assert send(ada, "ACCOUNTS", GERMAN_CHART, **ansi)["counts"]["new"] == 12
    items = send(ada, "ITEMS", GERMAN_ITEMS, **ansi)
    assert [(each["amount"], each["day"]) for each in items["rows"]] == [
        ("2380.00", "2026-05-12"),
        ("1190.00", "2026-06-20"),
        ("-1190.00", "2026-06-25"),
    ]
    opening = send(ada, "OPENING", GERMAN_BALANCES, on="2026-06-30", **ansi)
    assert opening["counts"] == {"new": 9, "alreadyThere": 0, "compared": 2, "refused": 0}
    assert {each["difference"] for each in opening["rows"] if each["row"]} == {"0.00"}
    assert [each["accountName"] for each in opening["rows"] if each["row"] is None] == []
    send(ada, "JOURNAL", GERMAN_JOURNAL, **ansi)

    wanted = defaultdict(Decimal)
    for row in csv.reader(StringIO(GERMAN_BALANCES.partition("\n")[2]), delimiter=";"):
        if row[0].isdigit():
            wanted[row[0]] += figure(row[4]) * (-1 if row[5] == "H" else 1)
    for row in [*csv.reader(StringIO(GERMAN_JOURNAL), delimiter=";")][2:]:
        sign = -1 if row[1] == "H" else 1
        wanted[row[2]] += sign * figure(row[0])
        wanted[row[3]] -= sign * figure(row[0])
    assert closing(ada, "2026-07-31") == {code: amount for code, amount in wanted.items() if amount}
    found = close(ada, "2026-07")
    assert (found["status"], found["verdict"]) == ("CLOSED", "HOLDS")
    overdue = ada.get("/api/items?openOn=2026-07-31").json["items"]
    assert {(each["reference"], each["dueOn"]) for each in overdue} >= {("R-117", "2026-06-11")}


def test_american_books_move_in_and_their_month_is_closed(ada, books):
    send(ada, "ACCOUNTS", AMERICAN_CHART)
    invoices = send(ada, "ITEMS", AMERICAN_INVOICES, documentType="INVOICE", expect=422)
    assert "Add a column with its account" in invoices["details"]["rows"][0]["problem"]
    for name in ("Trade receivables", "Trade payables"):
        archived = ada.patch(f"/api/accounts/{books.account_id(name)}", json={"isArchived": True})
        assert archived.status_code == 200
    send(ada, "ITEMS", AMERICAN_INVOICES, documentType="INVOICE")
    bills = send(ada, "ITEMS", AMERICAN_BILLS, documentType="BILL")
    assert bills["rows"][0]["amount"] == "-315.50"
    asked = send(ada, "OPENING", AMERICAN_BALANCES, on="2026-06-30", expect=422)
    assert asked["details"]["key"] == "account"
    columns = '{"account": 0, "debit": "Debit", "credit": "Credit"}'
    opening = send(ada, "OPENING", AMERICAN_BALANCES, on="2026-06-30", mapping=columns)
    assert {each["difference"] for each in opening["rows"]} == {"0.00"}
    journal = send(ada, "JOURNAL", AMERICAN_JOURNAL)
    assert len({each["journalEntryId"] for each in journal["rows"]}) == 3

    wanted = defaultdict(Decimal)
    names = {row[0]: row[2] for row in csv.reader(StringIO(AMERICAN_CHART)) if row[2].isdigit()}
    for row in csv.reader(StringIO(AMERICAN_BALANCES)):
        if row[0][:4].isdigit():
            wanted[row[0][:4]] += dollars(row[1]) - dollars(row[2])
    for row in csv.reader(StringIO(AMERICAN_JOURNAL)):
        if row[5] in names:
            wanted[names[row[5]]] += dollars(row[6]) - dollars(row[7])
    assert closing(ada, "2026-07-31") == dict(wanted)
    assert close(ada, "2026-07")["verdict"] == "HOLDS"


def test_accounts_named_by_paths_are_each_their_own(ada):
    paths = ["Costs:Car:Insurance", "Costs:Home:Insurance", "Costs:Dog Insurance", "Insurance"]
    chart = send(ada, "ACCOUNTS", "Account,Type\n" + "".join(f"{each},Expense\n" for each in paths))
    assert [each["verdict"] for each in chart["rows"]] == ["NEW", "NEW", "NEW", "ALREADY_THERE"]
    balances = "Account,Debit,Credit\n" + "".join(
        f"{each},{sum_}\n" for each, sum_ in zip(paths, ("9,", "1,", "4,", ",14"), strict=True)
    )
    opening = send(ada, "OPENING", balances, on="2026-06-30")
    assert [each["accountName"] for each in opening["rows"]] == paths


CHART = "Code,Name,Type\n9500,Till,Asset\n9600,Takings,Income\n9700,Sundries,Expense\n"
JOURNAL = """No,Date,Account,Debit,Credit,Text
1,2026-03-02,9500,10.00,,Day one
1,2026-03-02,9600,,10.00,
2,2026-03-03,9500,20.00,,Day two
2,2026-03-03,9600,,19.00,
3,2026-03-04,Nowhere,5.00,,Day three
3,2026-03-04,9600,,5.00,
"""
FIRST = JOURNAL[: JOURNAL.index("\n2,") + 1]


def test_a_dry_run_names_every_row_that_stands_against_a_table_and_nothing_is_taken(ada):
    send(ada, "ACCOUNTS", CHART)
    looked = send(ada, "JOURNAL", JOURNAL, dryRun="true", expect=200)
    assert looked["counts"] == {"new": 4, "alreadyThere": 0, "compared": 0, "refused": 2}
    assert [(each["row"], each["problem"]) for each in looked["rows"] if each["problem"]] == [
        (4, "Debits exceed credits by 1.00 EUR."),
        (6, "The books have no account “Nowhere”; move its chart in, or open it."),
    ]
    refused = send(ada, "JOURNAL", JOURNAL, expect=422)
    assert (refused["code"], [each["row"] for each in refused["details"]["rows"]]) == ("table_rows", [4, 6])
    assert ada.get("/api/journal-entries").json["entries"] == []
    assert len(ada.get(TABLES).json["tables"]) == 1


def test_a_table_is_taken_once_and_removed_whole(ada, sound):
    chart = send(ada, "ACCOUNTS", CHART)
    again = send(ada, "ACCOUNTS", CHART, expect=409)
    assert again["code"] == "taken_before"
    table = send(ada, "JOURNAL", FIRST)
    removed = ada.post(f"{TABLES}/{table['id']}/remove", json={"note": "Wrong file"})
    assert (removed.status_code, removed.json["changed"]) == (200, True)
    assert closing(ada, "2026-03-31") == {}
    assert ada.post(f"{TABLES}/{table['id']}/remove", json={}).json["changed"] is False
    ada.post(f"{TABLES}/{chart['id']}/remove", json={})
    archived = {
        each["code"]: each["isArchived"] for each in ada.get("/api/accounts?limit=200").json["accounts"]
    }
    # Its postings are voided, and keep their accounts' names.
    assert (archived["9500"], archived["9600"], archived["9700"]) == (True, True, True)
    assert ada.get(TABLES).json["tables"] == []
    assert ada.post(f"{TABLES}/ar_nothing/remove", json={}).status_code == 404


def test_balances_that_do_not_add_up_or_stand_twice_are_refused(ada):
    send(ada, "ACCOUNTS", CHART)
    uneven = send(ada, "OPENING", "Account,Amount\n9500,10.00\n9600,-9.00\n", on="2026-02-28", expect=422)
    assert uneven["code"] == "unbalanced"
    twice = send(ada, "OPENING", "Account,Amount\n9500,10.00\nTill,-10.00\n", on="2026-02-28", expect=422)
    assert twice["details"]["rows"] == [{"row": 3, "problem": "Row 2 has “Till” already."}]
    without_day = send(ada, "OPENING", "Account,Amount\n9500,10.00\n9600,-10.00\n", expect=422)
    assert list(without_day["fields"]) == ["on"]


def test_an_old_trial_balance_is_compared_with_what_the_books_have(ada, bank, books):
    bank.open("Giro")
    send(ada, "ACCOUNTS", CHART)
    send(ada, "JOURNAL", FIRST)
    old = "Account,Amount\nGiro,70.00\n9500,12.00\n9700,-62.00\nOpening balances,-20.00\n"
    table = send(ada, "OPENING", old, on="2026-03-31")
    found = {
        each["accountName"]: (each["verdict"], each["booked"], each["difference"]) for each in table["rows"]
    }
    assert found == {
        "Giro": ("COMPARED", "0.00", "70.00"),
        "Till": ("COMPARED", "10.00", "2.00"),
        "Sundries": ("NEW", "-62.00", "0.00"),
        "Takings": ("COMPARED", "-10.00", "10.00"),
        "Opening balances": ("NEW", "62.00", "-82.00"),
    }


def test_items_bring_their_taxes_and_their_worth_in_the_base_currency(ada, books):
    body = {"from": "2026-01-01", "basis": "CASH", "frequency": "QUARTERLY"}
    assert ada.post("/api/tax/packs/generic-vat/install", json=body).status_code == 201
    items = (
        "Customer,Number,Date,Due date,Net,Tax amount,Tax code\n"
        "Acme,7,2025-12-05,2026-01-05,100.00,20.00,S20C\nAcme,7,2025-12-05,2026-01-05,50.00,,S0C\n"
    )
    table = send(ada, "ITEMS", items)
    assert len({each["journalEntryId"] for each in table["rows"]}) == 1
    (item,) = ada.get("/api/items?openOn=2026-01-31").json["items"]
    assert (item["open"], item["dueOn"], item["orgMerchantName"]) == ("170.00", "2026-01-05", "Acme")
    dollars = "Customer,Number,Date,Amount,Currency,Amount in base\nPier,8,2025-12-05,125.00,USD,100.00\n"
    assert send(ada, "ITEMS", dollars)["rows"][0]["amount"] == "125.00"
    again = send(ada, "ITEMS", dollars + "\n", expect=422)
    assert "already" in again["details"]["rows"][0]["problem"]
    assert send(ada, "ITEMS", dollars + "\n", force="true")["counts"]["new"] == 1
    unknown = send(ada, "ITEMS", items.replace("S20C", "S99").replace(",7,", ",9,"), expect=422)
    assert unknown["details"]["rows"][0]["problem"] == "The books have no tax code “S99”."


@pytest.mark.parametrize(
    ("kind", "table", "facts", "expect"),
    [
        ("JOURNAL", FIRST.replace("2026", "2058"), {}, 422),
        ("ITEMS", "Customer,Number,Date,Amount\nPier,8,2058-12-05,125.00\n", {}, 422),
        ("OPENING", "Account,Amount\n9500,12.00\n9700,-12.00\n", {"on": "2058-03-31"}, 409),
    ],
)
def test_a_day_far_ahead_is_asked_about(ada, kind, table, facts, expect):
    send(ada, "ACCOUNTS", CHART)
    assert "is more than a year ahead" in send(ada, kind, table, **facts, expect=expect)["error"]
    assert ada.get("/api/journal-entries").json["entries"] == []
    assert send(ada, kind, table, **facts, force="true")["counts"]["new"] >= 1


def test_what_closed_a_year_in_other_books_moves_in_as_that(ada):
    send(ada, "ACCOUNTS", CHART)
    send(ada, "JOURNAL", FIRST.replace("2026-03-02", "2025-12-31"))
    rows = (
        "No,Date,Account,Amount,Source",
        "9,2025-12-31,9600,10.00,closing",
        "9,2025-12-31,Retained earnings,-10.00,",
    )
    closing_rows = "\n".join(rows)
    table = send(ada, "JOURNAL", closing_rows)
    entry = ada.get(f"/api/journal-entries/{table['rows'][0]['journalEntryId']}").json["entry"]
    assert entry["source"] == "closing"


def test_what_closes_a_year_without_the_word_is_warned_of(ada):
    send(ada, "ACCOUNTS", CHART)
    rows = (
        "No,Date,Account,Amount",
        *("1,2025-05-02,9500,7.00", "1,2025-05-02,9700,3.00", "1,2025-05-02,9600,-10.00"),
        *("9,2025-12-31,9600,10.00", "9,2025-12-31,9700,-3.00", "9,2025-12-31,Retained earnings,-7.00"),
    )
    form = {"kind": "JOURNAL", "file": (BytesIO("\n".join(rows).encode()), "journal.csv")}
    answer = ada.post(TABLES, data=form, content_type="multipart/form-data")
    assert (answer.status_code, answer.json["warningCodes"]) == (201, ["looks_like_closing"])


def test_a_table_within_json_says_what_it_is(ada):
    body = {
        "fileName": "chart.csv",
        "content": "Q29kZSxOYW1lLFR5cGUKOTUwMCxUaWxsLEFzc2V0Cg==",
        "kind": "ACCOUNTS",
    }
    assert (
        ada.post(TABLES, json={**body, "dryRun": True}).json["movedTable"]["rows"][0]["accountName"] == "Till"
    )
    assert ada.post(TABLES, json=body).status_code == 201
    assert ada.post(TABLES, json={**body, "kind": "OTHER"}).status_code == 422
