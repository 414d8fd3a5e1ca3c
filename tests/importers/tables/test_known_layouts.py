"""Each known layout reads a file that its header alone makes certain: days in its order, amounts with its sign."""

from datetime import date

import pytest

from webapp import importers
from webapp.importers.tables.detection import ROLES
from webapp.importers.tables.known_layouts import all_layouts
from webapp.importers.tables.layouts import roles


def written(layout):
    """Write two lines of 40.00 and 3.00 money out; a card that writes money out without a sign has it so."""
    names = layout.header.split(",")
    found = roles(names, ROLES)
    rows = [layout.header]
    for day, amount in (("03/04/2026", "40.00"), ("03/04/2026", "3.00")):
        cells = ["x" for _ in names]
        for role, columns in found.items():
            for column in columns:
                if role in {"date", "value_date"}:
                    cells[column] = day
                elif role == "amount":
                    cells[column] = amount if layout.invert else f"-{amount}"
                elif role in {"debit", "credit", "balance"}:
                    cells[column] = amount if role == "debit" else ""
        cells = ["" if name == "Status" else cell for name, cell in zip(names, cells, strict=True)]
        rows.append(",".join(cells))
    return "\n".join(rows).encode()


@pytest.mark.parametrize("layout", all_layouts(), ids=lambda layout: layout.header)
def test_a_known_header_settles_the_days_and_the_sign(layout):
    found = importers.read(written(layout))
    lines = [line for each in found.statements for line in each.lines]
    assert [str(line.amount) for line in lines] == ["-40.00", "-3.00"]
    expected = date(2026, 4, 3) if layout.date_format.startswith("%d") else date(2026, 3, 4)
    assert {line.booked_on for line in lines} == {expected}
    why = f"The header is that of {layout.name}."
    assert {each.key: each.why for each in found.columns.chosen}["dateFormat"] == why


def test_a_header_that_only_begins_alike_is_asked_about():
    data = b"Date,Counter Party,Reference,Type,Amount (GBP)\n03/04/2026,x,x,x,-40.00\n"
    with pytest.raises(importers.FileRefusedError, match="dateFormat"):
        importers.read(data)


def test_headers_are_written_once():
    headers = [layout.header for layout in all_layouts()]
    assert len(set(headers)) == len(headers)
