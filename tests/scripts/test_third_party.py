"""THIRD_PARTY.md names every library with its licence, and the runtime takes none under the GPL."""

import pytest

from scripts import third_party
from scripts.third_party import Library


def test_the_file_is_what_the_script_writes():
    assert third_party.PAGE.read_text(encoding="utf-8") == third_party.page()


def test_a_library_under_the_gpl_is_no_part_of_the_runtime(monkeypatch):
    monkeypatch.setattr(third_party, "libraries", lambda _: [Library("viral", "1.0", "GPL-3.0-only")])
    with pytest.raises(LookupError, match="viral is under GPL"):
        third_party.page()
