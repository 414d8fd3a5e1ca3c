"""Conditions asked of items: every field with every operator that it takes, each once passing and once failing."""

from datetime import date
from decimal import Decimal

import pytest

from tests.fixtures.figures import KEY
from tests.ledger.rules.rule_values import item_values
from webapp.ledger.rules.conditions import (
    WITHOUT_VALUE,
    Condition,
    Match,
    Operator,
    condition_problem,
    conditions_problems,
    operators_of,
)
from webapp.ledger.rules.fields import Field, ValueKind
from webapp.ledger.rules.matching import compiled
from webapp.ledger.rules.triggers import Target

AMOUNT = Decimal("-42.50")
RAW = {
    ValueKind.TEXT: "Café  BERLIN Invoice 42",
    ValueKind.IDENTIFIER: "DE02 1203 0000 0000 2020 51",
    ValueKind.AMOUNT: AMOUNT,
    ValueKind.SIZE: AMOUNT,
    ValueKind.DAY: date(2026, 3, 15),
    ValueKind.DIRECTION: AMOUNT,
    ValueKind.DOCUMENT_TYPE: "INVOICE",
    ValueKind.CURRENCY: "EUR",
    ValueKind.ID: 7,
}
ITEM = item_values(**{field.value.lower(): RAW[field.kind] for field in Field})
NOTHING = item_values()

# Kind of field, operator, a value with which the condition holds of the item, one with which it does not.
TABLE = """
TEXT          EQUALS            CAFE\u0301 berlin INVOICE 42                 | café berlin
TEXT          NOT_EQUALS        café                                   | café berlin invoice 42
TEXT          CONTAINS          Berlin  invoice                        | Hamburg
TEXT          NOT_CONTAINS      Hamburg                                | BERLIN
TEXT          STARTS_WITH       CAFÉ                                   | berlin
TEXT          ENDS_WITH         42                                     | invoice
TEXT          MATCHES           invoice \\d+$                           | ^invoice
TEXT          IN                x, café berlin invoice 42              | x, y
TEXT          NOT_IN            x, y                                   | x, café berlin invoice 42
IDENTIFIER    EQUALS            de02120300000000202051                 | DE02
IDENTIFIER    NOT_EQUALS        DE02                                   | DE02 1203 0000 0000 2020 51
IDENTIFIER    CONTAINS          1203 0000                              | 9999
IDENTIFIER    NOT_CONTAINS      9999                                   | 12030000
IDENTIFIER    STARTS_WITH       DE 02                                  | 1203
IDENTIFIER    ENDS_WITH         2051                                   | DE
IDENTIFIER    MATCHES           ^de02[0-9]+$                           | ^at
IDENTIFIER    IN                AT1, DE02120300000000202051            | AT1
IDENTIFIER    NOT_IN            AT1                                    | AT1, DE02120300000000202051
AMOUNT        EQUALS            -42.5                                  | 42.50
AMOUNT        NOT_EQUALS        42.50                                  | -42.5
AMOUNT        IN                42.50, -42.5                           | 42.50
AMOUNT        NOT_IN            42.50                                  | 42.50, -42.5
AMOUNT        GREATER_THAN      -50                                    | -42.5
AMOUNT        GREATER_OR_EQUAL  -42.5                                  | -1
AMOUNT        LESS_THAN         -1                                     | -42.5
AMOUNT        LESS_OR_EQUAL     -42.5                                  | -50
AMOUNT        BETWEEN           -42.5..-1                              | -1..-1
SIZE          EQUALS            42.500                                 | 1
SIZE          NOT_EQUALS        1                                      | 42.500
SIZE          IN                1, 42.500                              | 1
SIZE          NOT_IN            1                                      | 1, 42.500
SIZE          GREATER_THAN      40                                     | 42.500
SIZE          GREATER_OR_EQUAL  42.500                                 | 50
SIZE          LESS_THAN         50                                     | 42.500
SIZE          LESS_OR_EQUAL     42.500                                 | 40
SIZE          BETWEEN           42.500..50                             | 50..50
DAY           EQUALS            2026-03-15                             | 2026-03-16
DAY           NOT_EQUALS        2026-03-16                             | 2026-03-15
DAY           IN                2026-03-16, 2026-03-15                 | 2026-03-16
DAY           NOT_IN            2026-03-16                             | 2026-03-16, 2026-03-15
DAY           GREATER_THAN      2026-03-14                             | 2026-03-15
DAY           GREATER_OR_EQUAL  2026-03-15                             | 2026-03-20
DAY           LESS_THAN         2026-03-20                             | 2026-03-15
DAY           LESS_OR_EQUAL     2026-03-15                             | 2026-03-14
DAY           BETWEEN           2026-03-15..2026-03-20                 | 2026-03-20..2026-03-20
DIRECTION     EQUALS            out                                    | in
DIRECTION     NOT_EQUALS        in                                     | out
DIRECTION     IN                in, out                                | in
DIRECTION     NOT_IN            in                                     | out
DOCUMENT_TYPE EQUALS            invoice                                | bill
DOCUMENT_TYPE NOT_EQUALS        bill                                   | invoice
DOCUMENT_TYPE IN                bill, invoice                          | bill
DOCUMENT_TYPE NOT_IN            bill                                   | invoice
CURRENCY      EQUALS            eur                                    | USD
CURRENCY      NOT_EQUALS        USD                                    | eur
CURRENCY      IN                USD, eur                               | USD
CURRENCY      NOT_IN            USD                                    | eur
ID            EQUALS            7                                      | 8
ID            NOT_EQUALS        8                                      | 7
ID            IN                8, 7                                   | 8
ID            NOT_IN            8                                      | 7
"""
# Of each kind that does not take any text, a value of another kind.
WRONG = {
    ValueKind.AMOUNT: "twelve",
    ValueKind.SIZE: "-1",
    ValueKind.DAY: "2026-02-30",
    ValueKind.DIRECTION: "up",
    ValueKind.DOCUMENT_TYPE: "letter",
    ValueKind.CURRENCY: "euro",
    ValueKind.ID: "0",
}


def read(table):
    for row in table.strip().splitlines():
        kind, operator, values = row.split(maxsplit=2)
        yield (kind, Operator(operator)), tuple(value.strip() for value in values.split("|"))


VALUES = dict(read(TABLE))
CELLS = [(field, operator) for field in Field for operator in operators_of(field)]
# The cells that do not take any text at all.
PARTICULAR = [
    (field, operator)
    for field, operator in CELLS
    if operator is Operator.MATCHES or (field.kind in WRONG and operator not in WITHOUT_VALUE)
]


def cases(field, operator):
    is_negative = operator.value.startswith("NOT_") or operator is Operator.IS_EMPTY
    if operator in WITHOUT_VALUE:
        return [("", ITEM, not is_negative), ("", NOTHING, is_negative)]
    passing, failing = VALUES[field.kind.name, operator]
    return [(passing, ITEM, True), (failing, ITEM, False), (passing, NOTHING, is_negative)]


def asked(field, operator, value, item=ITEM):
    condition = Condition(field, operator, value)
    assert condition_problem(condition, Target.RECEIPT) is None
    return compiled(Match.ALL, [condition]).hold(item)


def test_a_condition_passes_and_fails_and_of_nothing_only_negatives_hold():
    found = {cell: [asked(*cell, value, item) for value, item, _ in cases(*cell)] for cell in CELLS}
    assert found == {cell: [holds for _, _, holds in cases(*cell)] for cell in CELLS}


def test_each_cell_of_the_table_has_a_passing_and_a_failing_case(record_property):
    answers = [{holds for _, _, holds in cases(*cell)} for cell in CELLS]
    assert answers == [{True, False}] * len(CELLS)
    asked_of = {field: len(operators_of(field)) for field in Field}
    counts = ", ".join(f"{field} {count}" for field, count in asked_of.items())
    cases_of = sum(len(cases(*cell)) for cell in CELLS)
    record_property(
        KEY,
        f"rules: {len(Field)} fields x {len(Operator)} operators x {len(ValueKind)} value kinds: {len(CELLS)} cells"
        f" that make sense, each passing and failing, {cases_of} cases, {len(Field) * len(Operator) - len(CELLS)}"
        f" cells refused; operators of {counts}",
    )


def test_a_value_of_another_kind_is_refused_at_its_path():
    found = {}
    for field, operator in PARTICULAR:
        wrong = "(" if operator is Operator.MATCHES else WRONG[field.kind]
        conditions = [Condition(), Condition(), Condition(field, operator, wrong)]
        found[field, operator] = list(conditions_problems(conditions, Target.RECEIPT))
    assert found == {cell: ["conditions.conditions.2.value"] for cell in PARTICULAR}


@pytest.mark.parametrize("field", Field)
def test_an_operator_that_a_field_does_not_take_is_refused_at_its_path(field):
    for operator in set(Operator) - set(operators_of(field)):
        problems = conditions_problems([Condition(), Condition(field, operator, "1")], Target.RECEIPT)
        assert list(problems) == ["conditions.conditions.1.operator"]


@pytest.mark.parametrize(
    ("operator", "value", "holds"),
    [
        (Operator.CONTAINS, "landlord", True),
        (Operator.NOT_CONTAINS, "landlord", False),
        (Operator.NOT_CONTAINS, "tenant", True),
        (Operator.EQUALS, "2026-03", True),
        (Operator.STARTS_WITH, "landlord", True),
        (Operator.CONTAINS, "rent landlord", False),
    ],
)
def test_any_text_is_any_of_them_and_a_negative_none_of_them(operator, value, holds):
    item = item_values(description="Rent", counterparty="Landlord", reference="2026-03")
    assert asked(Field.ANY_TEXT, operator, value, item) is holds


def test_any_and_all_and_nothing_at_all():
    conditions = [Condition(value="berlin"), Condition(value="hamburg")]
    assert compiled(Match.ANY, conditions).hold(ITEM)
    assert not compiled(Match.ALL, conditions).hold(ITEM)
    assert compiled(Match.ALL, conditions).explain(ITEM) == [True, False]
    assert compiled(Match.ALL, []).hold(ITEM)


@pytest.mark.parametrize(
    ("text", "pattern", "holds"),
    [
        ("Straßenbahn", "straße", True),
        ("STRASSENBAHN", "^Straßen?b", True),
        ("Café", "cafe\u0301$", True),
        ("Coffee   Bar", "coffee bar", True),
        ("Coffee Bar", r"^\w+\sBAR$", True),
        ("Coffee Bar", r"\W{2}", False),
    ],
)
def test_a_pattern_meets_text_that_is_folded(text, pattern, holds):
    assert asked(Field.DESCRIPTION, Operator.MATCHES, pattern, item_values(description=text)) is holds


@pytest.mark.parametrize(
    ("value", "holds"), [("-50..-42.5", True), ("-42.5..-1", True), ("-42.49..-1", False)]
)
def test_both_ends_of_a_range_belong_to_it(value, holds):
    assert asked(Field.AMOUNT, Operator.BETWEEN, value) is holds
