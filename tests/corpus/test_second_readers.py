"""Other people's readers make of the corpus what ours make of it; where they differ, it is named who is right."""

import pytest

from tests.corpus import manifest
from tests.fixtures.oracles import second_readers
from tests.fixtures.oracles.second_readers import read_by
from tests.importers.test_second_readers import lines_of
from webapp import importers
from webapp.importers import FileRefusedError, pdfs
from webapp.importers.invoices import read as read_invoice

# Files that theirs do not read; ours are held to the manifest by the other tests.
UNREAD = {
    "mt940/olb-de__K4262927_20200905-080000-952.txt": "a balance of field 65 has the word null for its day",
    "mt940/olb-de__oldenburgischelandesbank2.txt": "the same",
    "camt/abnamro-nl__oca-test-camt054.xml": "it has no notifications (camt.054)",
    "camt/genkgo-iso__camt054.v2.xml": "the same",
    "camt/genkgo-iso__camt054.v4.xml": "the same",
    "camt/synth__namespace_prefix.xml": "it looks for names without a prefix",
    "cii/en16931__CII_example2.xml": "it needs listVersionID, which the standard makes optional",
    "cii/facturx-akretion__factur-x-basic.xml": "it needs one element in a date, which has a comment",
    "cii/facturx-akretion__factur-x-en16931.xml": "the same",
    "cii/xrechnung__01.01a-INVOICE_uncefact.xml": "it takes a classification for a number",
    "cii/xrechnung__02.03a-INVOICE_uncefact.xml": "the same",
    "facturx_pdf/zugferd-corpus__ZUGFeRD_1p0_COMFORT_Einfach.pdf": "it has no ZUGFeRD 1",
    "facturx_pdf/zugferd-corpus__acme_invoice-42_ZUGFeRD.pdf": "the same",
}
# Files that ours refuse, as the manifest wants, and theirs do not.
REFUSED = {
    "mt940/de-selfprovided__invalid_statement.sta": "text without a field is an empty file to it",
    "mt940/mbank-pl__mt942.sta": "it does not tell an intraday report (MT942) from a statement",
}
# Closing balances and openings that differ, with equal lines.
CLOSINGS = {
    "mt940/abnamro-nl__abnamro.txt": "the last page closes with an intermediate balance (62M), which it leaves out"
}
# The previous closing (PRCD) is the opening balance where no OPBD is stated (ISO 20022, external balance types); it
# knows only OPBD.
OPENED_BY_PRCD = {
    "camt/musterbank-de__test-camt-parse-05200102.xml",
    "camt/musterbank-de__test-camt-ruecklastschrift.xml",
    "camt/sparkasse-de__camt052.xml",
    "camt/vrbank-de__052_valid_example.xml",
    "camt/vrbank-de__valid_example.xml",
    "camt/vrbank-de__valid_example_with_debit.xml",
}


def read_both(entry, theirs):
    """What both make of a bank file, or None where they do not read it, which is named where one of them does."""
    try:
        ours = importers.read(entry.data)
    except FileRefusedError:
        ours = None
    found = read_by(theirs, entry.data)
    assert (found is None) is (entry.path in UNREAD or (ours is None and entry.path not in REFUSED))
    return None if ours is None or found is None else (ours, found)


@pytest.mark.parametrize("entry", manifest.entries("mt940"), ids=lambda entry: entry.path)
def test_mt_940_reads_the_same_lines_and_balance(entry):
    if (both := read_both(entry, second_readers.of_mt940)) is None:
        return
    ours, (lines, closing) = both
    assert lines == lines_of(ours, by_value=True)
    closings = [each.closing.amount for each in ours.statements if each.closing]
    assert (closing == (closings[-1] if closings else None)) is (entry.path not in CLOSINGS)


@pytest.mark.parametrize("entry", manifest.entries("camt"), ids=lambda entry: entry.path)
def test_pycamt_reads_the_same_entries_and_balances(entry):
    if (both := read_both(entry, second_readers.of_camt)) is None:
        return
    ours, (lines, balances) = both
    assert lines == lines_of(ours)
    stated = [
        (each.opening and each.opening.amount, each.closing and each.closing.amount)
        for each in ours.statements
    ]
    if entry.path in OPENED_BY_PRCD:
        assert b"PRCD" in entry.data
        stated = [(None, closing) for _, closing in stated]
    assert balances == stated


@pytest.mark.parametrize(
    ("name", "entry"),
    [(name, entry) for name in ("cii", "facturx_pdf") for entry in manifest.entries(name)],
    ids=lambda value: getattr(value, "path", ""),
)
def test_drafthorse_reads_the_same_figures(name, entry):
    data = pdfs.read(entry.data).xml if name == "facturx_pdf" else entry.data
    theirs = read_by(second_readers.of_cii, data)
    assert (theirs is None) is (entry.path in UNREAD)
    if theirs is not None:
        assert theirs == second_readers.figures_of(read_invoice(data))
