"""A rule says what it means, or is told in a sentence what it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.rules.condition_values import pattern_problem
from webapp.ledger.rules.conditions import (
    Condition,
    Operator,
    condition_problem,
    conditions_problems,
    operators_of,
)
from webapp.ledger.rules.effects import effect_problem, effects_problems, outcome, read_effects
from webapp.ledger.rules.fields import Field, fields_of
from webapp.ledger.rules.triggers import (
    AmbiguousFieldError,
    Target,
    Trigger,
    bind_target_and_trigger,
    completed,
    is_narrowed,
    never_runs,
)

TRANSACTION, RECEIPT = Target.TRANSACTION, Target.RECEIPT


@pytest.mark.parametrize(
    ("payload", "target", "trigger", "ignored"),
    [
        ({}, "TRANSACTION", "TRANSACTION_INGESTED", []),
        ({"scope": "RECEIPT"}, "RECEIPT", "RECEIPT_PARSED", []),
        ({"when": "RECEIPT_PARSED"}, "RECEIPT", "RECEIPT_PARSED", []),
        ({"scope": "RECEIPT", "when": "MANUAL_APPLY"}, "RECEIPT", "MANUAL_APPLY", []),
        ({"a": "TRANSACTION", "b": "TRANSACTION"}, "TRANSACTION", "TRANSACTION_INGESTED", []),
        ({"target": "TRANSACTION", "a": "RECEIPT"}, "TRANSACTION", "TRANSACTION_INGESTED", ["a"]),
        ({"trigger": "MANUAL_APPLY", "a": "RECEIPT_PARSED"}, "TRANSACTION", "MANUAL_APPLY", ["a"]),
        ({"name": "RECEIPT", "description": "RECEIPT"}, "TRANSACTION", "TRANSACTION_INGESTED", []),
        ({"a": "receipt", "b": ["RECEIPT"], "c": 1}, "TRANSACTION", "TRANSACTION_INGESTED", ["a", "b", "c"]),
    ],
)
def test_unknown_keys_bind_by_their_words_and_known_keys_never(payload, target, trigger, ignored):
    assert bind_target_and_trigger(payload) == (Target(target), Trigger(trigger), ignored)


def test_two_unknown_keys_that_disagree_are_ambiguous_unless_the_canonical_one_decides():
    with pytest.raises(AmbiguousFieldError, match="a and b contradict each other about the target"):
        bind_target_and_trigger({"a": "RECEIPT", "b": "TRANSACTION"})
    bound = bind_target_and_trigger({"a": "RECEIPT", "b": "TRANSACTION", "target": "RECEIPT"})
    assert (bound.target, bound.ignored) == (RECEIPT, ["a", "b"])


@pytest.mark.parametrize(
    "payload",
    [{"a": "RECEIPT", "b": "TRANSACTION_UPDATED"}, {"target": "TRANSACTION", "trigger": "RECEIPT_PARSED"}],
)
def test_target_and_trigger_are_free_of_each_other(payload):
    bound = bind_target_and_trigger(payload)
    assert {bound.target.value, bound.trigger.value} == {*payload.values()}
    assert never_runs(bound.target, bound.trigger)


@pytest.mark.parametrize("value", [None, "", "receipt", 1, ["RECEIPT"], {}])
def test_a_canonical_key_takes_its_own_words_only(value):
    with pytest.raises(UnprocessableError) as caught:
        bind_target_and_trigger({"target": value})
    assert caught.value.fields == {"target": ["The target is one of RECEIPT, TRANSACTION."]}


@given(st.sampled_from([None, *Target]), st.sampled_from([None, *Trigger]))
def test_completing_a_pair_again_changes_nothing(target, trigger):
    pair = completed(target, trigger)
    assert completed(*pair) == pair
    assert target in {None, pair[0]}
    assert trigger in {None, pair[1]}


def test_ignored_keys_inside_conditions_are_named_by_their_path():
    bound = bind_target_and_trigger(
        {
            "conditions": {"mode": "x", "conditions": [{"value": "a"}, {"value": "b", "regex": True}, 5]},
            "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "note": ""}],
        }
    )
    assert bound.ignored == ["conditions.mode", "conditions.conditions.1.regex", "effects.0.note"]
    assert is_narrowed(bound.ignored)


def test_receipts_have_fields_that_transactions_do_not():
    assert set(fields_of(TRANSACTION)) < set(fields_of(RECEIPT)) == set(Field)


@pytest.mark.parametrize(
    ("field", "operator", "value"),
    [
        ("ANY_TEXT", "CONTAINS", ""),
        ("IBAN", "STARTS_WITH", "DE"),
        ("AMOUNT", "BETWEEN", "-10.00..250"),
        ("AMOUNT", "IN", "1, 2.50,-3"),
        ("DATE", "BETWEEN", "2026-01-01 .. 2026-01-31"),
        ("DIRECTION", "EQUALS", "out"),
        ("CURRENCY", "IN", "eur,USD,rur"),
        ("MERCHANT", "NOT_IN", "1,9223372036854775807"),
        ("PROJECT", "IS_EMPTY", "whatever"),
    ],
)
def test_sensible_conditions_have_no_problem(field, operator, value):
    assert condition_problem(Condition(Field(field), Operator(operator), value), TRANSACTION) is None


@pytest.mark.parametrize(
    ("field", "operator", "value", "key"),
    [
        ("TOTAL", "EQUALS", "1", "field"),
        ("AMOUNT", "CONTAINS", "1", "operator"),
        ("DESCRIPTION", "BETWEEN", "a..b", "operator"),
        ("DIRECTION", "GREATER_THAN", "IN", "operator"),
        ("AMOUNT", "EQUALS", "1e5", "value"),
        ("AMOUNT", "BETWEEN", "1..", "value"),
        ("AMOUNT", "BETWEEN", "1..x", "value"),
        ("AMOUNT", "IN", "1,,2", "value"),
        ("AMOUNT_ABS", "LESS_THAN", "-1", "value"),
        ("DATE", "EQUALS", "20260101", "value"),
        ("CURRENCY", "EQUALS", "euro", "value"),
        ("PROJECT", "EQUALS", "9223372036854775808", "value"),
        ("DESCRIPTION", "MATCHES", "(", "value"),
        ("DESCRIPTION", "MATCHES", "x" * 1001, "value"),
    ],
)
def test_conditions_without_sense_are_told_so_in_a_sentence(field, operator, value, key):
    found = condition_problem(Condition(Field(field), Operator(operator), value), TRANSACTION)
    assert found is not None
    assert found[0] == key
    assert found[1].endswith(".")


@given(st.sampled_from(list(Field)), st.sampled_from(list(Operator)), st.text(max_size=60))
def test_no_condition_makes_the_check_fail(field, operator, value):
    found = condition_problem(Condition(field, operator, value), RECEIPT)
    assert (found is not None and found[0] == "operator") == (operator not in operators_of(field))


def test_problems_of_conditions_carry_their_path():
    wrong = [Condition(value="fine"), Condition(Field.DATE, Operator.EQUALS, "soon")]
    assert list(conditions_problems(wrong, TRANSACTION)) == ["conditions.conditions.1.value"]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)\1",
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        "(?<!a)b",
        "(?P<n>a)(?P=n)",
        "(a)(?(1)b)",
        "(?>a)",
        "(?i)a",
        "[",
        "a**",
        "a{99999999999}",
        "(" * 500,
        "[[a]",
        "[a--b]",
    ],
)
def test_patterns_that_are_none_or_not_linear_are_refused(pattern):
    assert pattern_problem(pattern)


@pytest.mark.parametrize(
    "pattern", ["", "^rent", r"\(?=\[", "(?:a|b){2,3}?", "(?P<month>jan|feb)", "[]a(?=]", "\n"]
)
def test_plain_patterns_are_taken(pattern):
    assert pattern_problem(pattern) is None


@given(st.text("()[]?P<>=!:\\1a*{}|^,-&~", max_size=30))
def test_no_pattern_makes_the_check_fail(pattern):
    assert pattern_problem(pattern) is None or pattern_problem(pattern).endswith(".")


@pytest.mark.parametrize(
    ("effect", "key"),
    [
        ({}, "kind"),
        ({"kind": ["SET_ACCOUNT"]}, "kind"),
        ({"kind": "set_account"}, "kind"),
        ({"kind": "SET_CURRENCY", "currency": 5}, "currency"),
        ({"kind": "SET_CURRENCY", "currency": "XXX"}, "currency"),
        ({"kind": "SET_ACCOUNT", "accountId": "5"}, "accountId"),
        ({"kind": "SET_MERCHANT", "orgMerchantId": 0}, "orgMerchantId"),
        ({"kind": "SET_PROJECT", "projectId": 2**63}, "projectId"),
        ({"kind": "SET_PROJECT", "projectId": 1, "sortOrder": True}, "sortOrder"),
    ],
)
def test_effects_without_sense_are_told_so(effect, key):
    assert effect_problem(effect)[0] == key
    assert list(effects_problems([{"kind": "SET_ACCOUNT", "accountId": 1}, effect])) == [f"effects.1.{key}"]


def test_a_rule_has_some_effects():
    assert effects_problems([{"kind": "SET_ACCOUNT", "accountId": 1}]) == {}
    assert list(effects_problems([])) == ["effects"]


def test_the_last_effect_of_a_kind_wins_by_sort_order():
    effects = [
        {"kind": "SET_ACCOUNT", "accountId": 1, "sortOrder": 9},
        {"kind": "SET_ACCOUNT", "accountId": 2, "sortOrder": 3},
        {"kind": "SET_MERCHANT", "orgMerchantId": 4},
    ]
    assert outcome(read_effects(effects)) == {"SET_MERCHANT": 4, "SET_ACCOUNT": 1}
