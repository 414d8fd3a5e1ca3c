"""Whatever a bank sends, in whatever order and however often, the books equal its true account."""

from collections import Counter

import pytest

from tests.misbehaving.banks import Bank
from tests.misbehaving.clerks import Clerk, DifferenceError
from webapp.database.sessions import begin_read, db
from webapp.queries import checks

SEEDS = {"quick": 2, "promised": 500}


def lived(person, seed, note=lambda _: None):
    bank = Bank(seed)
    clerk = Clerk(person, bank, note)
    for group in bank.emissions():
        clerk.take(group)
    clerk.close()
    return clerk.counts


@pytest.fixture
def violations(app):
    def found():
        with app.app_context():
            begin_read()
            listed = [each.message for each in checks.violations()]
            db.session.rollback()
        return listed

    return found


def test_the_books_equal_the_true_account_whatever_the_bank_emits(
    ada, house, violations, rounds, figure, pytestconfig
):
    one = pytestconfig.getoption("--seed")
    seeds = range(rounds(SEEDS["quick"], SEEDS["promised"])) if one is None else [one]
    counts, differences = Counter(), []
    for seed in seeds:
        if seed % 20 == 19:
            house.refresh()
        try:
            counts += lived(ada, seed, note=print if one is not None else lambda _: None)
            differences += [f"--seed {seed}: check finds: {each}" for each in violations()]
        except DifferenceError as difference:
            differences.append(f"--seed {seed}: {difference}")
            house.refresh()
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    figure("simulated bank", f"{len(seeds)} seeds, {len(differences)} differences: {told}")
    assert not differences, "\n".join(differences)
