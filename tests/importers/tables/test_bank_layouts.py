"""Each bank's layout reads a file that its header alone makes certain: days in its order, amounts with its sign."""

from datetime import date

import pytest

from webapp import importers
from webapp.importers.tables.bank_layouts import all_layouts
from webapp.importers.tables.detection import ROLES
from webapp.importers.tables.layouts import roles
from webapp.importers.tables.mappings import COLUMNS

# A day that can be read in both orders.
DAY = date(2026, 3, 4)


def written(layout):
    """Write two lines of 40.00 and 3.00 money out; a card that writes money out without a sign has it so."""
    names = layout.header.split(",")
    if names[-1] == "*":
        is_whole = layout.columns or roles(names, ROLES)["amount"]
        names[-1:] = ["More"] if is_whole else ["Amount ($)", "More"]
    found = roles(names, ROLES)
    for key, of_bank in layout.columns.items():
        column = next(iter(of_bank.values())) if isinstance(of_bank, dict) else of_bank
        found[COLUMNS[key]] = [column if isinstance(column, int) else names.index(column)]
    rows = [names]
    others = [*each.values()][1:] if isinstance(each := layout.columns.get("amount"), dict) else []
    for amount in ("40.00", "3.00"):
        cells = ["" if name in others else "x" for name in names]
        for role, columns in found.items():
            for column in columns:
                cells[column] = {
                    "date": DAY.strftime(layout.date_format or "%Y-%m-%d"),
                    "value_date": DAY.strftime(layout.date_format or "%Y-%m-%d"),
                    "amount": amount if layout.invert else f"-{amount}",
                    "debit": amount,
                    "credit": "",
                    "balance": "",
                    "currency_column": "USD",
                }.get(role, "x")
        rows.append(
            "" if name in {"Status", "State"} else cell for name, cell in zip(names, cells, strict=True)
        )
    return "\n".join(map(",".join, rows)).encode()


@pytest.mark.parametrize("layout", all_layouts(), ids=lambda layout: layout.header)
def test_a_known_header_settles_the_days_and_the_sign(layout):
    found = importers.read(written(layout))
    lines = [line for each in found.statements for line in each.lines]
    assert [str(line.amount) for line in lines] == ["-40.00", "-3.00"]
    assert {line.booked_on for line in lines} == {DAY}
    chosen = {each.key: each.why for each in found.columns.chosen}
    why = f"The header is that of {layout.name}."
    expected = ["dateFormat"] if layout.date_format else []
    expected += ["invert"] if layout.invert is not None else []
    assert {chosen[key] for key in expected} == {why}


RBC = "Account Type,Account Number,Transaction Date,Cheque Number,Description 1,Description 2,CAD$,USD$\n"
DEGIRO = "Datum,Tijd,Valutadatum,Product,ISIN,Omschrijving,FX,Mutatie,,Saldo,,Order Id\n"
DEGIRO_ROWS = """\
05-03-2026,09:31,05-03-2026,Alpha,US0000000001,Valuta Creditering,,EUR,"8,50",EUR,"258,50",
05-03-2026,09:31,05-03-2026,Alpha,US0000000001,Valuta Debitering,"1,1765",USD,"-10,00",USD,"0,00",
04-03-2026,09:31,03-03-2026,Alpha,US0000000001,Dividend,,USD,"10,00",USD,"10,00",
02-03-2026,10:02,02-03-2026,,,iDEAL storting,,EUR,"250,00",EUR,"250,00",
02-03-2026,10:02,02-03-2026,,,Overboeking van 5 EUR,,,,EUR,"0,00",
"""
ASN = (
    "Boekingsdatum,Opdrachtgeversrekening,Tegenrekeningnummer,Naam tegenrekening,Adres,Postcode,Plaats,"
    "Valutasoort rekening,Saldo rekening voor mutatie,Valutasoort mutatie,Transactiebedrag,Journaaldatum,"
    "Valutadatum,Interne transactiecode,Globale transactiecode,Volgnummer transactie,Betalingskenmerk,"
    "Omschrijving,Afschriftnummer\n"
)
ASN_ROW = (
    "02-03-2026,NL08ASNB0000000001,NL20INGB0001234567,papierhuis,,,,EUR,1000.00,EUR,-12.50,02-03-2026,"
    "03-03-2026,9722,IDE,90043054,'F-17','paper, red',4\n"
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            f"{RBC}Chequing,01-5,3/2/2026,17,CHEQUE,,-12.50,,\nVisa,4510,3/4/2026,,SHOP,,-80.00,,\n",
            {("01-5", "CAD"): (["-12.50"], None, None), ("4510", "CAD"): (["-80.00"], None, None)},
        ),
        (
            f"{RBC}Savings,01-6,3/2/2026,,INTEREST,,,1.25,\n",
            {("01-6", "USD"): (["1.25"], None, None)},
        ),
        (
            DEGIRO + DEGIRO_ROWS,
            {
                (None, "EUR"): (["8.50", "250.00"], "0.00", "258.50"),
                (None, "USD"): (["-10.00", "10.00"], "0.00", "0.00"),
            },
        ),
        (ASN + ASN_ROW, {("NL08ASNB0000000001", "EUR"): (["-12.50"], "1000.00", "987.50")}),
    ],
)
def test_columns_that_no_name_tells_are_those_of_the_bank(data, expected):
    assert {
        (each.external_id, each.currency): (
            [str(line.amount) for line in each.lines],
            each.opening and str(each.opening.amount),
            each.closing and str(each.closing.amount),
        )
        for each in importers.read(data.encode()).statements
    } == expected


def test_each_amount_is_in_the_currency_of_its_column():
    rows = (
        "Chequing,01-5,3/2/2026,,CHEQUE,,-12.50,,\n"
        "Savings,01-6,3/3/2026,,INTEREST,,,1.25,\n"
        "Savings,01-6,3/4/2026,,FEE,,0.00,-0.75,\n"
        "Savings,01-6,3/5/2026,,DEPOSIT,,7.00,,\n"
    )
    found = importers.read((RBC + rows).encode())
    for each in (found, importers.read((RBC + rows).encode(), mapping=found.columns.mapping)):
        assert {
            (one.external_id, one.currency): [str(line.amount) for line in one.lines]
            for one in each.statements
        } == {
            ("01-5", "CAD"): ["-12.50"],
            ("01-6", "USD"): ["1.25", "-0.75"],
            ("01-6", "CAD"): ["7.00"],
        }
    with pytest.raises(importers.FileRefusedError, match=r"Row 6, column 8 .USD.* another currency too"):
        importers.read(f"{RBC}{rows}Savings,01-6,3/6/2026,,FEE,,1.00,-0.75,\n".encode())


def test_texts_between_apostrophes_are_whole():
    (line,) = importers.read((ASN + ASN_ROW).encode()).statements[0].lines
    assert (line.reference, line.description, line.counterparty) == (
        "F-17",
        "papierhuis paper, red",
        "papierhuis",
    )
    assert (line.booked_on, line.value_on) == (date(2026, 3, 2), date(2026, 3, 3))
    open_one = importers.read(b"Date,Text,Amount\n2026-03-02,'t Hoekje,-5.00\n").statements[0].lines
    assert [each.description for each in open_one] == ["'t Hoekje"]


def test_columns_may_follow_those_of_a_header_that_says_so():
    head = "TransferWise ID,Date,Amount,Currency,Description,Payment Reference,Running Balance"
    rows = "\n".join(f"T{each},0{each}-04-2026,{each}.00,EUR,x,x,{{}}" for each in (3, 4))
    found = importers.read(f"{head},Exchange From,Note\n{rows.format('', '')}".encode())
    assert [line.booked_on for line in found.statements[0].lines] == [date(2026, 4, 3), date(2026, 4, 4)]
    with pytest.raises(importers.FileRefusedError, match="dateFormat"):
        importers.read(f"X,{head}\n1,{rows.splitlines()[0].format('')}".encode())


def test_a_header_that_only_begins_alike_is_asked_about():
    data = b"Date,Counter Party,Reference,Type,Amount (GBP)\n03/04/2026,x,x,x,-40.00\n"
    with pytest.raises(importers.FileRefusedError, match="dateFormat"):
        importers.read(data)


def test_headers_are_written_once():
    headers = [layout.header for layout in all_layouts()]
    assert len(set(headers)) == len(headers)
