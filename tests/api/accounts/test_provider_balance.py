"""The bank's balance of any day, rolled from what it stated."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.provider_balances import Snapshot, balance_on
from webapp.models import ProviderBalance
from webapp.queries.accounts.provider_balances import by_day

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest.fixture
def state(ada, bank):
    def stated(day, minor, *, hour=None, received=9, currency="EUR"):
        at = date.fromisoformat(day)
        row = ProviderBalance(
            organization_id=ada.organization_id,
            feed_account_id=bank.fa_id,
            day=at,
            amount_minor=minor,
            currency=currency,
            stated_at=None if hour is None else datetime(at.year, at.month, at.day, hour, tzinfo=UTC),
            received_at=AT.replace(hour=received),
        )
        bank.ask(lambda: db.session.add(row))

    return stated


@pytest.fixture
def lines(bank):
    """A line on each of four days, and some that never count."""
    bank.send_many(
        [
            ("2026-10-05", "1.00", "A"),
            ("2026-10-10", "10.00", "B"),
            ("2026-10-15", "100.00", "C"),
            ("2026-10-20", "1000.00", "D"),
        ]
    )
    bank.send("2026-10-12", "0.50", "Set aside", status="SET_ASIDE")
    for status in ("PENDING", "REMOVED", "DELETED"):
        bank.send("2026-10-12", "7777.00", status, status=status)


def balance(person, bank, day):
    path = f"/api/reconciliations/accounts?providerBalanceAsOf={day}"
    found = person.get(path).json["accounts"]
    return next(account for account in found if account["faId"] == bank.fa_id)["providerBalance"]


@pytest.mark.parametrize(
    ("day", "amount", "snapshot", "basis"),
    [
        ("2026-10-01", "89.00", "2026-10-10", "rolled_back"),
        ("2026-10-09", "90.00", "2026-10-10", "rolled_back"),
        ("2026-10-10", "100.00", "2026-10-10", "snapshot"),
        ("2026-10-11", "199.50", "2026-10-18", "rolled_back"),
        ("2026-10-14", "200.00", "2026-10-18", "rolled_back"),
        ("2026-10-18", "300.00", "2026-10-18", "snapshot"),
        ("2026-10-19", "300.00", "2026-10-18", "rolled_forward"),
        ("2026-10-31", "1300.00", "2026-10-18", "rolled_forward"),
    ],
)
def test_the_nearest_snapshot_is_rolled_to_the_day(ben, bank, lines, state, day, amount, snapshot, basis):
    state("2026-10-10", 10000)
    state("2026-10-18", 30000)
    assert balance(ben, bank, day) == {
        "amount": amount,
        "currency": "EUR",
        "asOf": day,
        "snapshotDate": snapshot,
        "basis": basis,
    }


def test_of_several_snapshots_of_a_day_the_last_by_the_banks_time_counts(ben, bank, lines, state):
    state("2026-10-18", 300, hour=18)
    state("2026-10-18", 200, hour=8, received=12)
    state("2026-10-18", 100, received=13)
    assert balance(ben, bank, "2026-10-18")["amount"] == "3.00"
    assert balance(ben, bank, "2026-10-14")["amount"] == "-97.00"


def test_where_the_bank_gives_no_time_the_last_received_counts(ben, bank, lines, state):
    state("2026-10-18", 300, received=12)
    state("2026-10-18", 200, received=11)
    assert balance(ben, bank, "2026-10-18")["amount"] == "3.00"


def test_a_bank_that_stated_none_has_no_balance(ben, bank, lines):
    assert balance(ben, bank, "2026-10-18") == {
        "amount": None,
        "currency": "EUR",
        "asOf": "2026-10-18",
        "snapshotDate": None,
        "basis": "unavailable",
    }
    assert ben.get("/api/reconciliations/accounts").json["accounts"][0]["feedBalance"] is None


def test_without_a_day_nothing_is_rolled(ben, bank, lines, state):
    state("2026-10-18", 300)
    (account,) = ben.get("/api/reconciliations/accounts?other=ignored").json["accounts"]
    assert "providerBalance" not in account
    assert account["feedBalance"] == {"amount": "3.00", "currency": "EUR", "asOf": "2026-10-18"}


@on_sqlite
@pytest.mark.parametrize(
    "day", ["", "2026-02-30", "2026-1-1", "yesterday", "20261018", "\N{ARABIC-INDIC DIGIT TWO}026-10-18"]
)
def test_what_is_no_day_is_refused(ben, day):
    refused = ben.get("/api/reconciliations/accounts", query_string={"providerBalanceAsOf": day})
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["providerBalanceAsOf"])


def test_another_currency_keeps_its_own_digits(ben, bank, state):
    bank.open("Yen", "JPY")
    bank.send("2026-10-20", "500", "Sale")
    state("2026-10-31", 1500, currency="JPY")
    assert balance(ben, bank, "2026-10-19")["amount"] == "1000"


def test_every_day_is_what_its_lines_add_up_to(ben, bank, state, rounds):
    chance = Random(7)  # noqa: S311  (the same ones every time)
    first = date(2025, 11, 20)
    days = [(first + timedelta(days=chance.randrange(200))) for _ in range(60)]
    minors = [chance.randint(-90_000, 90_000) or 1 for _ in days]
    bank.send_many(
        [
            (day.isoformat(), str(Money(minor, "EUR")), f"L{n}")
            for n, (day, minor) in enumerate(zip(days, minors, strict=True))
        ]
    )
    snapshots = []
    for _ in range(5):
        day, minor = first + timedelta(days=chance.randrange(200)), chance.randint(-90_000, 90_000)
        state(day.isoformat(), minor, received=len(snapshots))
        snapshots.append(Snapshot(day, minor, None, AT.replace(hour=len(snapshots))))
    edges = [day + timedelta(days=by) for day in (each.day for each in snapshots) for by in (-1, 0, 1)]
    lines = list(zip(days, minors, strict=True))
    asked = edges + [first + timedelta(days=chance.randrange(-40, 260)) for _ in range(rounds(10, 300))]
    for day in asked:
        expected = balance_on(day, snapshots, lines)
        found = balance(ben, bank, day.isoformat())
        assert (int(Decimal(found["amount"]) * 100), found["basis"], found["snapshotDate"]) == (
            expected.amount_minor,
            expected.basis,
            str(expected.snapshot_date),
        )
    known = min(*days, *(each.day for each in snapshots))
    assert bank.ask(lambda: by_day(ben.organization_id, {bank.fa_id: "EUR"}, asked)) == {
        day: {bank.fa_id: Money(balance_on(day, snapshots, lines).amount_minor, "EUR")}
        for day in asked
        if day >= known
    }
