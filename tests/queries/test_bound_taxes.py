"""`tieout check` names each row of taxes and closes that somebody changed past the application."""

from types import SimpleNamespace

import sqlalchemy as sa

from tests.api.tax.test_returns import file
from tests.api.tax.test_settled_taxes import Owed
from tests.queries.conftest import Copy
from tests.queries.test_bound_rows import about, chosen
from webapp.database.sessions import db
from webapp.queries.checks import bound_rows

# The kind of the row that is named, its table, a column of it or of what belongs to it, and another value.
CHANGES = [
    ("tax_code", "tax_codes", "rate", "'21'"),
    ("tax_code", "tax_codes", "has_relief", "NOT has_relief"),
    ("tax_code", "tax_codes", "shares", "'[]'"),
    ("tax_pack", "tax_packs", "starts_on", "'2020-02-29'"),
    ("tax_pack", "tax_packs", "counted_from", "'2020-02-29'"),
    ("tax_rate", "tax_rates", "units_per_base", "'7.77'"),
    ("tax_return", "tax_returns", "figures", "'{}'"),
    ("tax_return", "tax_returns", "ends_on", "'2020-02-29'"),
    ("tax_return", "tax_stamps", "ended_at", "'2026-02-28 10:00:00.000000'"),
    ("tax_part", "tax_parts", "tax_minor", "tax_minor + 1"),
    ("tax_part", "tax_parts", "tax_point", "'2020-02-29'"),
    ("tax_part", "tax_parts", "size_minor", "size_minor + 1"),
    ("account", "accounts", "currency_from", "'2020-02-29'"),
    ("close", "closes", "document", "'{}'"),
    ("close", "closes", "lock_before", "'2020-02-29'"),
    ("close", "closes", "note", "'Agreed'"),
    ("close", "closes", "approved_by", """'{"id": 99, "kind": "PERSON", "name": "Eve"}'"""),
    ("close", "closes", "needs_two", "NOT needs_two"),
]
OWNERS = {"tax_stamps": "return_id"}


def test_a_change_of_taxes_or_a_close_past_the_application_is_named_at_its_row(house, ada, bank, subtests):
    books = Owed(ada, bank)
    entry = books.invoice("2026-01-10", "1200.00", ("1200.00", "S20C"))
    books.pay("2026-02-10", "500.00", (entry, "500.00"))
    rate = {"currency": "USD", "unitsPerBase": "1.15", "use": "TAX", "month": "2026-02"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    file(books, "2026-03-31")
    answer = ada.browser().post("/api/closes/2026-01/complete", json={"note": "Ready"})
    assert answer.status_code == 200, answer.json
    copy = Copy(SimpleNamespace(house=house, refresh=house.refresh))
    for kind, table, column, value in CHANGES:
        with subtests.test(table=table, column=column):
            row_id, _ = chosen(copy, table, "1 = 1")
            owner = OWNERS.get(table, "id")
            copy.damage(f"CREATE TABLE kept_rows AS SELECT * FROM {table}")  # noqa: S608
            copy.damage(f"UPDATE {table} SET {column} = {value} WHERE id = {row_id}")  # noqa: S608
            owner_id = owner_of(copy, table, row_id, owner)
            assert copy.ask(lambda: [each.about for each in bound_rows.rows()]) == [about(kind, owner_id)]
            copy.damage(f"DELETE FROM {table}")  # noqa: S608
            copy.damage(f"INSERT INTO {table} SELECT * FROM kept_rows")  # noqa: S608
            copy.damage("DROP TABLE kept_rows")
    assert copy.ask(lambda: list(bound_rows.rows())) == []


def owner_of(copy, table, row_id, column):
    """Give the id of the row that another one belongs to."""
    if column == "id":
        return row_id
    statement = sa.text(f"SELECT {column} FROM {table} WHERE id = {row_id}")  # noqa: S608
    return copy.ask(lambda: db.session.scalar(statement))
