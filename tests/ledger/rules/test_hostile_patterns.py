"""Regular expressions made to be slow cost nothing: each is followed in linear time, or refused (P48)."""

import time

import pytest

from tests.fixtures.figures import KEY
from tests.ledger.rules.rule_values import item_values
from webapp.ledger.rules.condition_values import MAX_PATTERN_LENGTH, pattern_problem
from webapp.ledger.rules.conditions import Condition, Match, Operator
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.matching import compiled

# Each is exponential or of a high power for an engine that backtracks, on texts of these letters.
EVIL = [
    r"(a+)+$", r"(a*)*$", r"(a|a)+$", r"(a|aa)+$", r"(a+){10}$", r"(a+)+b", r"(a*)*b", r"(a|a?)+b", r"(.*a){12}$",
    r"(.*a){20}b", r"^(a+)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(x+x+)+y", r"(x+x+)+y$", r"(a+)+(b|c)*(x+x+)+y$",
    r"((a+)+)+$", r"(((a*)*)*)*b", r"(a+a+)+b", r"(aa|a)*b", r"([a-zA-Z]+)*$b", r"([a-z]*)*[0-9]", r"(\w+\s?)*!",
    r"(\w*)*!", r"(\d+)+x", r"(\d|\d\d)+x", r"(\s*)*x", r"(\s+)+x", r"^(\s*\w+\s*)*$!", r"(.+)+!", r"(.*)*!",
    r"(.|.)*!", r"(.*,){30}!", r"(a?){50}a{50}b", r"(a?){30}(a?){30}b", r"a*a*a*a*a*a*a*a*b", r".*.*.*.*.*.*.*b!",
    r"(?:a+)+b", r"(?P<n>a+)+b", r"(?:(?:a*)+)+b", r"[ab]*[ac]*[ad]*[ae]*[af]*!", r"(a+|b+|c+)*d!",
    r"(ab?)*(a?b)*!", r"^(a|b|ab)*c!", r"(e+)+@(e+)+\.(e+)+", r"^[\w.]+([.-]?\w+)*@\w+$",
    r"(a{1,30}){1,30}b", r"((a{1,9}){1,9}){1,9}b", r"(\p{L}+)+!", r"(a+)\1+b", r"(?=(a+))\1b",
]  # fmt: skip
TEXTS = ["a" * 20_000, "x" * 20_000, "1" * 20_000, " " * 20_000, "a," * 10_000, "ab" * 10_000, "e" * 20_000]
MOST_SECONDS = 2.0


def test_fifty_evil_patterns_cost_nothing(record_property):
    assert len(set(EVIL)) == len(EVIL) == 50
    taken = [pattern for pattern in EVIL if pattern_problem(pattern) is None]
    assert len(taken) >= 45
    items = [item_values(description=text + "\u00e9", counterparty="x") for text in TEXTS]
    slowest, begun = 0.0, time.process_time()
    for pattern in taken:
        before = time.process_time()
        questions = compiled(Match.ALL, [Condition(Field.ANY_TEXT, Operator.MATCHES, pattern)])
        for values in items:
            questions.hold(values)
        slowest = max(slowest, time.process_time() - before)
    spent = time.process_time() - begun
    record_property(
        KEY,
        f"P48: {len(EVIL)} evil patterns, {len(EVIL) - len(taken)} refused, the others over {len(TEXTS)} texts of"
        f" 20,000 characters: {spent:.2f} s in all, {slowest:.2f} s the slowest (promised {MOST_SECONDS:.0f})",
    )
    assert slowest < MOST_SECONDS


@pytest.mark.parametrize(
    "pattern", ["a" * (MAX_PATTERN_LENGTH + 1), r"((a{1,1000}){1,1000}){1,1000}", r"(\pL{1000}){1000}"]
)
def test_patterns_that_would_take_much_memory_are_refused(pattern):
    before = time.process_time()
    assert pattern_problem(pattern).endswith(".")
    assert time.process_time() - before < MOST_SECONDS
