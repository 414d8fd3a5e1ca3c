"""A suggested rule matches exactly the lines that it was suggested with, whatever banks write."""

from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.ledger.rules.conditions import Match, conditions_problems
from webapp.ledger.rules.items import RuleLine
from webapp.ledger.rules.matching import compiled
from webapp.ledger.rules.triggers import Target
from webapp.ledger.suggestions.habit_books import Choice, HabitBook
from webapp.ledger.suggestions.habits import habits, is_pure
from webapp.ledger.suggestions.likely_accounts import likely

# Few words, so that texts repeat, and such that folding, composing and splitting them goes wrong where it can.
WORDS = (
    "REWE", "rewe", "rewetex", "Straße", "STRASSE", "ﬁn", "fin", "ΑΣ", "ας", "İzmir", "\uff21\uff22\uff23", "abc",
    "cafe\u0301", "café", "\u0301", "12", "4711", "o2", "12.03.", "-", "&", "SEPA", "GmbH", "%", "\\", "🙂", "١٢٣",
    "a" * 50, "ǰ",
)  # fmt: skip
BETWEEN = (" ", "  ", "\u00a0", "\t", "\x1c", "")
WRITTEN = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BETWEEN)), max_size=5).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)
IBANS = st.sampled_from((None, None, "", "DE02 5005 0101", "de0250050101", "NOTPROVIDED", "ß"))
LINES = st.builds(
    SimpleNamespace,
    description=WRITTEN,
    counterparty=st.none() | WRITTEN,
    reference=st.none(),
    iban=IBANS,
    amount_minor=st.sampled_from((-500, 0, 500)),
)
CHOICES = st.sampled_from(
    (Choice(7), Choice(7), Choice(7, 3), Choice(7, 3, 5), Choice(8), Choice(None), None)
)
# One line many times, as banks send it, among others.
BOOKS = st.lists(st.tuples(LINES, CHOICES, st.integers(1, 4)), max_size=12).map(
    lambda some: HabitBook(
        [line for line, _, times in some for _ in range(times)],
        [choice for _, choice, times in some for _ in range(times)],
    )
)


@settings(max_examples=100, deadline=None)
@given(BOOKS)
def test_a_suggested_rule_matches_its_evidence_its_exceptions_and_what_is_undecided_and_nothing_else(book):
    for habit in habits(book, most=50):
        assert not conditions_problems(list(habit.conditions), Target.TRANSACTION)
        rule = compiled(Match.ALL, habit.conditions)
        matched = {
            place for place, line in enumerate(book.lines) if rule.hold(RuleLine(line, "EUR").values())
        }
        told = [*habit.evidence, *habit.exceptions, *habit.undecided]
        assert len(told) == len(set(told))
        assert matched == set(told)


@settings(max_examples=50, deadline=None)
@given(BOOKS)
def test_the_evidence_went_where_the_rule_would_send_it(book):
    found = habits(book, most=50)
    for habit in found:
        assert is_pure(len(habit.evidence), len(habit.evidence) + len(habit.exceptions))
        assert {book.choices[place].account_id for place in habit.evidence} == {habit.account_id}
        assert habit.account_id not in {book.choices[place].account_id for place in habit.exceptions}
        assert {book.choices[place] for place in habit.undecided} <= {None}
    assert found == habits(book, most=50)
    assert len({habit.key for habit in found}) == len(found)


@settings(max_examples=50, deadline=None)
@given(BOOKS, LINES)
def test_a_likely_account_is_where_at_least_half_of_the_counted_lines_went(book, line):
    (found,) = likely(book, [line])
    if found is not None:
        assert {book.choices[place].account_id for place in found.places} == {found.account_id}
        assert len(found.places) == found.count
        assert found.count * 2 >= found.total
