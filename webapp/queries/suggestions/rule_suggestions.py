"""Suggested rules, from habits in confirmed lines, with the lines as evidence."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.ledger.rules.conditions import Condition
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.items import RuleLine
from webapp.ledger.suggestions.habit_books import HabitBook
from webapp.ledger.suggestions.habits import SUPPORT, Habit, habits, still_dismissed
from webapp.ledger.suggestions.wording import name, sentence
from webapp.models import Rule, SuggestionDismissal
from webapp.queries.access import organizations
from webapp.queries.accounts.choice_names import ChoiceNames, NamedChoice
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.suggestions import confirmed_lines

MOST = 100
# The most ids that are listed; a rule that covers this many of the newest lines covers the habit.
MOST_IDS, NEWEST = 200, 50
# The number of lines that are shown with their text.
SHOWN = 10
BY_AGE = Order((SuggestionDismissal.id,))  # type: ignore[arg-type]


class NoSuggestionError(NotFoundError):
    """Nothing with this key is suggested or was dismissed. GET /api/automations/suggestions lists the keys."""


@dataclass(frozen=True, slots=True)
class RuleSuggestion:
    """A suggested rule: `count` of `total` confirmed lines of its conditions are on the account.

    `undecided_count` more lines match and are not confirmed yet. `evidence` are rows of the lines that agree, newest
    first and at most 200, and `rule` is what `POST /automations/rules` takes.
    """

    account_id: int
    account_name: str
    org_merchant_id: int | None
    merchant_name: str | None
    project_id: int | None
    project_name: str | None
    key: str
    sentence: str
    count: int
    total: int
    undecided_count: int
    evidence: Sequence[Any]
    rule: dict[str, Any]

    @property
    def transaction_ids(self) -> list[int]:
        """The ids of the lines that are evidence, newest first."""
        return [line.id for line in self.evidence]

    @property
    def lines(self) -> list[tuple[Any, Money]]:
        """The newest lines that are evidence, each with its amount."""
        return [(line, Money(line.amount_minor, line.currency)) for line in self.evidence[:SHOWN]]


def listed(organization_id: str, *, after: tuple[Any, ...] | None = None, limit: int) -> Page[RuleSuggestion]:
    """List the suggested rules, those with most lines first."""
    every = found(organization_id)
    left = [each for each in every if after is None or _order(each) > (-after[0], after[1])]
    shown = left[:limit]
    next_key = (shown[-1].count, shown[-1].key) if len(left) > limit else None
    return Page(shown, next_key, len(every))


def get(organization_id: str, key: str) -> RuleSuggestion:
    """Find a suggestion by its key, or raise NoSuggestionError."""
    suggestion = find(organization_id, key)
    if suggestion is None:
        raise NotFoundError
    return suggestion


def find(organization_id: str, key: str) -> RuleSuggestion | None:
    """Find a suggestion by its key, if there is one."""
    return next((each for each in found(organization_id) if each.key == key), None)


def filled(organization_id: str, key: str) -> dict[str, Any]:
    """Give the rule of a suggestion, as `POST /automations/rules` takes it, or raise NotFoundError."""
    return get(organization_id, key).rule


def found(organization_id: str) -> list[RuleSuggestion]:
    """Find all suggested rules, at most 100, in a number of statements that does not depend on the lines."""
    suggested = _found(organization_id, confirmed_lines.all_lines(organization_id), MOST)
    return sorted(suggested, key=_order)


def best(organization_id: str) -> RuleSuggestion | None:
    """Find the suggested rule of most lines among the newest confirmed ones, however many lines there are."""
    newest = confirmed_lines.newest(organization_id)
    oldest_first = HabitBook(newest.lines[::-1], newest.choices[::-1])
    return next(iter(_found(organization_id, oldest_first, 1)), None)


def _found(organization_id: str, book: HabitBook, most: int) -> list[RuleSuggestion]:
    is_dismissed = _dismissed(organization_id, book)
    is_covered = _covered(organization_id, book)

    def is_wanted(habit: Habit) -> bool:
        return not is_dismissed(habit) and not is_covered(habit)

    wanted = habits(book, most=most, is_wanted=is_wanted)
    names = ChoiceNames(organization_id, wanted)
    return [_suggestion(habit, book, names.of(habit)) for habit in wanted]


def dismissal(organization_id: str, key: str) -> SuggestionDismissal:
    """Find a dismissal by the suggestion's key, or raise NotFoundError."""
    row = find_dismissal(organization_id, key)
    if row is None:
        raise NoSuggestionError
    return row


def find_dismissal(organization_id: str, key: str) -> SuggestionDismissal | None:
    """Find a dismissal by the suggestion's key, if there is one."""
    return db.session.scalar(
        sa.select(SuggestionDismissal).where(
            SuggestionDismissal.organization_id == organization_id, SuggestionDismissal.key == key
        )
    )


def dismissals(
    organization_id: str, *, after: tuple[Any, ...] | None = None, limit: int
) -> Page[SuggestionDismissal]:
    """List the dismissed suggestions, newest first."""
    statement = sa.select(SuggestionDismissal).where(SuggestionDismissal.organization_id == organization_id)
    return page(statement, BY_AGE, after=after, limit=limit)


def _order(suggestion: RuleSuggestion) -> tuple[int, str]:
    return -suggestion.count, suggestion.key


def _dismissed(organization_id: str, book: HabitBook) -> Callable[[Habit], bool]:
    """Make the test whether a habit was dismissed, also by other conditions that match most of its lines."""
    rows = db.session.scalars(
        sa.select(SuggestionDismissal).where(SuggestionDismissal.organization_id == organization_id)
    )
    matched_by = [(row, set(book.matching(_read_conditions(row.conditions)))) for row in rows]

    def is_dismissed(habit: Habit) -> bool:
        return any(
            row.account_id == habit.account_id
            and 2 * len(matched.intersection(habit.evidence)) >= len(habit.evidence)
            and still_dismissed(len(habit.evidence), row.evidence_count)
            for row, matched in matched_by
        )

    return is_dismissed


def _covered(organization_id: str, book: HabitBook) -> Callable[[Habit], bool]:
    """Make the test whether active rules already set the account of a habit's newest lines."""
    rules = db.session.scalars(
        sa.select(Rule)
        .where(Rule.organization_id == organization_id, Rule.target == "TRANSACTION", Rule.is_active)
        .order_by(Rule.priority, Rule.id)
    ).all()
    evaluator = RuleEvaluator(organizations.get(organization_id), rules)

    def is_open(place: int) -> bool:
        line: Any = book.lines[place]
        values = RuleLine(line, line.currency, line.feed_account_id).values()
        return EffectKind.SET_ACCOUNT not in evaluator.decide(values).settings

    def is_covered(habit: Habit) -> bool:
        uncovered = (place for place in habit.evidence[-NEWEST:] if is_open(place))
        return len(list(islice(uncovered, SUPPORT))) < SUPPORT

    return is_covered if rules else lambda _: False


def _read_conditions(stored: Iterable[dict[str, Any]]) -> list[Condition]:
    """Read conditions as they are stored."""
    return [Condition.of(each) for each in stored]


def _suggestion(habit: Habit, book: HabitBook, choice: NamedChoice) -> RuleSuggestion:
    count = len(habit.evidence)
    total = count + len(habit.exceptions)
    text = sentence(count, total, habit.conditions, choice.account_name)
    return RuleSuggestion(
        *choice,
        key=habit.key,
        sentence=text,
        count=count,
        total=total,
        undecided_count=len(habit.undecided),
        evidence=[book.lines[place] for place in habit.evidence[: -MOST_IDS - 1 : -1]],
        rule=_rule(habit, text),
    )


def _rule(habit: Habit, text: str) -> dict[str, Any]:
    """Write a habit as the input of a rule."""
    chosen: Sequence[tuple[EffectKind, int | None]] = [
        (EffectKind.SET_ACCOUNT, habit.account_id),
        (EffectKind.SET_MERCHANT, habit.merchant_id),
        (EffectKind.SET_PROJECT, habit.project_id),
    ]
    effects = [(kind, value) for kind, value in chosen if value is not None]
    return {
        "name": name(habit.conditions),
        "description": f"Suggested: {text}"[:500],
        "target": "TRANSACTION",
        "trigger": "TRANSACTION_INGESTED",
        "conditions": {
            "match": "ALL",
            "conditions": [
                {"field": each.field.value, "operator": each.operator.value, "value": each.value}
                for each in habit.conditions
            ],
        },
        "effects": [
            {"kind": kind.value, VALUE_KEY[kind]: value, "sortOrder": order}
            for order, (kind, value) in enumerate(effects)
        ],
    }
