"""Each known layout reads a file that its header alone makes certain: days in its order, amounts with its sign."""

from datetime import date

import pytest

from webapp import importers
from webapp.importers.tables.detection import ROLES
from webapp.importers.tables.known_layouts import all_layouts
from webapp.importers.tables.layouts import roles

# A day that can be read in both orders.
DAY = date(2026, 3, 4)


def written(layout):
    """Write two lines of 40.00 and 3.00 money out; a card that writes money out without a sign has it so."""
    names = layout.header.split(",")
    if names[-1] == "*":
        names[-1:] = ["More"] if roles(names, ROLES)["amount"] else ["Amount ($)", "More"]
    found = roles(names, ROLES)
    rows = [names]
    for amount in ("40.00", "3.00"):
        cells = ["x" for _ in names]
        for role, columns in found.items():
            for column in columns:
                cells[column] = {
                    "date": DAY.strftime(layout.date_format or "%Y-%m-%d"),
                    "value_date": DAY.strftime(layout.date_format or "%Y-%m-%d"),
                    "amount": amount if layout.invert else f"-{amount}",
                    "debit": amount,
                    "credit": "",
                    "balance": "",
                    "currency_column": "USD",
                }.get(role, "x")
        rows.append(
            "" if name in {"Status", "State"} else cell for name, cell in zip(names, cells, strict=True)
        )
    return "\n".join(map(",".join, rows)).encode()


@pytest.mark.parametrize("layout", all_layouts(), ids=lambda layout: layout.header)
def test_a_known_header_settles_the_days_and_the_sign(layout):
    found = importers.read(written(layout))
    lines = [line for each in found.statements for line in each.lines]
    assert [str(line.amount) for line in lines] == ["-40.00", "-3.00"]
    assert {line.booked_on for line in lines} == {DAY}
    chosen = {each.key: each.why for each in found.columns.chosen}
    why = f"The header is that of {layout.name}."
    expected = ["dateFormat"] if layout.date_format else []
    expected += ["invert"] if layout.invert is not None else []
    assert {chosen[key] for key in expected} == {why}


def test_columns_may_follow_those_of_a_header_that_says_so():
    head = "TransferWise ID,Date,Amount,Currency,Description,Payment Reference,Running Balance"
    rows = "\n".join(f"T{each},0{each}-04-2026,{each}.00,EUR,x,x,{{}}" for each in (3, 4))
    found = importers.read(f"{head},Exchange From,Note\n{rows.format('', '')}".encode())
    assert [line.booked_on for line in found.statements[0].lines] == [date(2026, 4, 3), date(2026, 4, 4)]
    with pytest.raises(importers.FileRefusedError, match="dateFormat"):
        importers.read(f"X,{head}\n1,{rows.splitlines()[0].format('')}".encode())


def test_a_header_that_only_begins_alike_is_asked_about():
    data = b"Date,Counter Party,Reference,Type,Amount (GBP)\n03/04/2026,x,x,x,-40.00\n"
    with pytest.raises(importers.FileRefusedError, match="dateFormat"):
        importers.read(data)


def test_headers_are_written_once():
    headers = [layout.header for layout in all_layouts()]
    assert len(set(headers)) == len(headers)
