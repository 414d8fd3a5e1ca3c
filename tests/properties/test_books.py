"""Whatever is done to the books, in any order, they balance, and every figure is what their entries say (P1, P5)."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.fixtures.helpers.keepers import DAYS, NAMES, Keeper, Known, asking
from tests.fixtures.helpers.replays import Replay, differences
from tests.fixtures.oracles.report_oracles import ReportOracle, report_differences
from webapp.ledger.errors import LedgerError
from webapp.queries import checks
from webapp.queries.currencies.revaluations import standing
from webapp.services.bookkeeping import revaluations

if TYPE_CHECKING:
    from collections.abc import Callable

AT = datetime(2026, 4, 2, 9, tzinfo=UTC)
CHANCE = st.randoms(use_true_random=False)
# In full 200 seeds of 250 steps, by tens, so that they can be run in turns; quickly one short one.
TURNS, SEEDS, STEPS = 20, 10, 250
QUICK_SEEDS, QUICK_STEPS = 1, 60
PAIRS = 5
# How often a standing revaluation is taken back, and not run again.
TAKEN_BACK = 0.4
SETTINGS = settings(
    deadline=None,
    database=None,
    print_blob=True,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


class Bookkeeping(RuleBasedStateMachine):
    """Books that somebody keeps at random."""

    def __init__(
        self,
        begin: Callable[[], Keeper],
        revalue: Callable[[Keeper, Random], None],
        leave: Callable[[Keeper], None],
    ) -> None:
        super().__init__()
        self.keeper = begin()
        self._revalue = revalue
        self._leave = leave

    @rule(name=st.sampled_from((*NAMES, "revalue")), chance=CHANCE)
    def act(self, name: str, chance: Random) -> None:
        """Do one of the acts, of which none is ever ruled out: one alone seldom breaks anything."""
        if name == "revalue":
            self._revalue(self.keeper, chance)
        else:
            self.keeper.act(name, chance)

    def teardown(self) -> None:
        """Look at the books when the last step is done."""
        for told in self.keeper.told:
            note(told)
        self._leave(self.keeper)


@pytest.fixture
def seeded(house, ada, bank):
    """Make the books with which every seed begins, as often as one likes."""
    known = Known.equip(bank)
    house.leave()
    house.store.copy("books", "seeded")

    def begin() -> Keeper:
        house.leave()
        house.store.copy("seeded", "books")
        house.forget_files()
        copied = Known(known.feeds, known.accounts, known.bank_accounts, known.projects, known.merchants)
        return Keeper(asking(ada), copied)

    yield begin
    house.leave()
    house.store.drop("seeded")


@pytest.fixture
def revalue(ada, bank):
    def done(day: date, *, is_taken_back: bool) -> None:
        pair = standing(ada.organization_id, day)
        if is_taken_back and pair:
            revaluations.take_back(pair[0], reason="A test", actor=ada.actor, now=AT)
        else:
            revaluations.revalue(day, actor=ada.actor, now=AT)

    def as_of(keeper: Keeper, chance: Random) -> None:
        day, is_taken_back = date.fromisoformat(chance.choice(DAYS)), chance.random() < TAKEN_BACK
        try:
            bank.ask(lambda: done(day, is_taken_back=is_taken_back))
        except LedgerError as refusal:
            keeper.told.append(f"revalue {day} -> {refusal}")
        else:
            keeper.counts["revalue", 200] += 1
            keeper.told.append(f"revalue {day}")

    return as_of


def test_books_balance_and_every_figure_is_what_their_entries_say(
    turn, seeded, revalue, ada, bank, rounds, figure
):
    seen: Counter[str] = Counter()
    done: Counter[tuple[str, int]] = Counter()

    def leave(keeper: Keeper) -> None:
        replay, chance = Replay.of(ada), Random(seen["seeds"])  # noqa: S311  (the same ones every time)
        accounts = ada.get("/api/accounts?limit=200").json["accounts"]
        pairs = [(chance.choice(accounts), chance.choice(DAYS)) for _ in range(PAIRS)]
        assert replay.unbalanced() == []
        assert differences(ada, replay, pairs) == []
        assert (
            report_differences(
                ada, ReportOracle.of(ada, replay), chance.choice(DAYS[:4]), chance.choice(DAYS[4:])
            )
            == []
        )
        assert bank.ask(lambda: [each.as_json() for each in checks.violations()]) == []
        seen.update(seeds=1, entries=len(replay.counting), pairs=len(pairs))
        done.update(keeper.counts)

    run_state_machine_as_test(
        seed(turn)(lambda: Bookkeeping(seeded, revalue, leave)),
        settings=settings(
            SETTINGS,
            max_examples=rounds(QUICK_SEEDS, SEEDS),
            stateful_step_count=rounds(QUICK_STEPS, STEPS),
        ),
    )
    refused = sum(times for (_, status), times in done.items() if status not in (200, 201))
    figure(
        "P1",
        f"{seen['seeds']} seeds, {done.total()} writes ({refused} refused by a rule): 0 of {seen['entries']} entries"
        f" unbalanced, 0 differences in {seen['pairs']} pairs of account and day, 0 violations",
    )
