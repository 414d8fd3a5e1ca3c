"""Every OFX file of the corpus is read as its manifest says: outcome, counts, sums, days, balances, pending."""

import pytest

from tests.corpus import manifest
from tests.corpus.comparing import assert_read_as_the_manifest_says


@pytest.mark.parametrize("entry", manifest.entries("ofx"), ids=lambda entry: entry.path)
def test_a_file_is_read_as_the_manifest_says(entry, record_property):
    record_property("corpus_format", "ofx")
    bank_file = assert_read_as_the_manifest_says(entry)
    if entry.outcome == "no_transactions":
        assert bank_file.statements == ()
        assert bank_file.warnings
    elif bank_file:
        assert len(bank_file.statements) == entry.expected["statements"]
        assert not bank_file.skipped
