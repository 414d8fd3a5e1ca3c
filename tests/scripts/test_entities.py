"""docs/entities.md shows the tables as the models have them."""

import pytest

from scripts import entities


def test_the_file_is_what_the_script_writes():
    assert entities.PAGE.read_text(encoding="utf-8") == entities.page()


def test_a_table_of_no_group_stops_the_script(monkeypatch):
    monkeypatch.delitem(entities.GROUPS, "Documents")
    with pytest.raises(LookupError, match="documents"):
        entities.page()
