"""`tieout check` names each row of taxes and closes that somebody changed past the application."""

from tests.api.tax.test_returns import file
from tests.api.tax.test_settled_taxes import Owed
from tests.queries.conftest import copy_of
from tests.queries.test_bound_rows import named_at_their_rows

# The kind of the row that is named, its table, a column of it or of what belongs to it, and another value.
CHANGES = [
    (("tax_code", "tax_codes", "1 = 1"), "rate", "'21'"),
    (("tax_code", "tax_codes", "1 = 1"), "has_relief", "NOT has_relief"),
    (("tax_code", "tax_codes", "1 = 1"), "shares", "'[]'"),
    (("tax_pack", "tax_packs", "1 = 1"), "starts_on", "'2020-02-29'"),
    (("tax_pack", "tax_packs", "1 = 1"), "counted_from", "'2020-02-29'"),
    (("tax_rate", "tax_rates", "1 = 1"), "units_per_base", "'7.77'"),
    (("tax_return", "tax_returns", "1 = 1"), "figures", "'{}'"),
    (("tax_return", "tax_returns", "1 = 1"), "ends_on", "'2020-02-29'"),
    (("tax_return", "tax_stamps", "1 = 1"), "ended_at", "'2026-02-28 10:00:00.000000'"),
    (("tax_part", "tax_parts", "1 = 1"), "tax_minor", "tax_minor + 1"),
    (("tax_part", "tax_parts", "1 = 1"), "tax_point", "'2020-02-29'"),
    (("tax_part", "tax_parts", "1 = 1"), "size_minor", "size_minor + 1"),
    (("account", "accounts", "1 = 1"), "currency_from", "'2020-02-29'"),
    (("account", "accounts", "1 = 1"), "tax_code_id", "(SELECT min(id) FROM tax_codes)"),
    (("close", "closes", "1 = 1"), "document", "'{}'"),
    (("close", "closes", "1 = 1"), "lock_before", "'2020-02-29'"),
    (("close", "closes", "1 = 1"), "note", "'Agreed'"),
    (("close", "closes", "1 = 1"), "approved_by", """'{"id": 99, "kind": "PERSON", "name": "Eve"}'"""),
    (("close", "closes", "1 = 1"), "needs_two", "NOT needs_two"),
]


def test_a_change_of_taxes_or_a_close_past_the_application_is_named_at_its_row(
    house, ada, bank, backups_by_turn
):
    books = Owed(ada, bank)
    entry = books.invoice("2026-01-10", "1200.00", ("1200.00", "S20C"))
    books.pay("2026-02-10", "500.00", (entry, "500.00"))
    rate = {"currency": "USD", "unitsPerBase": "1.15", "use": "TAX", "month": "2026-02"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    file(books, "2026-03-31")
    body = {"note": "Ready", "accept": [{"step": "balances", "note": "Agreed by telephone"}]}
    answer = ada.browser().post("/api/closes/2026-01/complete", json=body)
    assert answer.status_code == 200, answer.json
    named_at_their_rows(copy_of(house), CHANGES, backups_by_turn)
