"""What stays the same in the texts of lines, without digits, days, times and references."""

from types import SimpleNamespace

import pytest

from webapp.ledger.suggestions.wording import stable_conditions


def line(description="", counterparty=None, iban=None, amount_minor=-500):
    return SimpleNamespace(
        description=description, counterparty=counterparty, iban=iban, amount_minor=amount_minor
    )


def words(*lines):
    return " & ".join(f"{each.field} {each.operator} {each.value}" for each in stable_conditions(lines))


@pytest.mark.parametrize(
    ("text", "stable"),
    [
        ("HOFER DANKT 0527 K2 19.10. 17:36", "HOFER DANKT"),
        ("POS 8,30 AT D6 05.12. 13:05 SPAR DANKT 4101 WIEN 1060", "SPAR DANKT"),
        ("AMAZON EU S.A R.L., NIEDERLASSUNG D 302-1234567-7654321", "AMAZON EU S.A R.L., NIEDERLASSUNG D"),
        ("CARD 4711 TESCO STORES 3412 LONDON GB 12MAR", "TESCO STORES"),
        ("2026-03-02T17:36:00 Stadtwerke München Abschlag", "Stadtwerke München Abschlag"),
        ("PRLV SEPA EDF clients particuliers 00021 MM9700", "PRLV SEPA EDF clients particuliers"),
        ("חשמל ישראל 02/2026", "חשמל ישראל"),
    ],
)
def test_numbers_days_and_times_fall_out_of_a_text(text, stable):
    assert words(line(text)) == f"DESCRIPTION CONTAINS {stable} & DIRECTION EQUALS OUT"


def test_the_counterparty_comes_first_then_the_text_then_the_iban():
    assert words(line("Invoice 17", "REWE 4711 Bonn")) == "COUNTERPARTY CONTAINS REWE & DIRECTION EQUALS OUT"
    assert words(line("Miete März", "4711")).startswith("DESCRIPTION CONTAINS Miete März")
    assert words(line("0815", None, "at61 1904 3002 3457 3201")) == (
        "IBAN EQUALS AT611904300234573201 & DIRECTION EQUALS OUT"
    )


def test_several_lines_have_what_all_of_them_have():
    assert words(line("a", "Rewe Bonn 4"), line("b", "REWE Köln")) == (
        "COUNTERPARTY CONTAINS Rewe & DIRECTION EQUALS OUT"
    )
    assert words(line("Refund Aldi 3", amount_minor=500), line("Refund Aldi 4")) == (
        "DESCRIPTION CONTAINS Refund Aldi"
    )
    assert words(line("Coffee"), line("Rent")) == "DIRECTION EQUALS OUT"


def test_what_stands_on_lines_of_every_kind_is_no_text_of_a_rule():
    assert words(line("SEPA Lastschrift 4711 12.03.")) == "DIRECTION EQUALS OUT"
    assert words(line()) == "DIRECTION EQUALS OUT"
