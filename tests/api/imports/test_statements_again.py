"""Statements of every format, again, written anew, cut and shuffled: each line comes in once (P26 to P29)."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.imports.test_imports import imported
from tests.fixtures.bank_files.ofx_statements import Line, bank_file

NUMBERS = itertools.count(1)
DAYS = [f"2026-03-{day:02}" for day in range(1, 11)]
LEDGER = [
    ("2026-03-02", "-2.50", "Café Ärger"),
    ("2026-03-02", "-2.50", "Café Ärger"),
    ("2026-03-05", "80.00", "Pay"),
]
TIMES = 10


def ofx(lines, account):
    return bank_file(*(Line(day, amount, text) for day, amount, text in lines), account=account)


def camt(lines, account):
    entries = "".join(
        f'<Ntry><Amt Ccy="EUR">{amount.lstrip("-")}</Amt><CdtDbtInd>{"DBIT" if amount.startswith("-") else "CRDT"}'
        f"</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt></BookgDt><NtryDtls><TxDtls><RmtInf><Ustrd>{text}</Ustrd>"
        "</RmtInf></TxDtls></NtryDtls></Ntry>\n"
        for day, amount, text in lines
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'
        f"<BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>EUR</Ccy></Acct>\n"
        f"{entries}</Stmt></BkToCstmrStmt></Document>\n"
    ).encode()


def mt940(lines, account):
    fields = "".join(
        f":61:26{day[5:7]}{day[8:]}{day[5:7]}{day[8:]}{'D' if amount.startswith('-') else 'C'}"
        f"{amount.lstrip('-').replace('.', ',')}NTRFNONREF\n:86:{text}\n"
        for day, amount, text in lines
    )
    total = sum(round(float(amount) * 100) for _, amount, _ in lines)
    closing = f"{'D' if total < 0 else 'C'}260331EUR{abs(total) // 100},{abs(total) % 100:02}"
    return f":20:S\n:25:{account}\n:28C:1/1\n:60F:C260301EUR0,00\n{fields}:62F:{closing}\n-\n".encode()


def csv(lines, account):
    rows = "".join(f"{account};{day};{amount};EUR;{text}\n" for day, amount, text in lines)
    return f"Account;Date;Amount;Currency;Description\n{rows}".encode()


def qif(lines, _account):
    rows = "".join(f"D{day}\nT{amount}\nP{text}\n^\n" for day, amount, text in lines)
    return f"!Type:Bank\n{rows}".encode()


FORMATS = {"ofx": ofx, "camt": camt, "mt940": mt940, "csv": csv}
ENCODINGS = {
    "ofx": "windows-1252",
    "camt": None,
    "mt940": "windows-1252",
    "csv": "windows-1252",
    "qif": "windows-1252",
}


def mapped(name):
    columns = '{"header": 0, "delimiter": ";", "date": "Date", "dateFormat": "%Y-%m-%d", "amount": "Amount", '
    rest = '"currencyColumn": "Currency", "accountColumn": "Account", "description": "Description"}'
    return {"mapping": columns + rest} if name == "csv" else {}


def taken(person, name, data, file_name="statement"):
    accounts = imported(person, data, file_name, **mapped(name))["accounts"]
    return sum(each["added"] for each in accounts), sum(each["alreadyThere"] for each in accounts)


def known(person):
    listed = person.get("/api/transactions", query_string={"limit": 200}).json["transactions"]
    return Counter((each["bookedOn"], each["amount"]) for each in listed)


@pytest.mark.parametrize("name", [*FORMATS, "qif"])
def test_the_same_statement_adds_nothing_however_it_is_written_again(ben, name, figure):
    data = FORMATS.get(name, qif)(LEDGER, "4711")
    assert taken(ben, name, data) == (3, 0)
    changed = [data.replace(b"\n", b"\r\n"), data.decode().encode("utf-8-sig")]
    if ENCODINGS[name] is not None:
        changed.append(data.decode().encode(ENCODINGS[name]))
    again = [taken(ben, name, data, f"copy {number}.txt") for number in range(TIMES)]
    again += [taken(ben, name, each) for each in changed]
    figure("P26", f"{name}: {len(again)} times again, {sum(added for added, _ in again)} new lines")
    assert set(again) == {(0, 3)}


LINES = st.tuples(
    st.sampled_from(DAYS), st.sampled_from(["-2.50", "7.00"]), st.sampled_from(["Coffee", "Tea"])
)
WINDOW = st.tuples(st.sampled_from(DAYS), st.sampled_from(DAYS)).map(sorted)


# OFX has its own in test_imports.py, with references.
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "ofx"])
def test_overlapping_statements_in_any_order_give_the_union(ben, name, rounds):
    @settings(max_examples=rounds(3, 170))
    @given(
        lines=st.lists(LINES, min_size=1, max_size=10),
        windows=st.lists(WINDOW, min_size=1, max_size=4),
        data=st.data(),
    )
    def holds(lines, windows, data):
        # A number of its own for each example is cheaper than a fresh database, and as empty.
        account = f"47{next(NUMBERS):08}"
        added = 0
        for first, last in [*windows, *data.draw(st.lists(st.sampled_from(windows), max_size=2))]:
            shown = [line for line in lines if first <= line[0] <= last]
            if shown:
                added += taken(ben, name, FORMATS[name](data.draw(st.permutations(shown)), account))[0]
        assert added == sum(any(first <= line[0] <= last for first, last in windows) for line in lines)

    holds()


@pytest.mark.parametrize("name", FORMATS)
def test_equal_lines_all_survive_and_stay_as_many(ben, name):
    before = known(ben)
    for count in range(1, 6):
        equal = [("2026-03-04", "-2.50", "Coffee")] * count
        account = f"48{count:08}"
        wider = [("2026-03-01", "7.00", "Tea"), *equal, ("2026-03-09", "7.00", "Tea")]
        assert taken(ben, name, FORMATS[name](equal, account)) == (count, 0)
        assert taken(ben, name, FORMATS[name](equal, account)) == (0, count)
        assert taken(ben, name, FORMATS[name](wider, account)) == (2, count)
    assert known(ben) - before == Counter(
        {("2026-03-04", "-2.50"): 15, ("2026-03-01", "7.00"): 5, ("2026-03-09", "7.00"): 5}
    )


def test_what_became_of_a_line_is_remembered_when_it_comes_again(ben, figure):
    data = csv(LEDGER, "4711")
    fa_id = imported(ben, data, **mapped("csv"))["accounts"][0]["faId"]
    listed = ben.get("/api/transactions", query_string={"faId": fa_id}).json["transactions"]
    deleted, edited = (
        next(each["id"] for each in listed if each["amount"] == amount) for amount in ("80.00", "-2.50")
    )
    assert ben.delete(f"/api/transactions/{deleted}").status_code == 200
    assert ben.patch(f"/api/transactions/{edited}", json={"description": "With Dan"}).status_code == 200
    added, there = taken(ben, "csv", data)
    figure("P29", f"{added} resurrections of a deleted and an edited line")
    assert (added, there) == (0, 3)
    assert ben.get(f"/api/transactions/{deleted}").json["transaction"]["status"] == "DELETED"
    assert ben.post(f"/api/transactions/{deleted}/restore").status_code == 200
    assert ben.get(f"/api/transactions/{deleted}").json["transaction"]["status"] == "BOOKED"
    assert taken(ben, "csv", data) == (0, 3)
