"""Every QIF file of the corpus is read as its manifest says: outcome, counts, sums, days, and no securities."""

import pytest

from tests.corpus import manifest
from tests.corpus.comparing import assert_read_as_the_manifest_says


@pytest.mark.parametrize("entry", manifest.entries("qif"), ids=lambda entry: entry.path)
def test_a_file_is_read_as_the_manifest_says(entry, record_property):
    record_property("corpus_format", "qif")
    bank_file = assert_read_as_the_manifest_says(entry)
    if bank_file:
        assert bank_file.format == "qif"
        assert len(bank_file.skipped) == entry.expected["investment_records"]
