"""Conditions asked of items: every field with every operator that it takes, each once passing and once failing."""

from datetime import date
from decimal import Decimal

import pytest

from webapp.ledger.conditions import (
    KIND_OF,
    Condition,
    Field,
    Match,
    Operator,
    ValueKind,
    condition_problem,
    operators_of,
)
from webapp.ledger.rule_items import RuleItem
from webapp.ledger.rule_matching import ready
from webapp.ledger.triggers import Target

ITEM = RuleItem(
    description="Café  BERLIN Invoice 42",
    counterparty="Café  BERLIN Invoice 42",
    reference="Café  BERLIN Invoice 42",
    iban="DE02 1203 0000 0000 2020 51",
    amount=Decimal("-42.50"),
    currency="EUR",
    day=date(2026, 3, 15),
    feed_account_id=7,
    merchant_id=7,
    project_id=7,
    document_type="INVOICE",
    total=Decimal("-42.50"),
    tax=Decimal("-42.50"),
    issued_on=date(2026, 3, 15),
    sender="Café  BERLIN Invoice 42",
    file_name="Café  BERLIN Invoice 42",
    text="Café  BERLIN Invoice 42",
)
NOTHING = RuleItem()
# Of each kind: what equals the item's value, what does not, what is below it and what above.
TEXT = {
    Operator.EQUALS: ("CAFE\u0301 berlin INVOICE 42", "café berlin"),
    Operator.NOT_EQUALS: ("café", "café berlin invoice 42"),
    Operator.CONTAINS: ("Berlin  invoice", "Hamburg"),
    Operator.NOT_CONTAINS: ("Hamburg", "BERLIN"),
    Operator.STARTS_WITH: ("CAFÉ", "berlin"),
    Operator.ENDS_WITH: ("42", "invoice"),
    Operator.MATCHES: (r"invoice \d+$", r"^invoice"),
    Operator.IN: ("x, café berlin invoice 42", "x, y"),
    Operator.NOT_IN: ("x, y", "x, café berlin invoice 42"),
}
IBAN = {
    Operator.EQUALS: ("de02120300000000202051", "DE02"),
    Operator.NOT_EQUALS: ("DE02", "DE02 1203 0000 0000 2020 51"),
    Operator.CONTAINS: ("1203 0000", "9999"),
    Operator.NOT_CONTAINS: ("9999", "12030000"),
    Operator.STARTS_WITH: ("DE 02", "1203"),
    Operator.ENDS_WITH: ("2051", "DE"),
    Operator.MATCHES: ("^de02[0-9]+$", "^at"),
    Operator.IN: ("AT1, DE02120300000000202051", "AT1"),
    Operator.NOT_IN: ("AT1", "AT1, DE02120300000000202051"),
}


def ranges(same, other, below, above):
    return {
        Operator.EQUALS: (same, other),
        Operator.NOT_EQUALS: (other, same),
        Operator.IN: (f"{other}, {same}", other),
        Operator.NOT_IN: (other, f"{other}, {same}"),
        Operator.GREATER_THAN: (below, same),
        Operator.GREATER_OR_EQUAL: (same, above),
        Operator.LESS_THAN: (above, same),
        Operator.LESS_OR_EQUAL: (same, below),
        Operator.BETWEEN: (f"{same}..{above}", f"{above}..{above}"),
    }


def choices(same, other):
    return {
        Operator.EQUALS: (same, other),
        Operator.NOT_EQUALS: (other, same),
        Operator.IN: (f"{other}, {same}", other),
        Operator.NOT_IN: (other, same),
    }


VALUES = {
    ValueKind.TEXT: TEXT,
    ValueKind.AMOUNT: ranges("-42.5", "42.50", "-50", "-1"),
    ValueKind.SIZE: ranges("42.500", "1", "40", "50"),
    ValueKind.DAY: ranges("2026-03-15", "2026-03-16", "2026-03-14", "2026-03-20"),
    ValueKind.DIRECTION: choices("out", "in"),
    ValueKind.DOCUMENT_TYPE: choices("invoice", "bill"),
    ValueKind.CURRENCY: choices("eur", "USD"),
    ValueKind.ID: choices("7", "8"),
}
EMPTINESS = {Operator.IS_EMPTY, Operator.IS_NOT_EMPTY}
CELLS = [(field, operator) for field in Field for operator in operators_of(field)]


def asked(field, operator, value, item=ITEM):
    condition = Condition(field, operator, value)
    assert condition_problem(condition, Target.RECEIPT) is None
    return ready(Match.ALL, [condition]).hold(item.values())


@pytest.mark.parametrize(("field", "operator"), CELLS, ids=lambda each: each.value)
def test_each_field_with_each_of_its_operators(field, operator):
    if operator in EMPTINESS:
        assert asked(field, operator, "", ITEM) is (operator is Operator.IS_NOT_EMPTY)
        assert asked(field, operator, "", NOTHING) is (operator is Operator.IS_EMPTY)
        return
    cases = IBAN if field is Field.IBAN else VALUES[KIND_OF[field]]
    passing, failing = cases[operator]
    assert asked(field, operator, passing)
    assert not asked(field, operator, failing)


@pytest.mark.parametrize(("field", "operator"), CELLS, ids=lambda each: each.value)
def test_what_is_missing_matches_negatives_only(field, operator):
    cases = IBAN if field is Field.IBAN else VALUES[KIND_OF[field]]
    value = "" if operator in EMPTINESS else cases[operator][0]
    is_negative = operator.value.startswith("NOT_") or operator is Operator.IS_EMPTY
    assert asked(field, operator, value, NOTHING) is is_negative


def test_any_text_is_any_of_them_and_a_negative_none_of_them():
    item = RuleItem(description="Rent", counterparty="Landlord", reference="2026-03")
    assert asked(Field.ANY_TEXT, Operator.CONTAINS, "landlord", item)
    assert not asked(Field.ANY_TEXT, Operator.NOT_CONTAINS, "landlord", item)
    assert asked(Field.ANY_TEXT, Operator.NOT_CONTAINS, "tenant", item)
    assert asked(Field.ANY_TEXT, Operator.EQUALS, "2026-03", item)


def test_any_and_all_and_nothing_at_all():
    conditions = [Condition(value="berlin"), Condition(value="hamburg")]
    values = ITEM.values()
    assert ready(Match.ANY, conditions).hold(values)
    assert not ready(Match.ALL, conditions).hold(values)
    assert ready(Match.ALL, conditions).explain(values) == [True, False]
    assert ready(Match.ALL, []).hold(values)


def test_a_hostile_pattern_costs_nothing():
    pattern = "(a+)+(b|c)*(x+x+)+y$"
    assert not asked(
        Field.DESCRIPTION, Operator.MATCHES, pattern, RuleItem(description="a" * 50_000 + "x" * 50_000)
    )
