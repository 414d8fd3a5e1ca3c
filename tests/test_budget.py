"""The budget of the tests has a line for each of their folders, and stays what two cores do in eight minutes."""

from collections import Counter

from tests import tree
from tests.fixtures import budgets

MOST_SECONDS, MOST_OF_AN_ISSUE = 8 * 60, 15


def budget():
    return budgets.read_budget(budgets.FILE.read_text(encoding="utf-8"))


def test_every_folder_has_a_line_and_no_line_is_without_one():
    folders = {path.parts[1] for path in tree.modules("tests") if len(path.parts) > 2}
    assert budget().folders.keys() == folders | {budgets.TOP, budgets.DOCTESTS, budgets.STARTING}


def test_the_folders_take_at_most_eight_minutes_and_an_issue_adds_a_quarter_of_one():
    assert sum(budget().folders.values()) <= MOST_SECONDS
    assert not {issue: seconds for issue, seconds in budget().issues.items() if seconds > MOST_OF_AN_ISSUE}


def test_a_run_that_takes_far_more_than_the_whole_exceeds_it_and_one_folder_alone_does_not():
    allowed = budget()
    dear = budgets.Table({"api": 1.6 * allowed.total}, Counter(api=1), allowed)
    assert dear.is_exceeded
    assert "budget.txt" in list(dear.lines())[-1]
    one = budgets.Table({"ledger": 0.2 * allowed.total}, Counter(ledger=1), allowed)
    assert not one.is_exceeded
    assert "more than its line" in next(one.lines())
