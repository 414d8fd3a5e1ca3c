"""Every file of the corpus is read as its manifest says: outcome, counts, sums, days, balances, pending."""

import pytest

from tests.corpus import manifest
from tests.corpus.comparing import assert_read_as_the_manifest_says

ENTRIES = [
    pytest.param(form, entry, id=entry.path)
    for form in ("camt", "mt940", "ofx", "qif")
    for entry in manifest.entries(form)
]


@pytest.mark.parametrize(("form", "entry"), ENTRIES)
def test_a_file_is_read_as_the_manifest_says(form, entry, record_property):
    record_property("corpus_format", form)
    bank_file = assert_read_as_the_manifest_says(entry)
    if form == "ofx" and entry.outcome == "no_transactions":
        assert bank_file.statements == ()
        assert bank_file.warnings
    elif bank_file:
        assert form in ("ofx", bank_file.format)
        assert form not in {"camt", "ofx"} or len(bank_file.statements) == entry.expected["statements"]
        assert len(bank_file.skipped) == (entry.expected["investment_records"] if form == "qif" else 0)
