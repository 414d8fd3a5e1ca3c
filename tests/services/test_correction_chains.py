"""The original and all its corrections are the target, exactly, in the tables themselves (P4)."""

from random import Random

import pytest

from tests.fixtures.banks import AT
from tests.ledger.test_corrections import keyed
from webapp.database.sessions import begin_write
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.models import Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import entries
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping import voids
from webapp.services.journal import corrections, line_drafts
from webapp.services.transactions import lifecycle

RATES = {"USD": "1.0842", "JPY": "161.20", "BHD": "0.4087"}
DEEPEST = 10


@pytest.fixture
def accounts(bank, books):
    for code, rate in RATES.items():
        bank.quote("2026-03-01", code, rate)
    names = ("Travel", "Rent", "Insurance")
    return {
        "accounts": [books.account_id(name) for name in names],
        "projects": [None, bank.project("One"), bank.project("Two")],
        "merchants": [None, bank.merchant("A café")],
    }


def a_target(random, line, named):
    """Say any state that an entry of the line may be in, with legs of other currencies in every third one."""
    bank_leg = line_drafts.bank_leg(line, line.feed_account.account_id)
    parts = [random.randint(-90_000, 90_000) for _ in range(random.randint(0, 3))]
    parts.append(-line.amount_minor - sum(parts))

    def leg(minor, currency):
        return Leg(
            random.choice(named["accounts"]),
            minor,
            currency,
            project_id=random.choice(named["projects"]),
            merchant_id=random.choice(named["merchants"]),
        )

    legs = [bank_leg, *(leg(part, line.currency) for part in parts)]
    if random.random() < 0.34:
        other = random.choice([code for code in RATES if code != line.currency])
        amount = random.randint(1, 5_000)
        legs += [leg(amount, other), leg(-amount, other)]
    organization = organizations.get(line.organization_id)
    return line_drafts.mirror_legs(organization, legs, line.booked_on)


def correct(ada, entry, target):
    """Aim a posted entry at a target and confirm it; answers the correction, none where nothing differs."""
    marker = corrections.set_correction_target(entry, target, now=AT)
    if marker is None:
        return None
    with act(ada.actor, AT, "confirm_transaction", ("journal_entry", entry.id)) as doing:
        return corrections.post_marker(entry, marker, doing)


@pytest.mark.rare
def test_every_pair_of_a_chain_ends_exactly_at_its_target(ada, bank, accounts, rounds, figure):
    pairs, deepest = rounds(40, 1000), 0
    random = Random(4)  # noqa: S311  (chance that can be had again)
    made = equal = idle = 0
    while made < pairs:
        bank.open(f"Account {made}", random.choice(["EUR", *RATES]))
        line_id = bank.send("2026-03-02", str(random.choice([-1, 1]) * random.randint(1, 900)))
        depth = min(random.randint(1, DEEPEST), pairs - made)

        def chain(line_id=line_id, depth=depth):
            begin_write(ada.organization_id)
            line = lookups.get(Transaction, ada.organization_id, line_id)
            lifecycle.confirm(line, actor=ada.actor, now=AT)
            entry, results = line.journal_entry, []
            for _ in range(depth):
                target = a_target(random, line, accounts)
                correct(ada, entry, target)
                standing = entries.effective_legs(entry)
                again = correct(ada, entry, target)
                results.append(
                    (keyed(standing) == keyed(target), again is None and entries.marker_of(entry) is None)
                )
            return results

        results = bank.ask(chain)
        made, deepest = made + depth, max(deepest, depth)
        equal += sum(is_equal for is_equal, _ in results)
        idle += sum(is_idle for _, is_idle in results)
    figure(
        "P4",
        f"{equal} of {made} corrections end at their target, chains to depth {deepest}; {idle} repeats post nothing",
    )
    assert (equal, idle) == (made, made)


def test_a_voided_entry_takes_no_correction(ada, bank, accounts):
    line_id = bank.send("2026-03-02", "-100.00")

    def refused():
        begin_write(ada.organization_id)
        line = lookups.get(Transaction, ada.organization_id, line_id)
        lifecycle.confirm(line, actor=ada.actor, now=AT)
        entry = line.journal_entry
        voids.void(entry, reason="A test", actor=ada.actor, now=AT)
        with pytest.raises(LedgerError) as caught:
            corrections.set_correction_target(entry, a_target(Random(1), line, accounts), now=AT)  # noqa: S311
        return caught.value.code, entries.marker_of(entry)

    assert bank.ask(refused) == ("not_in_force", None)
