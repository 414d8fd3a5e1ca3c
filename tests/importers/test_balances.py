"""A bank's figures that contradict each other are told, and those that it does not state are not."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from webapp.importers import contradictions, read
from webapp.importers.bank_files import FileLine, StatedBalance, Statement

DAY = date(2026, 3, 2)
cents = st.integers(-(10**12), 10**12).map(lambda minor: Decimal(minor).scaleb(-2))


def stated(amount):
    return amount if amount is None else StatedBalance(Decimal(amount), DAY)


def statement(opening, amounts, closing, number="5501", currency="EUR", pending=()):
    lines = [FileLine(1, DAY, Decimal(amount), "", pending=amount in pending) for amount in amounts]
    return Statement(number, currency, tuple(lines), opening=stated(opening), closing=stated(closing))


@given(cents, st.lists(cents, max_size=5), cents.filter(bool))
def test_opening_and_booked_make_the_closing_or_it_is_said(opening, amounts, off):
    closing = opening + sum(amounts)
    assert contradictions([statement(opening, amounts, closing)]) == []
    (sentence,) = contradictions([statement(opening, amounts, closing + off)])
    assert f"closing balance is {closing + off:f}" in sentence


def test_what_is_not_stated_or_not_booked_is_not_counted():
    assert contradictions([statement(None, ["5"], "9"), statement("9", ["5"], None)]) == []
    assert contradictions([statement("1", ["5", "7"], "6", pending=["7"])]) == []


def test_a_statement_that_does_not_go_on_from_the_last_is_told():
    first, gap = statement("1", ["5"], "6"), statement("7", [], "7")
    (sentence,) = contradictions([first, gap])
    assert "opens with 7, but the one before it closed with 6" in sentence
    assert contradictions([first, statement("7", [], "7", number="5502")]) == []
    assert contradictions([first, statement("7", [], "7", currency="USD")]) == []
    assert contradictions([first, statement("6", [], "6")]) == []


def test_there_are_few_sentences_however_many_contradictions():
    sentences = contradictions([statement("1", [], "2", number=str(each)) for each in range(100)])
    assert (len(sentences), sentences[-1]) == (21, "80 more balances do not agree.")


def test_the_contradictions_of_a_file_are_among_its_warnings():
    text = ":20:X\n:25:5501\n:60F:C260301EUR100,\n:61:260302D10,NMSCX\n:62F:C260331EUR95,\n-\n"
    (sentence,) = read(text.encode()).warnings
    assert sentence == (
        "Account 5501: the opening balance 100 and the lines -10 make 90,"
        " but the closing balance is 95; lines may be missing."
    )
