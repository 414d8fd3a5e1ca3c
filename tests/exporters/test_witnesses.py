"""The whole book for Beancount and hledger: both accept it, and every balance of theirs is ours."""

import csv
import io
from datetime import UTC, date, datetime
from random import Random

import pytest
from beancount import loader
from beancount.core.data import Open, Transaction

from tests.fixtures.helpers import witnesses
from tests.fixtures.helpers.marks import on_sqlite
from webapp.exporters.names import account_names
from webapp.ledger.currencies import digits
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
# Units of each currency for one euro.
CURRENCIES = {
    "EUR": 1.0,
    "USD": 1.0842,
    "JPY": 161.2,
    "BHD": 0.4087,
    "CLF": 0.0271,
    "CZK": 24.81,
    "KWD": 0.3321,
}
BASES = ("EUR", "CZK", "JPY", "KWD")
LAST_DAYS = [date(2026, month, day) for month, day in ((3, 31), (4, 30), (5, 31))]


@pytest.fixture
def accounts(bank):
    """Accounts whose names are of any language, some alike, some with quotes."""
    kinds = ("ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE")
    named = ['Ba"nk', "Bank", "銀行 口座", "a:b  c", "- - -"]
    return [bank.account(name, kind) for kind, name in zip(kinds, named, strict=True)]


@pytest.fixture(params=BASES)
def base(request, bank):
    """Keep the books in one of four base currencies, of 0, 2 and 3 digits, with rates that move by the month."""
    bank.rebase(request.param)
    for currency, units in CURRENCIES.items():
        for month, factor in ((2, 1.0), (3, 1.25), (4, 0.9), (5, 1.1)) if currency != request.param else ():
            for day in (8, 16, 24, 28):
                rate = units / CURRENCIES[request.param] * factor
                bank.quote(f"2026-{month:02}-{day:02}", currency, f"{rate:.6g}")
    return request.param


def keep(person, accounts, chance, count):
    """Keep a book at random: foreign entries of up to six legs, some voided, all balances revalued by the month."""
    for number in range(count):
        currency = chance.choice(sorted(CURRENCIES))
        amounts = [chance.randint(-99_999, 99_999) for _ in range(chance.choice((1, 2, 3, 4, 5)))]
        amounts.append(-sum(amounts))
        order = chance.sample(accounts, len(accounts))
        postings = [
            {
                "account_id": order[place % len(order)],
                "amount": witnesses.Decimal(amount).scaleb(-digits(currency)),
                "currency": currency,
            }
            for place, amount in enumerate(amounts)
        ]
        entry = manual_entries.create(
            effective_at=date(2026, 3 + number % 3, 1 + chance.randint(0, 27)),
            postings=postings,
            description=chance.choice(TEXTS),
            post=True,
            force=True,
            actor=person.actor,
            now=AT,
        )
        if chance.random() < 0.2:
            voids.void(entry, reason="A test", actor=person.actor, now=AT)
    for day in LAST_DAYS:
        revaluations.revalue(day, actor=person.actor, now=AT)


def written(bank, person, format_):
    return bank.ask(lambda: "".join(exports.of(person.organization_id, format_).pieces))


def names_of(bank, person):
    return bank.ask(lambda: account_names(exports.book(person.organization_id).accounts))


def test_both_witnesses_agree_with_books_kept_at_random(ada, bank, accounts, base, rounds, figure, tmp_path):
    books, compared = rounds(1, 50), 0
    for seed in range(books):
        bank.ask(lambda seed=seed: keep(ada, accounts, Random(f"{base} {seed}"), rounds(24, 12)))  # noqa: S311
        entries, names = all_entries(ada), names_of(bank, ada)
        beancount, hledger = written(bank, ada, "beancount"), written(bank, ada, "hledger")
        for day in LAST_DAYS:
            ours = witnesses.of_entries(entries, names, day)
            assert witnesses.of_beancount(beancount, day) == ours
            assert witnesses.of_hledger(hledger, tmp_path, day) == ours
            compared += len(ours)
    figure("witnesses", f"{base}: {books} books, {compared} balances: Beancount and hledger agree with ours")


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
