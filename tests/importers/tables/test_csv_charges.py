"""Fees and original amounts of a table: within the amounts or beside them, as the file proves."""

from decimal import Decimal

import pytest

from webapp import importers
from webapp.importers.bank_files import MappingNeededError


def read(text, **mapping):
    return importers.read(text.encode(), mapping=mapping or None)


def lines(bank_file):
    return [(str(each.amount), each.charges and str(each.charges)) for each in bank_file.statements[0].lines]


TABLE = (
    "Date,Text,Amount,Fee,Balance\n2026-08-01,A,-80.00,{0},{1}\n2026-08-02,B,-20.00,0.00,{2}\n"
    "2026-08-03,C,50.00,{0},{3}\n"
)


WITHIN = [("-80.00", "1.50"), ("-20.00", None), ("50.00", "1.50")]
BESIDE = [("-81.50", "1.50"), ("-20.00", None), ("48.50", "1.50")]


@pytest.mark.parametrize(
    ("cells", "expected", "are"),
    [
        (
            ("1.50", "420.00", "400.00", "450.00"),
            [("-80.00", "1.50"), ("-20.00", None), ("50.00", "1.50")],
            "within",
        ),
        (
            ("1.50", "418.50", "398.50", "447.00"),
            [("-81.50", "1.50"), ("-20.00", None), ("48.50", "1.50")],
            "beside",
        ),
        (
            ("-1.50", "418.50", "398.50", "447.00"),
            [("-81.50", "1.50"), ("-20.00", None), ("48.50", "1.50")],
            "beside",
        ),
    ],
)
def test_the_balance_proves_whether_amounts_include_the_fees(cells, expected, are):
    found = read(TABLE.format(*cells))
    assert lines(found) == expected
    assert {each.key: each.value for each in found.columns.chosen}["chargesAre"] == are
    assert found.warnings == ()
    again = read(TABLE.format(*cells), **found.columns.mapping)
    assert again.statements == found.statements


def test_fees_that_nothing_proves_are_asked_about_and_the_answer_is_kept():
    text = TABLE.format("1.50", "", "", "")
    with pytest.raises(MappingNeededError) as error:
        read(text)
    assert (error.value.key, error.value.details["charges"]) == ("chargesAre", "1.50")
    assert lines(read(text, chargesAre="beside"))[0] == ("-81.50", "1.50")
    found = read(text, chargesAre="within")
    assert lines(found)[0] == ("-80.00", "1.50")
    assert found.columns.mapping["chargesAre"] == "within"
    named = {"date": "Date", "amount": "Amount", "charges": "Fee", "dateFormat": "%Y-%m-%d"}
    with pytest.raises(MappingNeededError, match="chargesAre"):
        read(text, **named)
    assert lines(read(text, **named, chargesAre="beside"))[2] == ("48.50", "1.50")


def test_a_net_amount_has_its_fee_and_a_fee_that_came_back_is_none():
    text = (
        "Date,Name,Gross,Fee,Net,Currency\n2026-08-01,A,100.00,-3.10,96.90,EUR\n2026-08-02,B,-100.00,3.10,-96.90,EUR\n"
        "2026-08-03,C,-9.00,0.00,-9.00,EUR\n"
    )
    assert lines(read(text)) == [("96.90", "3.10"), ("-96.90", None), ("-9.00", None)]


def test_known_banks_take_fees_as_they_do():
    head = "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance"
    row = "TRANSFER,Current,2026-08-01 10:00:00,2026-08-01 10:00:02,To Ben,-70.00,0.90,EUR,COMPLETED,29.10"
    assert lines(read(f"{head}\n{row}\n")) == [("-70.90", "0.90")]
    head = "TransferWise ID,Date,Amount,Currency,Description,Payment Reference,Running Balance,Total fees"
    assert lines(read(f"{head}\nT-1,01-08-2026,-70.90,EUR,Sent,,29.10,0.90\n")) == [("-70.90", "0.90")]


@pytest.mark.parametrize(
    ("head", "cells", "expected"),
    [
        ("Original Amount,Original Currency,Exchange Rate", "-52.00,USD,0.86", ("52.00", "USD", "0.86")),
        ("Local amount,Local currency", "-44.72,EUR", (None, None, None)),
        ("Originalbetrag,Originalwährung,Wechselkurs", "52,XXY,1", (None, None, None)),
        ("Foreign amount,Foreign currency,Rate", ",,", (None, None, None)),
    ],
)
def test_an_original_amount_is_kept_with_its_currency_and_rate(head, cells, expected):
    text = f"Date,Description,Amount,Currency,{head}\n2026-08-01,Hotel,-44.72,EUR,{cells}\n2026-08-02,B,-1.00,EUR\n"
    line = read(text).statements[0].lines[0]
    found = (line.original_amount, line.original_currency, line.exchange_rate)
    assert found == tuple(Decimal(each) if each and each[0].isdigit() else each for each in expected)
    assert line.description == "Hotel"
