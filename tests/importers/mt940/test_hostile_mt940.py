"""No MT940, however made, holds the reader up or fills the memory."""

import pytest

from tests.importers.hostile import SIZE, held_up, outcome_of_text

HEAD = ":20:X\n:25:1\n:28C:1\n:60F:C260301EUR1,\n"
LINE = ":61:2603020302D12,50NTRFE7//B1\n"


TAGS = [":61:", "\n:20:X\n", "\n:60F:C260301EUR1,\n", "\n:86:x", "{4:", "\n{1:", "\n-"]
TEXTS = ["?20", "?32x\n", "SVWZ+", "/REMI/", "/", ":", "\n", "\n:", " ", "9", "1,", "A"]
INSIDE = ["", ":61:", ":61:260302D", f"{LINE}:86:", f"{LINE}:86:166?20", f"{LINE}:86:/REMI/"]


@pytest.mark.rare
def test_what_is_repeated_without_end_is_settled_in_time_that_grows_with_it(portion):
    for place, inside in enumerate(INSIDE):
        texts = (
            HEAD + inside + piece * (SIZE // len(piece)) + "\n:62F:C260301EUR1,\n"
            for piece in portion(7, [*TAGS, *TEXTS], place)
        )
        assert held_up(texts, outcome_of_text) == []


def test_a_long_text_is_cut_and_not_refused():
    for text in ("word " * SIZE, "166?20" + "word " * SIZE, "/REMI/" + "word " * SIZE):
        (account,) = outcome_of_text(f"{HEAD}{LINE}:86:{text}\n:62F:C260301EUR1,\n").statements
        assert len(account.lines[0].description) <= 4_000
    for text in ("166?20EREF+", "166?32", "/NAME/", "/EREF/"):
        (account,) = outcome_of_text(
            f"{HEAD}{LINE}:86:{text}{'word ' * SIZE}\n:62F:C260301EUR1,\n"
        ).statements
        (line,) = account.lines
        assert len(line.reference or "") + len(line.counterparty or "") <= 4_002


def test_more_lines_and_statements_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.mt940.reader.MAX_LINES", 2)
    assert "more than 2 lines" in outcome_of_text(HEAD + LINE * 3 + ":62F:C260301EUR1,\n").message
    assert "statements" in outcome_of_text(HEAD * 10_002).message
