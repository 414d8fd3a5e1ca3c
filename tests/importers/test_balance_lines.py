"""Balances that stand among the lines of a file are no lines; payees whose names sound like them are."""

from decimal import Decimal

import pytest

from webapp import importers
from webapp.importers.bank_files import MappingNeededError

OFX = (
    "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM>"
    "<BANKID>1<ACCTID>77<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>{}</BANKTRANLIST>{}</STMTRS></STMTTRNRS>"
    "</BANKMSGSRSV1></OFX>\n"
)


def ofx(*lines, closing=None):
    rows = "".join(
        f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>202604{day:02}<TRNAMT>{amount}<FITID>{number}<MEMO>{memo}</STMTTRN>"
        for number, (day, amount, memo) in enumerate(lines)
    )
    end = f"<LEDGERBAL><BALAMT>{closing}<DTASOF>20260430</LEDGERBAL>" if closing else ""
    return OFX.format(rows, end).encode()


def amounts(bank_file):
    return [str(line.amount) for each in bank_file.statements for line in each.lines]


def ends(bank_file):
    statement = bank_file.statements[0]
    return tuple(each and each.amount for each in (statement.opening, statement.closing))


LABELS = [
    ("SALDO INIZIALE", "SALDO FINALE"),
    ("Ancien solde", "Nouveau solde"),
    ("Saldo disponível anterior", "Saldo atual"),
    ("Saldovortrag", "Kontosaldo neu"),
    ("Saldo previo", "Saldo disponible"),
    ("Vorig saldo", "Nieuw saldo"),
    ("Saldo otwarcia", "Saldo zamknięcia"),
    ("Likutis pradžiai", "Likutis pabaigai"),
    ("Sold initial", "Sold final"),
    ("Početno stanje", "Završno stanje"),
    ("Devir", "Bakiye"),
    ("Ingående saldo", "Utgående saldo"),
    ("BALANCE B/F", "BALANCE C/F"),
    ("Προηγούμενο υπόλοιπο", "Νέο υπόλοιπο"),
    ("Übertrag", "Saldo am 30.04.2026 Konto 12"),
]


@pytest.mark.parametrize(("first", "last"), LABELS)
@pytest.mark.parametrize("mapping", [None, {"date": 0, "debit": 2, "credit": 3, "dateFormat": "%d.%m.%Y"}])
@pytest.mark.parametrize("newest_first", [False, True])
def test_rows_that_the_others_add_up_to_are_the_balances(first, last, mapping, newest_first):
    rows = [
        f"13.04.2026;{first};;2.000,00",
        "14.04.2026;Alfa;70,00;",
        "16.04.2026;Beta;;20,50",
        f"17.04.2026;{last};;1.950,50",
    ]
    text = "\n".join(["Datum;Vorgang;Soll;Haben", *(rows[::-1] if newest_first else rows)])
    found = importers.read(text.encode(), mapping=mapping)
    assert sorted(amounts(found)) == ["-70.00", "20.50"]
    assert ends(found) == (Decimal("2000.00"), Decimal("1950.50"))
    assert [each.row for each in found.skipped if each.row > 1] == [2, 5]
    assert not found.warnings


@pytest.mark.parametrize(("first", "last"), LABELS[:13])
def test_rows_that_do_not_add_up_are_asked_about_and_the_answer_decides(first, last):
    text = f"Datum;Vorgang;Betrag\n13.04.2026;{first};2.000,00\n14.04.2026;Alfa;-70,00\n17.04.2026;{last};1.900,00\n"
    with pytest.raises(MappingNeededError) as asked:
        importers.read(text.encode())
    assert asked.value.key == "leaveOut"
    assert asked.value.details["leaveOut"] == ["Vorgang", [first]]
    both = {"leaveOut": ["Vorgang", [first, last]], "invert": False}
    assert amounts(importers.read(text.encode(), mapping=both)) == ["-70.00"]
    none = {"leaveOut": ["Vorgang", []], "invert": False}
    assert amounts(importers.read(text.encode(), mapping=none)) == ["2000.00", "-70.00", "1900.00"]


@pytest.mark.parametrize(
    "payee", ["Balance Fitness Studio", "Total Energies", "Saldo & Sons Ltd", "Sold Out Shop"]
)
def test_payees_with_the_word_stay(payee):
    rows = f"2026-04-02,{payee},-30.00\n2026-04-03,{payee},-30.00\n2026-04-04,Rent,-400.00\n2026-04-09,{payee},-30.00\n"
    found = importers.read(f"Date,Description,Amount\n{rows}".encode())
    assert amounts(found) == ["-30.00", "-30.00", "-400.00", "-30.00"]
    lines = [(2, "-30.00", payee), (3, "-400.00", "Rent"), (9, "-30.00", payee)]
    assert len(amounts(importers.read(ofx(*lines, closing="12.00")))) == 3


def test_rows_that_a_mapping_leaves_out_go_before_their_amounts_are_read():
    text = "Date;Kind;Text;Sum;D/K\n{}2026-04-03;20;A;70,00;D\n2026-04-04;20;B;20,50;K\n{}"
    first = "2026-04-02;10;;2.000,00|;K\n"
    last = "2026-04-04;82;;70,00;D\n2026-04-04;82;;20,50;K\n2026-04-04;86;;1.950,50|;K\n"
    mapping = {"leaveOut": ["Kind", ["10", "82", "86"]]}
    found = importers.read(text.format(first, last).encode(), mapping=mapping)
    assert amounts(found) == ["-70.00", "20.50"]
    assert [(each.row, each.reason) for each in found.skipped] == [
        (row, "The mapping leaves it out.") for row in (2, 5, 6, 7)
    ]
    assert found.columns.mapping["leaveOut"] == [1, ["10", "82", "86"]]


@pytest.mark.parametrize(
    "value", ["Kind", ["Kind"], ["Kind", "10"], [None, ["10"]], ["Kind", [10]], ["No such", ["1"]]]
)
def test_a_wrong_leave_out_is_refused_with_its_key(value):
    text = b"Date;Kind;Sum\n2026-04-03;20;-70,00\n2026-04-04;20;-1,00\n"
    with pytest.raises(importers.FileRefusedError, match="leaveOut"):
        importers.read(text, mapping={"leaveOut": value})


@pytest.mark.parametrize("details", [("Opening", "Turnover", "Closing"), ("aaa", "bbb", "ccc")])
def test_turnovers_and_balances_are_read_right_and_asked_about_under_unknown_names(details):
    one, two, three = details
    text = (
        f"Date;Details;Sum;D/K\n2026-04-02;{one};800.00;K\n2026-04-03;Card;70.00;D\n2026-04-04;Salary;20.50;K\n"
        f"2026-04-04;{two};70.00;D\n2026-04-04;{two};20.50;K\n2026-04-04;{three};750.50;K\n"
    )
    mapping = {"date": 0, "amount": 2, "description": 1, "flag": [3, ["D"], ["K"]]}
    if one == "aaa":
        with pytest.raises(MappingNeededError, match="leaveOut"):
            importers.read(text.encode(), mapping=mapping)
    else:
        assert amounts(importers.read(text.encode(), mapping=mapping)) == ["-70.00", "20.50"]


def test_balances_among_the_lines_of_ofx_are_no_lines():
    lines = [(1, "640.00", "Saldo Anterior"), (4, "-45.00", "Padaria"), (4, "595.00", "Saldo do dia")]
    found = importers.read(ofx(*lines, closing="595.00"))
    assert amounts(found) == ["-45.00"]
    assert ends(found) == (Decimal("640.00"), Decimal("595.00"))
    assert [each.text for each in found.skipped] == ["Saldo Anterior", "Saldo do dia"]
    assert not found.warnings


def test_a_balance_of_ofx_that_does_not_add_up_is_asked_about():
    data = ofx((1, "640.00", "Saldo Anterior"), (4, "-45.00", "Padaria"), closing="900.00")
    with pytest.raises(MappingNeededError) as asked:
        importers.read(data)
    assert asked.value.details["leaveOut"] == ["description", ["Saldo Anterior"]]
    left = importers.read(data, mapping={"leaveOut": ["description", ["Saldo Anterior"]]})
    assert amounts(left) == ["-45.00"]
    assert amounts(importers.read(data, mapping={"leaveOut": ["description", []]})) == ["640.00", "-45.00"]


QIF = (
    "!Account\nNHouse\nTBank\n^\n!Type:Bank\nD04/15/2026\nT310.00\nPOpening Balance\n{}^\n"
    "D04/16/2026\nT-9.00\nPMilk\n^\n"
)


def test_the_opening_balance_of_qif_is_a_transfer_from_the_account_itself():
    found = importers.read(QIF.format("L[House]\n").encode())
    assert amounts(found) == ["-9.00"]
    assert ends(found)[0] == Decimal("310.00")
    assert [each.text for each in found.skipped] == ["Opening Balance"]
    # From another account, or as income, it is a line.
    assert amounts(importers.read(QIF.format("L[Savings]\n").encode())) == ["310.00", "-9.00"]
    assert amounts(importers.read(QIF.format("LIncome\n").encode())) == ["310.00", "-9.00"]
    with pytest.raises(MappingNeededError) as asked:
        importers.read(QIF.format("").encode())
    assert asked.value.key == "leaveOut"
    none = {"leaveOut": ["description", []]}
    assert amounts(importers.read(QIF.format("").encode(), mapping=none)) == ["310.00", "-9.00"]
