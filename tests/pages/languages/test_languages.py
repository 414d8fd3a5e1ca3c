"""Pages speak the language of the person, or of the browser; what is ours in their sentences is translated."""

import re
from datetime import date
from pathlib import Path

import pytest

from scripts import translations
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.ledger.notation.days import read_day, written_day, written_month
from webapp.ledger.notation.locales import notation_in
from webapp.ledger.titles import IMPERATIVES
from webapp.services.access import own_sign_in
from webapp.web.rendering import languages, rule_wording

GERMAN = notation_in("de", None, "en-GB")


@on_sqlite
def test_a_page_is_in_the_language_of_the_person_else_of_the_browser(ada, pseudo):
    visitor = ada.app.test_client()
    english, other = {"Accept-Language": "en"}, {"Accept-Language": "fr, xx;q=0.5, en;q=0.1"}
    assert "⟦Language⟧" not in visitor.get("/sign-in", headers=english).text
    answer = visitor.get("/sign-in", headers=other)
    assert ('lang="xx"' in answer.text, "Accept-Language" in answer.headers["Vary"]) == (True, True)
    assert visitor.get("/sign-in?language=xx").status_code == 303
    assert "⟦Language⟧" in visitor.get("/sign-in", headers=english).text

    browser = ada.browser()
    assert browser.post("/settings/sign-in/language", data={"language": "en"}).status_code == 303
    assert "⟦Language⟧" not in browser.get("/settings/sign-in", headers=other).text
    with ada.app.app_context():
        own_sign_in.choose_language(ada.user_id, "xx")
        db.session.commit()
    assert "⟦Language⟧" in browser.get("/settings/sign-in", headers=english).text
    assert ada.get("/api/accounts", headers=other).status_code == 200
    assert browser.post("/settings/sign-in/language", data={"language": "de-XX"}).status_code == 422
    browser.post("/settings/sign-in/language", data={"language": ""})
    assert "⟦Language⟧" not in browser.get("/settings/sign-in", headers=english).text


def test_days_are_in_the_language_and_its_forms_are_read():
    days = [date(2026, month, 28) for month in range(1, 13)]
    written = [written_day(each, GERMAN) for each in days]
    assert written[1:3] + written[10:11] == ["28. Feb. 2026", "28. März 2026", "28. Nov. 2026"]
    assert [read_day(each, date(2026, 12, 31), GERMAN) for each in written] == days
    assert written_month(days[2], GERMAN) == "März 2026"


@pytest.fixture
def german(monkeypatch):
    """Translate into German, also outside of requests."""
    monkeypatch.setattr(languages, "language", lambda: "de")


def test_a_noun_that_is_counted_elsewhere_is_translated_by_itself(german):
    assert [languages.gettext(noun) for noun in ("account", "project")] == ["Konto", "Projekt"]
    effects = [{"kind": "SET_ACCOUNT", "accountId": 7}]
    assert (
        rule_wording.sentence("ALL", [], effects, {("accountId", 7): "Travel"})
        == "Passt auf alles: Konto Travel setzen."
    )


def test_a_refused_sign_in_is_said_in_the_language_of_the_page(ada):
    german = {"Accept-Language": "de"}
    visitor = ada.app.test_client()
    form = {"email": ada.email, "password": "not this one at all"}
    page = visitor.post("/sign-in", data=form, headers=german).text
    assert "Die E-Mail-Adresse oder das Passwort ist falsch." in page


def test_titles_of_acts_are_translated_as_done_and_as_proposed(german):
    lines = Path("tests/titles.txt").read_text(encoding="utf-8").splitlines()
    past = {proposed: done for done, proposed in IMPERATIVES.items()}
    for title in filter(None, (line.partition(" | ")[2] for line in lines)):
        verb, _, rest = title.partition(" ")
        for text in (title, f"{past.get(verb, verb)} {rest}"):
            assert languages.translated(text).split()[0] != text.split()[0]


def test_figures_of_several_boxes_are_translated(german):
    late = "−20.00 EUR in box A, −100.00 EUR in box F"
    assert languages.translated(late) == "−20.00 EUR in Feld A, −100.00 EUR in Feld F"


@pytest.mark.parametrize(
    ("title", "made"),
    [
        (
            "File the bill Paper, 45.20 EUR, and 1 more",
            "Ablegen: Eingangsrechnung Paper, 45.20 EUR und 1 weitere",
        ),
        ("Renamed the rule Rent to Transfer to Bob", "Umbenannt: Regel Rent in Transfer to Bob"),
        ("Rename the project group Film to Films", "Umbenennen: Projektgruppe Film in Films"),
        ("Deleted the document Bill.pdf", "Beleg Bill.pdf gelöscht"),
        ("project", "Projekt"),
        (
            "Change the document Aldi: sender REWE, total 4.50 EUR",
            "Ändern: Beleg Aldi: Absender REWE, Gesamt 4.50 EUR",
        ),
        (
            "Import a.ofx: 12 lines of Giro, 2 Apr, 9.50 EUR",
            "a.ofx importieren: 12 Umsätze von Giro, 2 Apr, 9.50 EUR",
        ),
        (
            "Set 4 exchange rates of USD, 2 Mar 2026 to 5 Mar 2026",
            "Gesetzt: 4 Wechselkurse von USD, 2 Mar 2026 bis 5 Mar 2026",
        ),
        (
            "Dismiss the suggested rule: 3 of 4 payments to REWE with “Food” went to Groceries",
            "Vorgeschlagene Regel verwerfen: 4 Zahlungen an REWE mit „Food“, davon 3 auf Groceries",
        ),
        (
            "Cancel the reconciliation of Giro to 2 Mar 2026 with 1 ticked item",
            "Abstimmung verwerfen: Giro zum 2 Mar 2026 (1 abgehakter Posten)",
        ),
        (
            "Ticked 4 items on the statement of Giro to 2 Mar 2026",
            "Abgehakt: 4 Posten auf dem Kontoauszug Giro zum 2 Mar 2026",
        ),
        ("Same amount, same day, names number 4711", "Gleicher Betrag, am selben Tag, nennt Nummer 4711"),
        (
            "Row 3, column 3 “Amount”: it is not an amount in the format of the others: “12.3x4”.",
            "Zeile 3, Spalte 3 „Amount“: kein Betrag im Format der anderen: „12.3x4“.",
        ),
        ("Confirmed Bob and the bank −1.00 EUR of 3 Mar", "Bob and the bank −1.00 EUR vom 3 Mar bestätigt"),
        ("Prepare the close of February 2020", "Abschluss February 2020 vorbereiten"),
        (
            "Closed the books up to 28 Feb 2026, with 1 draft moved to 1 Mar 2026",
            "Buchhaltung bis zum 28 Feb 2026 gesperrt, verschoben auf 1 Mar 2026: 1 Entwurf",
        ),
        (
            "Paired A −5.00 EUR of 12 Mar on Giro and 5.00 EUR of 13 Mar on Savings as a transfer",
            "A −5.00 EUR vom 12 Mar auf Giro und 5.00 EUR vom 13 Mar auf Savings als Umbuchung zusammengeführt",
        ),
    ],
)
def test_what_is_ours_in_a_title_is_translated_around_names(german, title, made):
    assert languages.translated(title) == made


# What only programs meet, because pages have a control for it or never send it: words of the API are right there.
TO_PROGRAMS = re.compile(
    r"`(?:column|index|key|periods|post|reopens|replaces|conditions|short)`|as statementBalance"
    r"|keepAsNew|keepsItems|Send what to (?:change|clear): |which day these balances|JSON|faId %"
)
OF_PROGRAMS = re.compile(r"`|\b[a-z]+[A-Z][A-Za-z]*\b|\b[Ss]end (?:it as )?`?(?:force|late)\b|\(force\)")


def test_refusals_speak_the_words_of_bookkeepers():
    """A page shows the sentences of services as they are: how a program insists is no help to people."""
    found = translations.code(("importers", "ledger", "queries", "services"))
    said = {re.sub(r"%\(\w+\)s", "%", each): each for each in {*found.plain, *found.sentences} if " " in each}
    assert len(said) > 2000
    assert [
        each for text, each in said.items() if OF_PROGRAMS.search(text) and not TO_PROGRAMS.search(each)
    ] == []


@on_sqlite
def test_the_months_of_a_form_are_in_the_language_of_the_page(ada):
    shown = ada.browser().get("/settings/financial-year", headers={"Accept-Language": "de"}).text
    assert ("Januar</option>" in shown, "January" in shown) == (True, False)


def test_a_rule_quotes_with_the_marks_of_the_language(german):
    uber = {"field": "DESCRIPTION", "operator": "CONTAINS", "value": "Uber"}
    assert "„Uber“" in rule_wording.sentence("ALL", [uber], [], {})
