"""Every CSV file of the corpus is read as its manifest says by its mapping; without one it is never read wrongly."""

import pytest

from tests.corpus import manifest
from tests.corpus.comparing import accounts, assert_read_as_the_manifest_says, in_types, read_or_refused
from webapp import importers
from webapp.importers import FileRefusedError


@pytest.mark.parametrize("entry", manifest.entries("csv"), ids=lambda entry: entry.path)
def test_a_file_is_read_by_its_mapping_as_the_manifest_says(entry, record_property):
    record_property("corpus_format", "csv, mapped")
    bank_file = assert_read_as_the_manifest_says(entry, entry.mapping)
    assert bank_file.format == "csv"
    if entry.outcome == "no_transactions":
        assert bank_file.statements == ()
        assert bank_file.warnings


@pytest.mark.parametrize("entry", manifest.entries("csv"), ids=lambda entry: entry.path)
def test_a_file_without_a_mapping_is_read_right_or_asks(entry, record_property):
    bank_file = read_or_refused(entry.data)
    record_property("corpus_format", "csv, found" if bank_file else "csv, asked")
    if bank_file is None:
        with pytest.raises(FileRefusedError, match=r"mapping|name (its|the) columns|column titles"):
            importers.read(entry.data)
        return
    # Of two days that the header names, the manifest's mapping may have taken the other one.
    chosen = next((each.value for each in bank_file.columns.chosen if each.key == "date"), None)
    if chosen is not None and entry.mapping["date"] not in {chosen, bank_file.columns.mapping["date"]}:
        assert accounts(bank_file) == accounts(
            importers.read(entry.data, mapping=entry.mapping | {"date": chosen})
        )
        return
    found = sorted(line for account in accounts(bank_file) for line in account["transactions"])
    listed = [account.get("transactions") for account in entry.accounts]
    if None not in listed:
        assert found == sorted(line for lines in listed for line in in_types("transactions", lines))
    assert len(found) == entry.expected["booked"]
    for read, record in zip(accounts(bank_file), entry.accounts, strict=True):
        names = [name for name in ("id", "currency") if read[name] is not None and record[name] is not None]
        names += ["pending", "first_date", "last_date", "sum"]
        assert {name: read[name] for name in names} == {name: in_types(name, record[name]) for name in names}
        for name in ("opening_balance", "closing_balance"):
            assert record[name] is None or read[name] == in_types(name, record[name])
