"""The European Central Bank's reference rates, as its files write them."""

import io
import zipfile
from datetime import date
from decimal import Decimal

import pytest

from webapp.importers import reference_rates
from webapp.importers.bank_files import FileRefusedError

DAILY_XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>
    <Cube time='2026-11-20'>
      <Cube currency='USD' rate='1.0842'/>
      <Cube currency='JPY' rate='161.20'/>
    </Cube>
    <Cube time='2026-11-19'><Cube currency='USD' rate='1.0801'/></Cube>
  </Cube>
</gesmes:Envelope>
"""
DAILY_CSV = b"Date, USD, JPY, \n20 November 2026, 1.0842, 161.20, \n"
HISTORY_CSV = b"Date,USD,CYP,JPY,\n2026-11-20,1.0842,N/A,161.20,\n2006-01-03,1.1875,0.5735,,\n"
USD_JPY = {"USD": Decimal("1.0842"), "JPY": Decimal("161.20")}


def days(data):
    return {rates.day.isoformat(): rates.per_euro for rates in reference_rates.read(data)}


def zipped(data, name="eurofxref.csv"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def test_xml_holds_one_day_or_many():
    assert days(DAILY_XML) == {"2026-11-19": {"USD": Decimal("1.0801")}, "2026-11-20": USD_JPY}


def test_the_daily_csv_writes_its_day_in_words():
    assert days(DAILY_CSV) == {"2026-11-20": USD_JPY}


def test_the_history_leaves_out_what_had_no_rate_and_what_is_no_currency_any_more():
    assert days(HISTORY_CSV) == {"2006-01-03": {"USD": Decimal("1.1875")}, "2026-11-20": USD_JPY}


def test_days_come_in_order():
    assert [rates.day for rates in reference_rates.read(HISTORY_CSV)] == [
        date(2006, 1, 3),
        date(2026, 11, 20),
    ]


def test_the_archive_that_the_bank_offers_is_read_as_it_is():
    assert days(zipped(HISTORY_CSV)) == days(HISTORY_CSV)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "has no reference rates"),
        (b"Datum;USD\n20.11.2026;1,08\n", "has no reference rates"),
        (b"\xff\xfe\x00", "has no reference rates"),
        (b"<Envelope><Cube/></Envelope>", "has no reference rates"),
        (b"<Envelope><Cube currency='USD' rate='1'/></Envelope>", "has no reference rates"),
        (DAILY_XML[:300], "not valid XML"),
        (b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", "document type"),
        (b"Date, USD, \n31 February 2026, 1.0842, \n", "31 February 2026 is not a date"),
        (b"Date, USD, \n20 November 2026, 1,0842\n", "more figures"),
        (b"Date,USD\n2026-11-20,-1.5\n", "not a number: -1.5"),
        (b"Date,USD\n2026-11-20,0\n", "not a number: 0"),
        (b"PK\x03\x04 and no more", "has no reference rates"),
        (zipped(b"no rates"), "has no reference rates"),
        (zipped(b"0" * (reference_rates.MOST_BYTES + 1)), "unpacks to more"),
    ],
)
def test_what_is_no_such_file_is_refused(data, said):
    with pytest.raises(FileRefusedError, match=said):
        reference_rates.read(data)
