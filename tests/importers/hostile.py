"""What all tests of hostile files share: a sound file of every format, and the outcomes that a file may have."""

import time

from tests.fixtures.bank_files import camt_files, ofx_files, xlsx_files
from webapp.importers import FileRefusedError, read

# The characters of a long text.
SIZE = 1_000_000
# What no file may exceed on an idle machine; the tests allow for one that is busy with others.
MOST_SECONDS = 5
ALLOWED_SECONDS = 4 * MOST_SECONDS

_TABLE = "Date,Description,Amount,Balance\n2026-03-05,Tea,-3.50,96.50\n2026-03-06,Pay,1200.00,1296.50\n"
_MT940 = (
    ":20:X\n:25:NL91ABNA0417164300\n:28C:1\n:60F:C260301EUR100,00\n:61:2603050305D3,50NTRFE7//B1\n:86:Tea\n"
    ":61:2603060306C1200,00NTRFE8//B2\n:86:Pay\n:62F:C260306EUR1296,50\n-\n"
)
_QIF = "!Type:Bank\nD2026-03-05\nT-3.50\nPTea\n^\nD2026-03-06\nT1,200.00\nPPay\n^\n"
_ROWS = [(xlsx_files.day(46086), "Tea", -3.5), (xlsx_files.day(46087), xlsx_files.shared(0), -800)]

SOUND = {
    "ofx": ofx_files.written(
        ofx_files.document(ofx_files.statement(ofx_files.transaction(), ofx_files.transaction(FITID="2")))
    ).encode(),
    "ofx2": ofx_files.xml(ofx_files.statement(ofx_files.transaction(), ofx_files.transaction(FITID="2"))),
    "camt": camt_files.message(camt_files.statement(camt_files.entry(), camt_files.entry(reference="2"))),
    "mt940": _MT940.encode(),
    "qif": _QIF.encode(),
    "csv": _TABLE.encode(),
    "tsv": _TABLE.replace(",", "\t").encode("utf-16"),
    "xlsx": xlsx_files.workbook(_ROWS, strings=("Rent",)),
}


def outcome(data, mapping=None):
    """The file as it was read, or the refusal; anything else is a failure."""
    try:
        return read(data, mapping=mapping)
    except FileRefusedError as refusal:
        return refusal


def outcome_of_text(text, mapping=None):
    return outcome(text.encode(), mapping)


def timed(data, mapping=None):
    """The outcome, and the seconds of this process that it took."""
    began = time.process_time()
    found = outcome(data, mapping)
    return found, time.process_time() - began


def held_up(texts, read_or_refuse):
    """Give the beginnings of texts that hold a reader up: a quadratic one takes many minutes for a million bytes."""
    found = []
    for text in texts:
        began = time.process_time()
        read_or_refuse(text)
        if time.process_time() - began > MOST_SECONDS:
            found.append(text[:200])
    return found


def lines(bank_file):
    """How many lines a file was read as having."""
    return sum(len(statement.lines) for statement in bank_file.statements)
