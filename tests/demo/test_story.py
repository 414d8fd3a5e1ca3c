"""The demo's generator: the same seed and day give the same lines, and the lines are believable."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp import importers
from webapp.demo import studio
from webapp.demo.countries import GERMANY, UNITED_KINGDOM
from webapp.demo.lines import statement
from webapp.demo.story import MONTHS, make_story
from webapp.ledger.chart import chart_of
from webapp.queries.tax import packs

DAY = date(2026, 11, 21)
ANY_DAY = st.dates(date(2000, 1, 1), date(2090, 12, 31))
SEEDS = st.integers(0, 1000)


@pytest.fixture
def story():
    return make_story(1, DAY)


def test_the_same_seed_and_day_tell_the_same_story(story):
    assert make_story(1, DAY) == story != make_story(2, DAY)


def test_a_later_day_changes_nothing_that_was_booked_before(story):
    later = make_story(1, date(2026, 11, 28))
    assert later.current.booked(date.min, DAY) == story.current.booked(date.min, DAY)


@given(SEEDS, ANY_DAY)
def test_every_story_has_about_400_lines_over_fourteen_months(seed, day):
    story = make_story(seed, day)
    assert 350 <= sum(len(account.lines) for account in story.accounts) <= 500
    assert len(story.months) == MONTHS
    assert story.months[-1].last == day


@given(SEEDS, ANY_DAY)
def test_no_line_is_of_another_period_or_shares_its_reference(seed, day):
    story = make_story(seed, day)
    lines = [line for account in story.accounts for line in account.lines]
    assert all(story.months[0].first <= line.day <= day for line in lines if not line.is_pending)
    assert len({line.reference for line in lines}) == len(lines)


@given(SEEDS, ANY_DAY)
def test_every_dollar_has_a_rate_of_its_week(seed, day):
    story = make_story(seed, day)
    quoted = [quoted for quoted, _ in story.rates]
    assert all(
        any(0 <= (line.day - each).days < 7 for each in quoted)
        for line in story.dollars.booked(date.min, day)
    )
    assert (story.months[0].first - quoted[0]).days <= 7


def test_the_card_is_paid_what_it_was_charged(story):
    october = sum(
        line.amount_minor
        for line in story.card.booked(date(2026, 10, 1), date(2026, 10, 31))
        if line.booking.code != studio.TRANSFERS
    )
    paid = [line for line in story.current.lines if line.memo == "Card settlement October 2026"]
    assert [line.amount_minor for line in paid] == [october]


@pytest.mark.parametrize("country", [GERMANY, UNITED_KINGDOM])
def test_everything_is_booked_where_the_chart_has_an_account_and_the_pack_a_tax_code(country):
    lines = [line for account in make_story(1, DAY, country).accounts for line in account.lines]
    accounts = {line.booking.code for line in lines}
    assert {country.codes.get(code, code) for code in accounts} <= {
        account.code for account in chart_of(country.chart)
    }
    codes = {each.code for each in (*packs.content(country.pack).codes, *country.own_taxes)}
    assert {country.tax_code(line.party, line.booking.code) for line in lines} - {None} <= codes


def test_each_text_and_account_of_a_country_stands_for_one_of_the_story():
    story, there = make_story(1, DAY), make_story(1, DAY, UNITED_KINGDOM)
    texts = {text for account in story.accounts for line in account.lines for text in (line.party, line.memo)}
    said = " ".join([*texts, *(account.bank for account in story.accounts)])
    assert [each for each in UNITED_KINGDOM.words if each not in said] == []
    assert not [line for account in there.accounts for line in account.lines if "Hamburg" in line.party]
    assert set(UNITED_KINGDOM.codes) <= {account.code for account in chart_of("generic")}


def test_a_payment_of_taxes_has_the_amount_of_the_return_or_is_never_made(story):
    def taxes(of):
        return [
            (line.day, line.amount_minor)
            for line in of.current.lines
            if line.memo.startswith("VAT") and line.day > date(2026, 3, 31)
        ]

    april, july, october = (day for day, _ in taxes(story))
    paid = story.with_tax_paid(date(2026, 3, 31), 12345).with_tax_paid(date(2026, 9, 30), 0)
    assert taxes(paid)[0] == (april, -12345)
    assert [day for day, _ in taxes(paid)] == [april, july] < [october]
    assert paid.with_tax_paid(DAY, 1) == paid


@pytest.mark.parametrize("index", range(3))
def test_a_statement_reads_back_as_the_lines_that_it_was_written_of(story, index):
    account = story.accounts[index]
    month = story.months[-2]
    (read,) = importers.read(statement(account, month.first, month.last)).statements
    written = account.booked(month.first, month.last)
    assert (read.external_id, read.currency, read.kind) == (account.number, account.currency, account.kind)
    assert [(line.provider_transaction_id, line.booked_on) for line in read.lines] == [
        (line.reference, line.day) for line in written
    ]
    assert sum(line.amount for line in read.lines) * 100 == sum(line.amount_minor for line in written)
    assert read.closing.amount * 100 == account.balance_minor(month.last)


def test_what_is_pending_comes_apart_from_what_is_booked(story):
    month = story.months[-1]
    (read,) = importers.read(statement(story.card, month.first, month.last, with_pending=True)).statements
    assert sum(line.pending for line in read.lines) == len(story.card.pending) == 3
