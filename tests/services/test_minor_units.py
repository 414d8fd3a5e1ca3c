"""Money keeps its minor units: excess digits are refused, and entries in many currencies add up to nothing (P56)."""

import json
from random import Random

import pytest

from tests.fixtures.banks import AT
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import begin_write
from webapp.ledger.currencies import ACTIVE, DIGITS, digits
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.queries.access import organizations
from webapp.queries.journal import entries
from webapp.services.bookkeeping import entry_previews, manual_entries, posting_inputs

RATES = {"USD": "1.0842", "JPY": "161.20", "BHD": "0.4087", "CLF": "0.0271", "HUF": "391.15"}


def test_no_currency_takes_a_digit_more_than_its_own():
    for code in sorted(DIGITS):
        places = digits(code)
        exact = f"7.{'3' * places}" if places else "7"
        assert str(Money.of(exact, code)) == exact
        with pytest.raises(UnprocessableError) as caught:
            Money.of(f"{exact}1" if places else "7.1", code)
        assert caught.value.code == "too_many_digits", code


@on_sqlite
def test_the_interface_refuses_excess_digits_by_name(ada, books, rounds, figure):
    codes = [*sorted(ACTIVE)[:: rounds(12, 1)], "JPY", "BHD", "CLF"]
    travel, cash = books.account_id("Travel"), books.account_id("Petty cash")
    refused = taken = 0
    for code in codes:
        places = digits(code)
        for amount, status in ((f"1.{'0' * places}1", 422), (str(Money(1, code)), 201)):
            legs = [
                {"accountId": travel, "amount": amount, "currency": code},
                {"accountId": cash, "amount": f"-{amount}", "currency": code},
            ]
            answer = ada.post("/api/journal-entries", json={"effectiveAt": "2026-03-02", "postings": legs})
            assert answer.status_code == status, (code, answer.json)
            if status == 422:
                assert list(answer.json["fields"]) == ["postings.0.amount"]
                refused += 1
            else:
                assert answer.json["entry"]["postings"][0]["amount"] == amount
                taken += 1
    figure(
        "P56 digits", f"{refused} of {len(codes)} refused with one digit more, {taken} taken with their own"
    )


def test_entries_in_many_currencies_add_up_to_nothing_with_the_rest_on_rounding(
    ada, bank, books, rounds, figure
):
    for code, rate in RATES.items():
        bank.quote("2026-02-27", code, rate)
    accounts = [books.account_id(name) for name in ("Travel", "Rent", "Petty cash")]
    rounding, random, count = bank.role("rounding"), Random(56), rounds(60, 10_000)  # noqa: S311
    written = {"entries": 0, "rests": 0}

    def write(batch):
        begin_write(ada.organization_id)
        organization = organizations.get(ada.organization_id)
        for _ in range(batch):
            postings = said(random, accounts)
            legs = posting_inputs.legs_of(organization, postings, AT.date().replace(month=3))
            last = entry_previews.rest(organization, legs, "EUR", AT.date().replace(month=3))
            slip = random.randint(-len(legs), len(legs))
            other = Money(last.minor + slip, "EUR")
            postings.append({"account_id": random.choice(accounts), "amount": str(other), "currency": "EUR"})
            entry = manual_entries.create(
                effective_at=AT.date().replace(month=3), postings=postings, post=True, actor=ada.actor, now=AT
            )
            posted = entries.legs_of(entry)
            assert sum(leg.amount_base_minor for leg in posted) == 0
            rests = posted[len(postings) :]
            assert [(leg.account_id, leg.amount_minor) for leg in rests] == (
                [(rounding, -slip)] if slip else []
            )
            written["entries"] += 1
            written["rests"] += len(rests)

    for start in range(0, count, 250):
        bank.ask(lambda start=start: write(min(250, count - start)))
    figure(
        "P56", f"{written['entries']} entries add up to 0, {written['rests']} with a rest, all on Rounding"
    )
    assert 0 < written["rests"] < count == written["entries"]
    page = ada.get("/api/journal-entries?limit=200")
    json.loads(page.data, parse_float=pytest.fail)


def said(random, accounts):
    """Say one to five legs in currencies of which one at least is foreign."""
    codes = [random.choice(sorted(RATES)), *random.choices([*RATES, "EUR"], k=random.randint(0, 4))]
    return [
        {
            "account_id": random.choice(accounts),
            "amount": str(Money(random.choice([-1, 1]) * random.randint(1, 10**7), code)),
            "currency": code,
        }
        for code in codes
    ]
