"""The whole book for Beancount and hledger: both accept it, and every balance of theirs is ours."""

import csv
import io
from datetime import UTC, datetime
from random import Random

import pytest
from beancount import loader
from beancount.core.data import Open, Transaction

from tests.fixtures.helpers import witnesses
from tests.fixtures.helpers.marks import on_sqlite
from webapp.exporters.names import account_names
from webapp.queries.reports import exports
from webapp.services.bookkeeping import manual_entries, revaluations, voids

AT = datetime(2026, 6, 1, 9, tzinfo=UTC)
TEXTS = (
    "Rent",
    'Said "no" \\ and left',
    "First line\nsecond line\r\nthird",
    "東京 · Café ½ \u2028 ; comment | payee",
    "=1+1",
    "* (not a code) ! 2026-01-01",
    "  @SUM(A1)  ",
    "",
    "Ελλάδα العربية עברית 🚆",
    'tag: value, other:"x"',
)
CURRENCIES = {"EUR": None, "USD": "1.0842", "JPY": "161.2", "BHD": "0.4087", "CLF": "0.0271"}


@pytest.fixture
def accounts(bank):
    """Accounts whose names are of any language, some alike, some with quotes."""
    kinds = ("ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE")
    named = ['Ba"nk', "Bank", "銀行 口座", "a:b  c", "- - -"]
    return [bank.account(name, kind) for kind, name in zip(kinds, named, strict=True)]


@pytest.fixture
def rates(bank):
    for currency, units in CURRENCIES.items():
        if units is not None:
            bank.quote("2026-02-28", currency, units)
            bank.quote("2026-03-08", currency, str(float(units) * 1.25))


def keep(person, accounts, chance, count):
    for number in range(count):
        currency = chance.choice(sorted(CURRENCIES))
        amounts = [chance.randint(-99_999, 99_999) for _ in range(chance.randint(1, 4))]
        amounts.append(-sum(amounts))
        scale = {"EUR": 2, "USD": 2, "JPY": 0, "BHD": 3, "CLF": 4}[currency]
        postings = [
            {
                "account_id": chance.choice(accounts),
                "amount": witnesses.Decimal(amount).scaleb(-scale),
                "currency": currency,
            }
            for amount in amounts
        ]
        entry = manual_entries.create(
            effective_at=datetime(2026, 3, 1 + number % 15, tzinfo=UTC).date(),
            postings=postings,
            description=chance.choice(TEXTS),
            post=True,
            actor=person.actor,
            now=AT,
        )
        if chance.random() < 0.2:
            voids.void(entry, reason="A test", actor=person.actor, now=AT)
    revaluations.revalue(datetime(2026, 3, 16, tzinfo=UTC).date(), actor=person.actor, now=AT)


def written(bank, person, format_):
    return bank.ask(lambda: "".join(exports.of(person.organization_id, format_).pieces))


def names_of(bank, person):
    return bank.ask(lambda: account_names(exports.book(person.organization_id).accounts))


def test_both_witnesses_agree_with_books_kept_at_random(ada, bank, accounts, rates, rounds, figure, tmp_path):
    books, compared = rounds(4, 200), 0
    for seed in range(books):
        bank.ask(lambda seed=seed: keep(ada, accounts, Random(seed), 8))  # noqa: S311  (the same ones every time)
        ours = witnesses.of_entries(all_entries(ada), names_of(bank, ada))
        assert witnesses.of_beancount(written(bank, ada, "beancount")) == ours
        assert witnesses.of_hledger(written(bank, ada, "hledger"), tmp_path) == ours
        compared += len(ours)
    figure("witnesses", f"{books} books, {compared} balances of each: Beancount and hledger agree with ours")


def all_entries(person):
    found, cursor = [], ""
    while cursor is not None:
        page = person.get(f"/api/journal-entries?limit=200{cursor and '&cursor=' + cursor}").json
        found += page["entries"]
        cursor = page["nextCursor"]
    return found


def test_a_standing_proof_is_asserted_and_a_wrong_balance_would_be_found(ada, bank, desk, tmp_path):
    lines = bank.send_many([("2026-10-02", "1000.00", "A client"), ("2026-10-30", "-150.00", "Rent")])
    desk.confirm(*lines)
    proof = desk.prove()
    text = written(bank, ada, "beancount")
    assert f"2026-11-01 balance Assets:0-Main-account  850.00 ~ 0 EUR\n  proof: {proof['id']}\n" in text
    witnesses.of_beancount(text)
    _, errors, _ = loader.load_string(text.replace("850.00 ~", "850.01 ~"))
    assert len(errors) == 1
    journal = written(bank, ada, "hledger")
    witnesses.of_hledger(journal, tmp_path)
    with pytest.raises(AssertionError, match="balance assertion"):
        witnesses.of_hledger(journal.replace("= 850.00", "= 850.01"), tmp_path)


def test_a_broken_proof_is_not_asserted(ada, bank, desk):
    (line,) = bank.send_many([("2026-10-02", "850.00", "A client")])
    desk.confirm(line)
    desk.prove()
    desk.void(desk.line(line)["journalEntryId"])
    assert " balance " not in written(bank, ada, "beancount")


@on_sqlite
def test_texts_survive_in_all_three_formats(ada, bank, accounts):
    for text in TEXTS:
        postings = [
            {"accountId": accounts[0], "amount": "1.00", "currency": "EUR"},
            {"accountId": accounts[4], "amount": "-1.00", "currency": "EUR"},
        ]
        body = {"effectiveAt": "2026-03-02", "description": text, "postings": postings, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    entries, _, _ = loader.load_string(written(bank, ada, "beancount"))
    said = [entry.narration or "" for entry in entries if isinstance(entry, Transaction)]
    assert sorted(said) == sorted(TEXTS)
    opened = {entry.meta["name"] for entry in entries if isinstance(entry, Open) and "name" in entry.meta}
    assert {'Ba"nk', "銀行 口座", "a:b  c"} <= opened
    rows = list(csv.DictReader(io.StringIO(written(bank, ada, "csv"), newline="")))
    assert {row["description"].removeprefix("'") for row in rows} == set(TEXTS)
    assert {row["amount"] for row in rows} == {"1.00", "-1.00"}


@on_sqlite
@pytest.mark.parametrize("format_", ["beancount", "hledger", "csv"])
def test_the_api_gives_the_file_to_whoever_may_read(cleo, dan, bank, format_):
    answer = cleo.get(f"/api/exports/{format_}")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=org_")
    assert answer.text == written(bank, cleo, format_)
    assert "Lantern" not in dan.get(f"/api/exports/{format_}").text


def test_drafts_are_no_part_of_it(ada, bank):
    bank.send("2026-03-02", "-5.00", "Only a draft")
    assert "Only a draft" not in written(bank, ada, "beancount")
