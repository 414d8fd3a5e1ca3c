"""Which texts people always decide alike, and the shortest condition that separates them."""

from types import SimpleNamespace

import pytest

from webapp.ledger.suggestions.habit_books import Choice, HabitBook
from webapp.ledger.suggestions.habits import habits

FOOD, FUEL, BOOKS = Choice(7), Choice(8), Choice(9)


def line(counterparty="", description="", iban=None, amount_minor=-500):
    return SimpleNamespace(
        counterparty=counterparty or None, description=description, iban=iban, amount_minor=amount_minor
    )


def found(*decided, most=10):
    book = HabitBook([each for each, _ in decided], [choice for _, choice in decided])
    return [(words(habit), habit.account_id, habit.evidence) for habit in habits(book, most=most)]


def words(habit):
    return " & ".join(f"{each.field} {each.operator} {each.value}" for each in habit.conditions)


def lines(choice, *counterparties, **facts):
    return [(line(each, **facts), choice) for each in counterparties]


def test_three_lines_of_one_counterparty_are_a_habit_and_two_are_not():
    three = lines(FOOD, "Aldi", "Aldi", "Aldi")
    assert found(*three) == [("COUNTERPARTY EQUALS Aldi", 7, (0, 1, 2))]
    assert found(*three[:2]) == []


def test_numbers_days_and_towns_in_a_text_do_not_keep_it_from_being_one():
    rewe = lines(FOOD, "REWE Markt 4711 Bonn", "REWE Markt 12 Koeln", "REWE Markt 12.03. Aachen")
    assert found(*rewe) == [("COUNTERPARTY STARTS_WITH REWE Markt", 7, (0, 1, 2))]


def test_of_companies_that_share_a_first_word_each_is_a_habit_of_its_own():
    trains = lines(FUEL, *["Deutsche Bahn AG"] * 3)
    planes = lines(FUEL, *["Deutsche Flugsicherung"] * 3)
    assert [each[0] for each in found(*trains, *planes)] == [
        "COUNTERPARTY EQUALS Deutsche Bahn AG",
        "COUNTERPARTY EQUALS Deutsche Flugsicherung",
    ]


def test_a_first_word_that_goes_on_in_three_ways_is_the_habit():
    shops = lines(FOOD, *["Rewe Koeln"] * 3, *["Rewe Bonn"] * 3, "Rewe Aachen")
    assert [each[0] for each in found(*shops)] == ["COUNTERPARTY STARTS_WITH Rewe"]


def test_a_first_word_whose_lines_went_different_ways_is_none():
    one, other = lines(FOOD, *["Hansa Markt"] * 3), lines(FUEL, *["Hansa Tank"] * 3)
    assert [each[:2] for each in found(*one, *other)] == [
        ("COUNTERPARTY EQUALS Hansa Markt", 7),
        ("COUNTERPARTY EQUALS Hansa Tank", 8),
    ]


def test_what_a_condition_would_match_elsewhere_counts_against_it():
    rewe, drewermann = lines(FOOD, "x rewe", "y rewe", "z rewe"), lines(FUEL, *["Drewermann"] * 3)
    assert [each[1] for each in found(*rewe, *drewermann)] == [8]


def test_lines_that_went_elsewhere_are_exceptions_up_to_one_in_twenty():
    book = HabitBook([line("Aldi")] * 20, [*[FOOD] * 19, FUEL])
    (habit,) = habits(book, most=10)
    assert (len(habit.evidence), habit.exceptions) == (19, (19,))
    assert habits(HabitBook([line("Aldi")] * 19, [*[FOOD] * 18, FUEL]), most=10) == []


def test_lines_that_went_to_several_accounts_count_against():
    assert found(*lines(FOOD, *["Aldi"] * 3), *lines(Choice(None), "Aldi")) == []


def test_undecided_lines_are_neither_evidence_nor_exceptions():
    (habit,) = habits(HabitBook([line("Aldi")] * 4, [FOOD, FOOD, FOOD, None]), most=10)
    assert (habit.evidence, habit.exceptions, habit.undecided) == ((0, 1, 2), (), (3,))


def test_a_counterparty_of_both_directions_is_told_apart_by_them():
    paid, got = [(line("Paylane", amount_minor=-5), FUEL)] * 3, [(line("Paylane", amount_minor=5), FOOD)] * 3
    assert {each[:2] for each in found(*paid, *got)} == {
        ("COUNTERPARTY EQUALS Paylane & DIRECTION EQUALS OUT", 8),
        ("COUNTERPARTY EQUALS Paylane & DIRECTION EQUALS IN", 7),
    }


def test_a_payment_service_is_told_apart_by_what_its_descriptions_say():
    songs = [(line("PayPal", f"PP.12{n} Spotify"), FOOD) for n in range(3)]
    games = [(line("PayPal", f"PP.34{n} Steam"), FUEL) for n in range(3)]
    assert {each[:2] for each in found(*songs, *games)} == {
        ("COUNTERPARTY EQUALS PayPal & DESCRIPTION CONTAINS Spotify", 7),
        ("COUNTERPARTY EQUALS PayPal & DESCRIPTION CONTAINS Steam", 8),
    }


def test_a_description_that_repeats_the_counterparty_is_known_by_what_follows():
    fees = [(line("Paylane", f"Paylane Fees March {n}00{n}"), FOOD) for n in range(3)]
    payouts = [(line("Paylane", f"Paylane Payout March {n}00{n}"), FUEL) for n in range(3)]
    assert {each[0] for each in found(*fees, *payouts)} == {
        "COUNTERPARTY EQUALS Paylane & DESCRIPTION CONTAINS Fees March",
        "COUNTERPARTY EQUALS Paylane & DESCRIPTION CONTAINS Payout March",
    }


def test_an_iban_holds_together_what_writes_its_name_in_many_ways():
    names = ("Müller", "Mueller GmbH", "Firma Mueller")
    party = [(line(each, iban="DE02 5005 0101 5871 393"), FOOD) for each in names]
    assert found(*party) == [("IBAN EQUALS DE02500501015871393", 7, (0, 1, 2))]


def test_lines_without_a_counterparty_are_known_by_their_description():
    cards = [(line("", f"Kartenzahlung 1{n}.03. Aldi Sued {n}77"), FOOD) for n in range(3)]
    assert [each[0] for each in found(*cards)] == ["DESCRIPTION CONTAINS Aldi Sued"]


def test_words_that_stand_on_lines_of_every_kind_are_no_habit():
    assert found(*[(line("", f"SEPA Lastschrift {n}00{n}"), FOOD) for n in range(5)]) == []


def test_a_merchant_and_a_project_are_set_where_they_always_were():
    some = [(line("Aldi"), Choice(7, 3, project)) for project in (5, 5, 6)]
    (habit,) = habits(HabitBook([each for each, _ in some], [choice for _, choice in some]), most=10)
    assert (habit.merchant_id, habit.project_id) == (3, None)


def test_what_is_not_wanted_is_left_out_with_its_lines():
    book = HabitBook([line("Aldi", "Food")] * 3, [FOOD] * 3)
    assert habits(book, most=10, is_wanted=lambda _: False) == []


def test_the_key_stays_when_lines_come_to_it_and_is_another_for_another_account():
    def key(number, choice):
        (habit,) = habits(HabitBook([line("Aldi")] * number, [choice] * number), most=10)
        return habit.key

    assert key(3, FOOD) == key(9, FOOD) != key(3, BOOKS)


@pytest.mark.parametrize("text", ["", "   ", "12345", "---", "\u0301", "a" * 5000, "ß" * 60, "%_\\", "🙂 🙂"])
def test_strange_texts_do_no_harm(text):
    for each in (line(text), line("", text), line("Aldi", text, text or None)):
        assert all(len(habit.evidence) == 4 for habit in habits(HabitBook([each] * 4, [FOOD] * 4), most=10))
